package dev.portal.app;

import dev.portal.llm.decoder.SplitListener;
import dev.portal.voice.Feature;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which engines run, in the same words everywhere: a name, a file or a folder. */
final class EngineOptions {
    /** Where the neural stages run. */
    enum Device {
        AUTO,
        CPU,
        EMULATED
    }

    @Option(names = "--vad", paramLabel = "FILE", description = "Silero VAD model (ONNX)")
    @Nullable
    String vad;

    @Option(names = "--stt", paramLabel = "NAME|PATH", description = "recognizer: a name, a model file or a folder")
    @Nullable
    String stt;

    @Option(names = "--tts", paramLabel = "NAME|PATH", description = "voice: a name, a model file or a folder")
    @Nullable
    String tts;

    @Option(
            names = "--llm",
            paramLabel = "PATH",
            description = "language model: a GGUF file, a folder, geniex:MODEL, none")
    @Nullable
    String llm;

    @Option(
            names = "--device",
            paramLabel = "auto|cpu|emulated",
            defaultValue = "auto",
            description = "where the neural stages run; auto looks for an NPU")
    Device device = Device.AUTO;

    @Option(
            names = "--features",
            paramLabel = "LIST",
            description = "feature flags or a profile, as in PORTAL_FEATURES")
    @Nullable
    String features;

    @Option(
            names = "--engine",
            paramLabel = "jvm|llama.cpp",
            defaultValue = "jvm",
            description = "what decodes a GGUF file: this process, or llama.cpp in a child (${DEFAULT-VALUE})")
    String engine = "jvm";

    @Option(
            names = "--weights",
            paramLabel = "i8|native",
            defaultValue = "i8",
            description = "i8: 8 bits, the same text on every device; native: the file's own, on the CPU")
    String weights = "i8";

    @Option(
            names = "--llm-threads",
            paramLabel = "N",
            defaultValue = "0",
            description = "that decode; 0 takes 1 for a small model and all processors, 4 at most, for others")
    int llmThreads;

    @Option(
            names = "--context",
            paramLabel = "TOKENS",
            defaultValue = "512",
            description = "that the language model remembers, at most what it was made for (${DEFAULT-VALUE})")
    int context = 512;

    @Option(
            names = "--npu-share",
            paramLabel = "PART",
            description = "of the matrices' outputs that the NPU computes beside the CPU, above 0 to 1 (chosen for each"
                    + " group by measured rates)")
    @Nullable
    Double npuShare;

    @Option(
            names = "--npu-cores",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "that a chain of the language model uses, at most where the share is chosen (${DEFAULT-VALUE})")
    int npuCores = 3;

    @Option(
            names = "--cpu-weights",
            paramLabel = "i8|i4",
            defaultValue = "i8",
            description =
                    "the CPU's part beside an NPU; i4: in 4 bits, less to read, and another text (${DEFAULT-VALUE})")
    String cpuWeights = "i8";

    /** What the language model's answers must keep; set by the command. */
    AnswerRules answerRules = AnswerRules.NONE;

    /** Whether the language model's parts on NPU and processor go to the trace; set by the command. */
    boolean splitTraced;

    /** Hears of these parts; set by the wiring. */
    SplitListener splitListener = SplitListener.NONE;

    /** Whether recordings of the assistant's own voice are to be understood, too; set by the command. */
    boolean answersToo;

    /** Whether the recognizer or the voice is a neural model's file or folder, so that a DSP has something to compute. */
    boolean hasNeuralStages() {
        return (stt != null && Files.isRegularFile(Path.of(stt, "tokens.txt")))
                || (tts != null && Files.exists(Path.of(tts)));
    }

    /**
     * With {@code --device emulated}, the small models of the repository stand in for what was not named.
     *
     * @throws Failure when nothing neural is left to run on the DSP
     */
    void chooseNeural(Settings settings) {
        if (device != Device.EMULATED) {
            return;
        }
        Path transducer = settings.root().resolve("models/tiny-transducer");
        Path voice = settings.root().resolve("models/tiny-voice");
        if (stt == null && Files.isRegularFile(transducer.resolve("tokens.txt"))) {
            stt = transducer.toString();
        }
        if (tts == null && Files.isRegularFile(voice.resolve("config.json"))) {
            tts = voice.toString();
        }
        if (!hasNeuralStages()) {
            throw Failure.notAvailable("--device emulated runs neural stages, and neither recognizer nor voice is one;"
                    + " name them: --stt FOLDER (encoder, decoder, joiner, tokens.txt), --tts FILE.onnx or FOLDER");
        }
    }

    /** The features named, or those of PORTAL_FEATURES, or {@code otherwise}. */
    Set<Feature> features(Map<String, String> environment, Set<Feature> otherwise) {
        String named = features == null ? environment.getOrDefault("PORTAL_FEATURES", "") : features;
        try {
            return named.isBlank() ? Set.copyOf(otherwise) : Feature.parse(named);
        } catch (IllegalArgumentException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }
}
