package dev.portal.voice;

import dev.portal.llm.LanguageModel;
import dev.portal.scheduler.Arbiter;
import dev.portal.scheduler.CpuLanes;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuScheduler;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.ReservationBound;
import dev.portal.scheduler.SchedulerOptions;
import dev.portal.scheduler.SchedulerTelemetry;
import dev.portal.scheduler.WorkloadBound;
import dev.portal.scheduler.WorkloadTelemetry;
import dev.portal.voice.intent.NluMatcher;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.turn.TurnLog;
import dev.portal.voice.vad.InferenceObserver;
import dev.portal.voice.vad.VoiceDetector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The voice stack: engines under one arbiter.
 *
 * <p>Where the configuration asks for a scheduler, one is made, the stages' cores are reserved for good, every inference
 * goes through it (or through the CPU lanes while there is no NPU, or for engines that compute on the CPU), and the voice
 * activity detector reports to it. Where it does not, there is none: jobs run on their callers' threads, and the hook does nothing.
 *
 * <p>Engines are made when first asked for. Any thread.
 */
public final class Voice implements AutoCloseable {
    /** The stages that have a core; VAD has none. */
    private static final List<NpuWorkload> STAGES = List.of(
            NpuWorkload.STT_ENCODER,
            NpuWorkload.STT_DECODER,
            NpuWorkload.STT_JOINER,
            NpuWorkload.TTS_ENCODER,
            NpuWorkload.TTS_DECODER,
            NpuWorkload.LLM);

    private final VoiceConfig config;
    private final VoiceEngines engines;
    private final @Nullable PortalNpuScheduler scheduler;
    private final @Nullable CpuLanes cpuLanes;
    private final @Nullable Arbiter arbiter;
    private final SchedulerOptions options;
    private final Inference inference;
    private final TurnLog turns;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable VoiceDetector detector;
    private @Nullable StreamingRecognizer recognizer;
    private @Nullable SpeechEngine speech;
    private @Nullable LanguageModel languageModel;
    private Optional<NluMatcher> intents = Optional.empty();
    private boolean intentsAsked;

    /**
     * Puts the stack together. Voice owns what the suppliers make.
     *
     * @param options of the scheduler and the CPU lanes, for the published bounds
     * @param scheduler called only where the configuration asks for one
     * @param cpuLanes called only with a scheduler
     */
    public Voice(
            VoiceConfig config,
            SchedulerOptions options,
            Supplier<PortalNpuScheduler> scheduler,
            Supplier<CpuLanes> cpuLanes,
            VoiceEngines engines) {
        this.config = config;
        this.options = options;
        this.engines = engines;
        this.turns = new TurnLog(config.lastTurns());
        if (config.withScheduler()) {
            PortalNpuScheduler made = scheduler.get();
            opened.push(made);
            CpuLanes lanes = reserveAndStart(made, cpuLanes);
            this.scheduler = made;
            this.cpuLanes = lanes;
            this.arbiter = new Arbiter(made, lanes, engines::usesNpu);
            this.inference = arbiter;
        } else {
            this.scheduler = null;
            this.cpuLanes = null;
            this.arbiter = null;
            this.inference = Inference.DIRECT;
        }
    }

    private CpuLanes reserveAndStart(PortalNpuScheduler made, Supplier<CpuLanes> cpuLanes) {
        try {
            for (NpuWorkload stage : STAGES) {
                var _ = made.allocateCore(stage.homeCore().orElseThrow(), stage, stage.conventionalPriority());
            }
            CpuLanes lanes = cpuLanes.get();
            opened.push(lanes);
            return lanes;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** The NPU's arbiter; empty where the features ask for none. */
    public Optional<NpuScheduler> scheduler() {
        return Optional.ofNullable(scheduler);
    }

    /** Where jobs go. */
    public Inference inference() {
        return inference;
    }

    /** Where turns are remembered. */
    public TurnLog turns() {
        return turns;
    }

    /** The voice activity detector. */
    public synchronized VoiceDetector detector() {
        if (detector == null) {
            PortalNpuScheduler hooked = scheduler;
            InferenceObserver hook = hooked == null
                    ? InferenceObserver.NONE
                    : (us, success) -> hooked.recordInferenceFor(NpuWorkload.VAD, us, success);
            detector = engines.detector(hook);
            opened.push(detector);
        }
        return detector;
    }

    /** The recognizer. */
    public synchronized StreamingRecognizer recognizer() {
        if (recognizer == null) {
            recognizer = engines.recognizer(inference);
            opened.push(recognizer);
        }
        return recognizer;
    }

    /** The voice that speaks. */
    public synchronized SpeechEngine speech() {
        if (speech == null) {
            speech = engines.speech();
            opened.push(speech);
        }
        return speech;
    }

    /** The language model. */
    public synchronized LanguageModel languageModel() {
        if (languageModel == null) {
            languageModel = engines.languageModel(inference);
            opened.push(languageModel);
        }
        return languageModel;
    }

    /** The intent matcher; empty where {@code nlu-minilm} is off. */
    public synchronized Optional<NluMatcher> intents() {
        if (!intentsAsked) {
            intentsAsked = true;
            intents = engines.intents(config.features());
            intents.ifPresent(opened::push);
        }
        return intents;
    }

    /** A snapshot. */
    public VoiceTelemetry telemetry() {
        if (scheduler == null || cpuLanes == null || arbiter == null) {
            return new VoiceTelemetry(
                    SchedulerTelemetry.EMPTY, List.of(), List.of(), 0, List.of(), Optional.empty(), turns.reports());
        }
        SchedulerTelemetry npu = scheduler.telemetry();
        List<WorkloadBound> bounds = new ArrayList<>(bounds(npu.workloads(), arbiter::usesNpu));
        bounds.addAll(bounds(cpuLanes.workloads(), workload -> !arbiter.usesNpu(workload)));
        Optional<ReservationBound> reservation = arbiter.usesNpu(NpuWorkload.LLM)
                ? scheduler.reservation(VoiceConfig.DISPATCH_NANOS)
                : cpuLanes.reservation(VoiceConfig.DISPATCH_NANOS);
        return new VoiceTelemetry(
                npu,
                scheduler.registeredModels(),
                cpuLanes.utilization(),
                cpuLanes.queueDepth(),
                bounds,
                reservation,
                turns.reports());
    }

    /** Of those that run there now. */
    private List<WorkloadBound> bounds(List<WorkloadTelemetry> measured, Predicate<NpuWorkload> runsThere) {
        return WorkloadBound.of(
                measured.stream().filter(w -> runsThere.test(w.workload())).toList(),
                config.periodsNanos(),
                options.lanesPerDevice() < options.cores() || options.cores() == 1,
                options.starvationNanos(),
                options.reservation(),
                VoiceConfig.DISPATCH_NANOS);
    }

    /** Closes the engines, last made first, then the lanes. The first failure is thrown, the others are its suppressed. */
    @Override
    public synchronized void close() {
        RuntimeException failure = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                RuntimeException wrapped = e instanceof RuntimeException r ? r : new IllegalStateException(e);
                if (failure == null) {
                    failure = wrapped;
                } else {
                    failure.addSuppressed(wrapped);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
