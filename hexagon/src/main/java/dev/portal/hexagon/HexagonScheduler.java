package dev.portal.hexagon;

import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuCoreReservation;
import dev.portal.scheduler.NpuCoreUtilization;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuScheduler;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.RegisteredModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An arbiter whose model registry drives the DSP: registering loads the model there, unregistering takes it away (scheduling
 * seed, "QNN Interface"). Everything else is the arbiter's own.
 *
 * <p>Any thread.
 */
public final class HexagonScheduler implements NpuScheduler {
    /** Says what graphs a model file has. */
    @FunctionalInterface
    public interface Descriptions {
        List<GraphSpec> of(String path);
    }

    private record Key(NpuCore core, NpuWorkload workload) {}

    private final NpuScheduler arbiter;
    private final HexagonRuntime runtime;
    private final Descriptions descriptions;
    private final Map<Key, HexagonModel> models = new HashMap<>();

    public HexagonScheduler(NpuScheduler arbiter, HexagonRuntime runtime, Descriptions descriptions) {
        this.arbiter = arbiter;
        this.runtime = runtime;
        this.descriptions = descriptions;
    }

    /** The model of a workload on a core, for jobs. */
    public synchronized Optional<HexagonModel> model(NpuCore core, NpuWorkload workload) {
        return Optional.ofNullable(models.get(new Key(core, workload)));
    }

    @Override
    public synchronized void registerModel(NpuCore core, NpuWorkload workload, String modelPath) {
        arbiter.registerModel(core, workload, modelPath);
        try {
            models.put(new Key(core, workload), runtime.load(workload.name(), modelPath, descriptions.of(modelPath)));
        } catch (HexagonException e) {
            arbiter.unregisterModel(core, workload);
            NpuException.ModelRegistrationFailed failed =
                    new NpuException.ModelRegistrationFailed(modelPath + " on the DSP: " + e.getMessage());
            failed.initCause(e);
            throw failed;
        } catch (RuntimeException e) {
            arbiter.unregisterModel(core, workload);
            throw e;
        }
    }

    @Override
    public synchronized void unregisterModel(NpuCore core, NpuWorkload workload) {
        HexagonModel model = models.remove(new Key(core, workload));
        arbiter.unregisterModel(core, workload);
        if (model != null) {
            runtime.unload(model);
        }
    }

    @Override
    public boolean isAvailable() {
        return arbiter.isAvailable();
    }

    @Override
    public NpuCoreReservation allocateCore(NpuCore core, NpuWorkload workload, NpuPriority priority) {
        return arbiter.allocateCore(core, workload, priority);
    }

    @Override
    public void releaseCore(NpuCoreReservation reservation) {
        arbiter.releaseCore(reservation);
    }

    @Override
    public NpuJobResult.Completed submitInference(NpuCore core, NpuJob job) {
        return arbiter.submitInference(core, job);
    }

    @Override
    public CompletableFuture<NpuJobResult.Completed> sharedSubmit(
            NpuWorkload workload, NpuPriority priority, NpuJob job) {
        return arbiter.sharedSubmit(workload, priority, job);
    }

    @Override
    public List<NpuCoreUtilization> utilization() {
        return arbiter.utilization();
    }

    @Override
    public int queueDepth() {
        return arbiter.queueDepth();
    }

    @Override
    public void recordInferenceFor(NpuWorkload workload, long inferenceUs, boolean success) {
        arbiter.recordInferenceFor(workload, inferenceUs, success);
    }

    @Override
    public List<RegisteredModel> registeredModels() {
        return arbiter.registeredModels();
    }
}
