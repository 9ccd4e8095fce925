package dev.portal.app;

import dev.portal.app.npu.EmulatedDsp;
import dev.portal.app.trace.RunRecorder;
import dev.portal.app.trace.SplitSpans;
import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.hexagon.HexagonOptions;
import dev.portal.kernel.LinuxKernel;
import dev.portal.llm.bridge.BridgeEvent;
import dev.portal.scheduler.CpuLanes;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuMonitor.Status;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.SchedulerOptions;
import dev.portal.voice.Feature;
import dev.portal.voice.Voice;
import dev.portal.voice.VoiceConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts everything together, by constructor. The only place where the machine's clock, its nodes and the engines are
 * chosen. Closing it ends children and threads.
 */
final class Wiring implements AutoCloseable {
    private static final int TRACED_JOBS = 20_000;
    /** Some hundred tokens of a model with 24 layers. */
    private static final int TRACED_GROUPS = 50_000;

    /** Where the language model shares a run token: four turns a second, each of a step of its prompt (20 ms) or a token. */
    private static final SchedulerOptions.Reservation LLM_SHARE =
            new SchedulerOptions.Reservation(250_000_000, 20_000_000);

    private final Clock clock = new SystemClock();
    private final RunRecorder recorder = new RunRecorder(TRACED_JOBS);
    private final @Nullable SplitSpans split;
    private final NpuDetection detection;
    private final @Nullable EmulatedDsp dsp;
    private final Engines engines;
    private final Voice voice;
    private final Thread atExit = new Thread(this::closeQuietly, "portal-exit");

    /**
     * The usual stack: with a scheduler.
     *
     * @param notes lines for standard error
     */
    Wiring(Settings settings, EngineOptions options, Consumer<BridgeEvent> bridgeEvents, Consumer<String> notes) {
        Map<String, String> environment = new HashMap<>(settings.environment());
        if (options.device == EngineOptions.Device.EMULATED) {
            environment.put(NpuDetection.TRANSPORT_VARIABLE, "emulated");
        } else if (options.device == EngineOptions.Device.CPU) {
            environment.remove(NpuDetection.TRANSPORT_VARIABLE);
        }
        Set<Feature> features = options.features(settings.environment(), EnumSet.of(Feature.NPU_SCHEDULER));
        boolean npu = options.device != EngineOptions.Device.CPU;
        this.detection = NpuDetection.detect(
                npu ? settings.architecture() : "cpu only", environment, p -> Files.exists(Path.of(p)));
        this.dsp = detection.transport() == NpuDetection.Transport.EMULATED && options.hasNeuralStages()
                ? new EmulatedDsp(
                        clock,
                        dev.portal.emulator.hexagon.HexagonOptions.standard()
                                .withParallelGraphs(detection.lanesPerDevice()),
                        HexagonOptions.defaults())
                : null;
        this.split = options.splitTraced ? new SplitSpans(clock, TRACED_GROUPS) : null;
        if (split != null) {
            options.splitListener = split;
        }
        LlmDevice llmDevice = new LlmDevice(detection.transport(), LinuxKernel::new, clock, notes, this::npuIsInUse);
        this.engines = new Engines(settings, options, clock, bridgeEvents, dsp, llmDevice);
        boolean shared = detection.cores() == 1 || detection.lanesPerDevice() < detection.cores();
        SchedulerOptions scheduling = SchedulerOptions.of(detection).withReservation(shared ? LLM_SHARE : null);
        this.voice = new Voice(
                VoiceConfig.of(features),
                scheduling,
                () -> PortalNpuScheduler.start(detection, scheduling, clock, recorder),
                () -> CpuLanes.start(scheduling, clock, recorder),
                engines);
        arbiter().ifPresent(made -> engines.useNpuOf(made, this::npuIsInUse));
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    private Optional<PortalNpuScheduler> arbiter() {
        return voice.scheduler().filter(PortalNpuScheduler.class::isInstance).map(PortalNpuScheduler.class::cast);
    }

    /** Without an arbiter nobody says no. */
    private boolean npuIsInUse() {
        return arbiter()
                .map(made -> made.isAvailable() && made.monitor().status() != Status.FALLBACK)
                .orElse(true);
    }

    Clock clock() {
        return clock;
    }

    Voice voice() {
        return voice;
    }

    NpuDetection detection() {
        return detection;
    }

    /** The jobs of this run. */
    RunRecorder recorder() {
        return recorder;
    }

    /** The last groups of the language model's matrices, where they are traced and an NPU has a part. */
    List<SplitSpans.Group> splitGroups() {
        return split == null ? List.of() : split.groups();
    }

    /** Where the stages of speech run, for a person. */
    String device() {
        return (dsp == null ? "on the CPU (" : "neural stages as QNN graphs on the emulated DSP (") + detection.why()
                + ")";
    }

    /** How often each graph ran on the DSP; empty without one. */
    Map<String, Long> executions() {
        return dsp == null ? Map.of() : dsp.driver().telemetry().executions();
    }

    private void closeQuietly() {
        try (dsp;
                engines) {
            voice.close();
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        closeQuietly();
    }
}
