package dev.portal.app.npu;

import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

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
    private volatile BooleanSupplier onDsp = () -> true;

    public QnnStages(EmulatedDsp dsp, ModelStages cpu) {
        this.dsp = dsp;
        this.cpu = cpu;
    }

    /** Says whether jobs are meant for the DSP now; where not, the CPU's stages compute them. */
    public void useDspWhile(BooleanSupplier condition) {
        onDsp = condition;
    }

    @Override
    public ModelStage stage(Path file, NpuWorkload workload) {
        ModelStage refuge = cpu.stage(file, workload);
        try {
            return new QnnStage(refuge, Files.readAllBytes(file), slot(workload), () -> onDsp.getAsBoolean());
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
