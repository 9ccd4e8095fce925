package dev.portal.app;

import dev.portal.app.npu.EmulatedDsp;
import dev.portal.app.npu.QnnStages;
import dev.portal.base.Clock;
import dev.portal.llm.LanguageModel;
import dev.portal.llm.LlmTenant;
import dev.portal.llm.bridge.BridgeEvent;
import dev.portal.llm.bridge.BridgeOptions;
import dev.portal.llm.bridge.ChildCommand;
import dev.portal.llm.bridge.LlmBridge;
import dev.portal.llm.bridge.LlmChoice;
import dev.portal.llm.bridge.LlmOptions;
import dev.portal.llm.decoder.LocalModel;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuScheduler;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.Feature;
import dev.portal.voice.VoiceEngines;
import dev.portal.voice.engine.RecognizerChoice;
import dev.portal.voice.engine.SpeechEngineChoice;
import dev.portal.voice.intent.NluMatcher;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.nativelib.NativeLibraryException;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.vad.InferenceObserver;
import dev.portal.voice.vad.SileroVad;
import dev.portal.voice.vad.VoiceDetector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the engines that the command line names, or the defaults of a fresh machine. Owns what they share. */
final class Engines implements VoiceEngines, AutoCloseable {
    private static final int RATE_HZ = 16_000;
    private static final int WINDOW = 512;
    /** What each intent sounds like; more examples widen it. */
    private static final Map<String, List<String>> INTENTS = Map.of(
            "lights", List.of("turn on the kitchen light", "switch the lamp off", "make it dark in here"),
            "timer", List.of("set a timer for ten minutes", "wake me in an hour", "remind me in five minutes"),
            "music", List.of("play some jazz", "next song", "turn up the volume"),
            "move", List.of("go forward ten meters", "turn left", "drive backwards two steps"),
            "time", List.of("what time is it", "what day is it today"),
            "weather", List.of("what is the weather tomorrow", "will it rain on sunday"),
            "stop", List.of("stop", "be quiet", "cancel that"),
            "small talk", List.of("hello", "how are you", "thank you", "who are you"));

    private final Settings settings;
    private final EngineOptions options;
    private final Clock clock;
    private final Consumer<BridgeEvent> bridgeEvents;
    private final OnnxStages stages = new OnnxStages();
    private final NativeLibraries libraries;

    /** Where the stages of speech run; null on the CPU. */
    private final @Nullable QnnStages qnn;

    private final LlmDevice llmDevice;

    /** Where what runs on the NPU is registered; null without an NPU. */
    private @Nullable NpuScheduler npu;

    private volatile boolean llmOnNpu;

    /**
     * @param dsp that runs the stages of speech; null for the CPU
     * @param llmDevice that computes the language model's matrices
     */
    Engines(
            Settings settings,
            EngineOptions options,
            Clock clock,
            Consumer<BridgeEvent> bridgeEvents,
            @Nullable EmulatedDsp dsp,
            LlmDevice llmDevice) {
        this.settings = settings;
        this.options = options;
        this.clock = clock;
        this.bridgeEvents = bridgeEvents;
        this.libraries = new NativeLibraries(settings.home(), settings.architecture());
        this.qnn = dsp == null ? null : new QnnStages(dsp, stages);
        this.llmDevice = llmDevice;
    }

    private Path model(String id) {
        return settings.home().resolve("models").resolve(id);
    }

    @Override
    public boolean usesNpu(NpuWorkload workload) {
        return workload == NpuWorkload.LLM ? llmOnNpu : qnn != null;
    }

    /**
     * Tells the models of the arbiter, which has those on the NPU in its registry.
     *
     * @param condition whether the arbiter sends its jobs to the NPU or to the CPU
     */
    void useNpuOf(NpuScheduler arbiter, BooleanSupplier condition) {
        npu = arbiter.isAvailable() ? arbiter : null;
        if (qnn != null) {
            qnn.useDspWhile(condition);
            qnn.registerIn(arbiter);
        }
    }

    private ModelStages speechStages() {
        return qnn == null ? stages : qnn;
    }

    @Override
    public VoiceDetector detector(InferenceObserver hook) {
        Path file = options.vad == null ? model("silero-vad-v6").resolve("silero_vad.onnx") : Path.of(options.vad);
        if (!Files.exists(file)) {
            throw missing("the voice activity detector", file, options.vad == null);
        }
        return opened(() -> SileroVad.open(stages, file, RATE_HZ, WINDOW, clock, hook));
    }

    @Override
    public StreamingRecognizer recognizer(Inference inference) {
        CommandGrammar grammar = options.answersToo ? CommandGrammar.assistantAndAnswers() : CommandGrammar.assistant();
        RecognizerChoice choice = new RecognizerChoice(settings.home(), libraries, speechStages(), inference, grammar);
        return opened(() -> options.stt == null ? choice.standard() : choice.named(options.stt));
    }

    @Override
    public SpeechEngine speech() {
        String programs = settings.environment().getOrDefault("PATH", "");
        SpeechEngineChoice choice = new SpeechEngineChoice(settings.home(), libraries, speechStages(), programs);
        return opened(() -> options.tts == null ? choice.standard(1) : choice.named(options.tts, 1));
    }

    private static <T> T opened(Supplier<T> engine) {
        try {
            return engine.get();
        } catch (NativeLibraryException e) {
            throw Failure.notAvailable(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException | StageException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public LanguageModel languageModel(Inference inference) {
        Path shipped = settings.root().resolve("models/tiny-assistant/tiny-assistant.gguf");
        LlmChoice choice;
        try {
            choice = LlmChoice.of(options.llm, settings.environment(), shipped);
        } catch (IllegalArgumentException e) {
            throw Failure.notAvailable(String.valueOf(e.getMessage()));
        }
        if (!options.engine.equals("jvm") && !options.engine.equals("llama.cpp")) {
            throw Failure.usage("--engine " + options.engine + "; jvm and llama.cpp are possible");
        }
        if (options.context < 1) {
            throw Failure.usage("--context " + options.context + "; 1 or more is possible");
        }
        if (choice instanceof LlmChoice.Llama(Path file) && options.engine.equals("jvm")) {
            LocalModel model = LocalModels.open(file, options, options.context, clock, llmDevice.backend(options));
            llmOnNpu = model.npuShare() > 0;
            if (npu != null && llmOnNpu) {
                npu.registerModel(NpuCore.LLM, NpuWorkload.LLM, file.toString());
            }
            return new LlmTenant(model, inference, model.segmentNanos());
        }
        llmOnNpu = choice instanceof LlmChoice.GenieX;
        if (npu != null && choice instanceof LlmChoice.GenieX(String name) && Files.exists(Path.of(name))) {
            npu.registerModel(NpuCore.LLM, NpuWorkload.LLM, name);
        }
        return bridge(choice, inference);
    }

    private LanguageModel bridge(LlmChoice choice, Inference inference) {
        ChildCommand command;
        try {
            Path archives = Files.createDirectories(settings.home().resolve("cache"));
            LlmOptions llm = new LlmOptions(
                    settings.environment(),
                    settings.javaHome(),
                    settings.root().resolve("llama/target/child") + "/*",
                    options.context,
                    Math.max(1, options.llmThreads),
                    archives.resolve("llama.jsa"));
            command = choice.command(llm)
                    .orElseThrow(() -> new Failure("no language model: --llm none leaves nobody to answer"));
        } catch (IllegalArgumentException e) {
            throw Failure.notAvailable(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new Failure("cannot write below " + settings.home() + ": " + e.getMessage());
        }
        LlmBridge bridge = LlmBridge.open(command, BridgeOptions.defaults(), clock, bridgeEvents);
        return new LlmTenant(bridge, inference, NpuJob.UNDECLARED);
    }

    @Override
    public Optional<NluMatcher> intents(Set<Feature> features) {
        return NluMatcher.openIf(features, stages, model("minilm"), INTENTS);
    }

    static Failure missing(String what, Path path, boolean fetched) {
        return fetched
                ? Failure.notAvailable(what + " is not installed (" + path + "); run ./portal models fetch")
                : new Failure(path + ": no such file; " + what + " was to be loaded from it");
    }

    @Override
    public void close() {
        stages.close();
    }
}
