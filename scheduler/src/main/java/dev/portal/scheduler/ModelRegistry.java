package dev.portal.scheduler;

import dev.portal.base.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The models in use, by core and workload, with the size that each had when it was registered and what became of its
 * inferences.
 *
 * <p>The sizes are added up over all cores. The warning comes when a registration takes the sum above the limit, once;
 * it is armed again when models leave and the sum is at or under the limit.
 *
 * <p>Any thread. The models of a workload are an immutable array that registration replaces under the lock; counting an
 * inference reads the array and adds, without a lock.
 */
final class ModelRegistry {
    /** Asks for the size of a file, in bytes. */
    @FunctionalInterface
    interface FileSizes {
        long bytes(Path path) throws IOException;
    }

    /** Told when the sum of sizes goes above the limit. */
    @FunctionalInterface
    interface Warning {
        void memoryAbove(long totalBytes, long limitBytes);
    }

    private record Model(
            NpuCore core,
            NpuWorkload workload,
            String path,
            long sizeBytes,
            long loadedAtMillis,
            LongAdder inferences,
            LongAdder totalUs,
            LongAdder failed) {
        RegisteredModel snapshot() {
            return new RegisteredModel(
                    core, workload, path, sizeBytes, loadedAtMillis, inferences.sum(), totalUs.sum(), failed.sum());
        }
    }

    private static final Model[] NO_MODELS = {};

    private final Clock clock;
    private final long limitBytes;
    private final FileSizes sizes;
    private final Warning warning;
    private final AtomicReferenceArray<Model[]> byWorkload;
    private long totalBytes;

    ModelRegistry(Clock clock, long limitBytes, FileSizes sizes, Warning warning) {
        this.clock = clock;
        this.limitBytes = limitBytes;
        this.sizes = sizes;
        this.warning = warning;
        this.byWorkload = new AtomicReferenceArray<>(NpuWorkload.values().length);
        for (int i = 0; i < byWorkload.length(); i++) {
            byWorkload.set(i, NO_MODELS);
        }
    }

    synchronized void register(NpuCore core, NpuWorkload workload, String path) {
        Model[] present = models(workload);
        for (Model model : present) {
            if (model.core.equals(core)) {
                throw new NpuException.ModelRegistrationFailed(workload + " on " + core + " has " + model.path
                        + " already; unregister it before registering " + path);
            }
        }
        long bytes;
        try {
            bytes = sizes.bytes(Path.of(path));
        } catch (IOException e) {
            throw new NpuException.ModelRegistrationFailed(
                    "cannot read the size of " + path + " (" + e + "); check that the model is installed");
        }
        Model[] more = Arrays.copyOf(present, present.length + 1);
        more[present.length] = new Model(
                core, workload, path, bytes, clock.wallMillis(), new LongAdder(), new LongAdder(), new LongAdder());
        byWorkload.set(workload.ordinal(), more);
        boolean wasWithin = totalBytes <= limitBytes;
        totalBytes += bytes;
        if (wasWithin && totalBytes > limitBytes) {
            warning.memoryAbove(totalBytes, limitBytes);
        }
    }

    synchronized void unregister(NpuCore core, NpuWorkload workload) {
        List<Model> left = new ArrayList<>();
        for (Model model : models(workload)) {
            if (model.core.equals(core)) {
                totalBytes -= model.sizeBytes;
            } else {
                left.add(model);
            }
        }
        byWorkload.set(workload.ordinal(), left.toArray(NO_MODELS));
    }

    /** Counts an inference for the models of {@code workload}; nothing where there is none. */
    void record(NpuWorkload workload, long inferenceUs, boolean success) {
        for (Model model : models(workload)) {
            model.inferences.increment();
            model.totalUs.add(inferenceUs);
            if (!success) {
                model.failed.increment();
            }
        }
    }

    List<RegisteredModel> models() {
        List<RegisteredModel> all = new ArrayList<>();
        for (NpuWorkload workload : NpuWorkload.values()) {
            for (Model model : models(workload)) {
                all.add(model.snapshot());
            }
        }
        all.sort(Comparator.comparingInt(model -> model.core().index()));
        return all;
    }

    synchronized long totalBytes() {
        return totalBytes;
    }

    private Model[] models(NpuWorkload workload) {
        return byWorkload.get(workload.ordinal());
    }
}
