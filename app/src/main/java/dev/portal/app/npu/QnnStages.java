package dev.portal.app.npu;

import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuScheduler;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens ONNX files as stages whose inferences are QNN graphs on the DSP. The three stages of speech recognition share one
 * entry of the DSP's model table, the two of speech synthesis have one each, so that four entries are enough.
 *
 * <p>Any thread. The CPU's stages are opened beside them, for names and shapes and as the refuge; it owns neither them nor
 * the DSP.
 */
public final class QnnStages implements ModelStages {
    private final EmulatedDsp dsp;
    private final ModelStages cpu;
    private final Map<String, ModelSlot> slots = new HashMap<>();
    private final Map<NpuWorkload, Open> open = new EnumMap<>(NpuWorkload.class);
    private volatile BooleanSupplier onDsp = () -> true;
    private @Nullable NpuScheduler registry;

    /** The first open stage of a workload, and its file. */
    private record Open(ModelStage stage, Path file) {}

    public QnnStages(EmulatedDsp dsp, ModelStages cpu) {
        this.dsp = dsp;
        this.cpu = cpu;
    }

    /** Says whether jobs are meant for the DSP now; where not, the CPU's stages compute them. */
    public void useDspWhile(BooleanSupplier condition) {
        onDsp = condition;
    }

    /** Enters the stages' models in an arbiter's registry, now and from now on; each leaves it when its stage is closed. */
    public synchronized void registerIn(NpuScheduler arbiter) {
        registry = arbiter;
        open.forEach((workload, stage) ->
                arbiter.registerModel(core(workload), workload, stage.file().toString()));
    }

    private static NpuCore core(NpuWorkload workload) {
        return workload.homeCore().orElseThrow();
    }

    private synchronized void opened(ModelStage stage, NpuWorkload workload, Path file) {
        if (open.putIfAbsent(workload, new Open(stage, file)) == null && registry != null) {
            registry.registerModel(core(workload), workload, file.toString());
        }
    }

    private synchronized void closed(ModelStage stage) {
        NpuWorkload workload = stage.workload();
        Open first = open.get(workload);
        if (first != null && first.stage().equals(stage)) {
            open.remove(workload);
            if (registry != null) {
                registry.unregisterModel(core(workload), workload);
            }
        }
    }

    @Override
    public ModelStage stage(Path file, NpuWorkload workload) {
        ModelStage refuge = cpu.stage(file, workload);
        try {
            ModelStage stage = new QnnStage(
                    refuge, Files.readAllBytes(file), slot(workload), () -> onDsp.getAsBoolean(), this::closed);
            opened(stage, workload, file);
            return stage;
        } catch (IOException e) {
            refuge.close();
            throw new StageException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private synchronized ModelSlot slot(NpuWorkload workload) {
        String name = switch (workload) {
            case STT_ENCODER, STT_DECODER, STT_JOINER -> "STT";
            case TTS_ENCODER, TTS_DECODER, LLM -> workload.name();
            case VAD -> throw new IllegalArgumentException("VAD runs on CPU, not NPU");
        };
        return slots.computeIfAbsent(name, each -> new ModelSlot(dsp, each));
    }

    /** How many containers were loaded so far. */
    public synchronized long containers() {
        return slots.values().stream().mapToLong(ModelSlot::containers).sum();
    }
}
