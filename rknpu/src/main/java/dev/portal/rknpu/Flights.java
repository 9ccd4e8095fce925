package dev.portal.rknpu;

import org.jspecify.annotations.Nullable;

/** Builds flights: takes tracks, copies features, encodes the programs of each core. */
final class Flights {
    private Flights() {}

    /**
     * Core i gets steps {@code i * S / cores} to {@code (i + 1) * S / cores - 1} (seed section 4).
     *
     * @param options first core, and how they are submitted
     * @param cores at most the table's steps
     * @param what names it in refusals
     */
    static Flight encode(RknpuDevice device, StepTable table, ChainOptions options, int cores, String what) {
        AsyncJobs jobs = device.jobs();
        Track[] tracks = new Track[cores];
        int[] start = new int[cores + 1];
        DeviceBuffer[] staging = new DeviceBuffer[cores];
        int taken = 0;
        try {
            for (; taken < cores; taken++) {
                start[taken + 1] = (int) ((long) (taken + 1) * table.size() / cores);
                tracks[taken] = jobs.take(options.firstCore() + taken, start[taken + 1] - start[taken]);
            }
            // All cores read the features where the first one has them; its track is held as long as any of them flies.
            DeviceBuffer features = tracks[0].features(table.aBytes());
            table.stage(features);
            for (int i = 0; i < cores; i++) {
                staging[i] = features;
                tracks[i].encode(table, start[i], start[i + 1], features);
            }
            return new Flight(device, table, tracks, start, staging, joint(jobs, options, tracks), true, what);
        } catch (RuntimeException e) {
            while (--taken >= 0) {
                jobs.giveBack(tracks[taken]);
            }
            throw e;
        }
    }

    private static @Nullable JointJob joint(AsyncJobs jobs, ChainOptions options, Track[] tracks) {
        if (!options.oneSubmit() || tracks.length == 1) {
            return null;
        }
        int programs = 0;
        for (Track track : tracks) {
            programs += track.size();
        }
        JointJob joint = jobs.takeJoint(programs);
        joint.describe(tracks);
        return joint;
    }
}
