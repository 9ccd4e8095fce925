package dev.portal.rknpu;

import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.rknpu.DeviceBuffer.Use;

/**
 * One job for the tracks of several cores: a task array in which each core has a stretch of its own (spec 8.3). The driver
 * commits it when the last of its cores is free, and it retires when all have done their stretch.
 *
 * <pre>
 *   task array   t0  t1  t2 │ t3  t4  t5 │ t6  t7  t8      one SUBMIT, core mask 7
 *                core 0     │ core 1     │ core 2          subcore_task [2], [3], [4]
 *   programs     where the tracks have them
 * </pre>
 *
 * <p>Not safe for several threads.
 */
final class JointJob implements AutoCloseable {
    private final int capacity;
    private final DeviceBuffer tasks;
    private final RknpuTask[] records;
    private final SubmitCall call;

    /** Where the stretch of each track begins. */
    private final int[] base;

    /** @param capacity programs of all cores together */
    JointJob(RknpuDevice device, int capacity) {
        this.capacity = capacity;
        tasks = device.allocate(capacity * RknpuTask.LAYOUT.byteSize(), Use.TASKS);
        records = Track.records(tasks, capacity);
        call = new SubmitCall(device, tasks);
        base = new int[device.soc().cores()];
    }

    int capacity() {
        return capacity;
    }

    /** Takes the programs that the tracks have now; only while nothing is in flight. */
    void describe(Track[] tracks) {
        int next = 0;
        for (int t = 0; t < tracks.length; t++) {
            base[t] = next;
            for (int i = 0; i < tracks[t].size(); i++) {
                records[next + i].regcmdAddr(tracks[t].address(i));
            }
            next += tracks[t].size();
        }
        tasks.toDevice(SyncPoint.TASKS_TO_DEVICE, 0, next * RknpuTask.LAYOUT.byteSize());
    }

    /**
     * Submits what is left of each stretch that is not settled, and returns. They are on different cores, of which the
     * driver takes one job ({@link SubmitCall#isOneJob}).
     *
     * @param stretches on the tracks that were described
     */
    void submitAsync(Stretch[] stretches) {
        int mask = 0;
        int total = 0;
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                mask |= stretch.track().core().mask();
                total += stretch.left();
            }
        }
        call.severalCores(mask, total);
        for (int t = 0; t < stretches.length; t++) {
            Stretch stretch = stretches[t];
            if (!stretch.isSettled()) {
                call.range(stretch.track().core().index(), base[t] + stretch.landed(), stretch.left());
            }
        }
        call.async();
        for (Stretch stretch : stretches) {
            if (!stretch.isSettled()) {
                stretch.track().core().becomeAsync();
            }
        }
    }

    void retain() {
        tasks.retain();
    }

    void release() {
        tasks.release();
    }

    @Override
    public void close() {
        tasks.close();
        call.close();
    }
}
