package dev.portal.verification.npu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.portal.app.npu.EmulatedDsp;
import dev.portal.app.npu.QnnStages;
import dev.portal.base.SystemClock;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger.Count;
import dev.portal.emulator.hexagon.FastRpcDriver;
import dev.portal.emulator.hexagon.HexagonOptions;
import dev.portal.emulator.hexagon.Telemetry;
import dev.portal.scheduler.Arbiter;
import dev.portal.scheduler.CpuLanes;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.JobTrace;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuMonitor;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.RegisteredModel;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.stt.transducer.TinyTransducer;
import dev.portal.voice.stt.transducer.TransducerOptions;
import dev.portal.voice.stt.transducer.TransducerRecognizer;
import dev.portal.voice.tts.Speech;
import dev.portal.voice.tts.TinyVoice;
import dev.portal.voice.tts.VitsEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The five neural stages as QNN graphs on their lanes: the words and the sound that the CPU gives. */
class StagesOnDspTest {
    private static final int[] SAID = {1, 2, 3, 1, 2};
    private static final String TEXT = "hi hi hi. Hi. " + "hi ".repeat(30) + "hi.";

    @TempDir
    private Path folder;

    private final OnnxStages cpu = new OnnxStages();

    @AfterEach
    void close() {
        assertThat(cpu.openModels()).isZero();
        cpu.close();
    }

    private static EmulatedDsp dsp(HexagonOptions board) {
        return new EmulatedDsp(new SystemClock(), board, dev.portal.hexagon.HexagonOptions.defaults());
    }

    /** What was understood and what was said. */
    private record Turn(Transcript words, float[] sound) {}

    private static Turn turn(ModelStages stages, Inference inference, Path transducer, Path voice) {
        Transcript words;
        try (TransducerRecognizer recognizer =
                TransducerRecognizer.open(transducer, stages, inference, TransducerOptions.DEFAULT)) {
            float[] samples = TinyTransducer.tones(SAID);
            recognizer.accept(samples, 0, samples.length);
            words = recognizer.finish();
        }
        Speech speech = new Speech();
        try (VitsEngine engine = VitsEngine.open(voice, stages, TinyVoice.LETTERS, 1)) {
            speech.speak(engine, TEXT, inference);
        }
        return new Turn(words, speech.samples());
    }

    private static void same(Turn dsp, Turn cpu) {
        assertThat(dsp.words()).isEqualTo(cpu.words());
        assertThat(dsp.words().text()).isEqualTo("go stopped go stop");
        assertThat(dsp.sound()).isEqualTo(cpu.sound()).hasSizeGreaterThan(100);
    }

    private static List<Path> models(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".onnx")).toList();
        }
    }

    private static void nothingIsLeft(EmulatedDsp dsp) {
        assertThat(dsp.driver().usage()).isEqualTo(FastRpcDriver.Usage.NONE);
        assertThat(dsp.kernel().openDescriptors()).isZero();
        assertThat(dsp.kernel().openMappings()).isZero();
        assertThat(dsp.driver().report().faults()).isEmpty();
    }

    @Test
    void allFiveStagesRunOnTheDspWithTheWordsAndTheSoundOfTheCpu() throws IOException {
        Path transducer = TinyTransducer.streaming(folder.resolve("transducer"));
        Path voice = TinyVoice.twoFiles(folder);
        Turn expected = turn(cpu, Inference.DIRECT, transducer, voice);
        EmulatedDsp dsp = dsp(HexagonOptions.standard());
        try (dsp) {
            same(turn(new QnnStages(dsp, cpu), Inference.DIRECT, transducer, voice), expected);
            Telemetry telemetry = dsp.driver().telemetry();
            assertThat(telemetry.executions())
                    .containsOnlyKeys(
                            "STT_ENCODER encoder-tiny.onnx",
                            "STT_DECODER decoder-tiny.onnx",
                            "STT_JOINER joiner-tiny.onnx",
                            "TTS_ENCODER encoder.onnx",
                            "TTS_DECODER decoder.onnx")
                    .allSatisfy((graph, runs) -> assertThat(runs).isPositive());
            assertThat(telemetry.loadedModels())
                    .as("every model file's bytes came out of the DSP's memory")
                    .containsAll(Stream.of(models(transducer), models(voice))
                            .flatMap(List::stream)
                            .map(StagesOnDspTest::digest)
                            .toList());
        }
        nothingIsLeft(dsp);
    }

    private static String digest(Path file) {
        try {
            return Telemetry.sha256(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void underTheArbiterEachStageRunsOnItsHomeLane() throws IOException {
        Path transducer = TinyTransducer.streaming(folder.resolve("transducer"));
        Path voice = TinyVoice.twoFiles(folder);
        Turn expected = turn(cpu, Inference.DIRECT, transducer, voice);
        NpuDetection detection =
                NpuDetection.detect("any", Map.of(NpuDetection.TRANSPORT_VARIABLE, "emulated"), path -> false);
        Queue<JobTrace> traces = new ConcurrentLinkedQueue<>();
        SchedulerListener listener = new SchedulerListener() {
            @Override
            public void jobEnded(JobTrace trace) {
                traces.add(trace);
            }
        };
        SystemClock clock = new SystemClock();
        SchedulerOptions options = SchedulerOptions.of(detection);
        EmulatedDsp dsp = dsp(HexagonOptions.standard());
        try (dsp;
                PortalNpuScheduler scheduler = PortalNpuScheduler.start(detection, options, clock, listener);
                CpuLanes lanes = CpuLanes.start(options, clock, SchedulerListener.NONE)) {
            same(turn(new QnnStages(dsp, cpu), new Arbiter(scheduler, lanes), transducer, voice), expected);
            assertThat(scheduler.monitor().status()).isEqualTo(NpuMonitor.Status.HEALTHY);
        }
        Map<NpuWorkload, List<NpuCore>> cores = traces.stream()
                .collect(Collectors.groupingBy(
                        JobTrace::workload,
                        Collectors.mapping(
                                JobTrace::core, Collectors.collectingAndThen(Collectors.toSet(), List::copyOf))));
        assertThat(cores).hasSize(5);
        cores.forEach((workload, where) ->
                assertThat(Optional.of(where.getFirst())).as(workload.name()).isEqualTo(workload.homeCore()));
        assertThat(cores.values()).allSatisfy(where -> assertThat(where).hasSize(1));
        nothingIsLeft(dsp);
    }

    @Test
    void theArbitersRegistryHasTheModelsOfOpenStages() throws IOException {
        Path transducer = TinyTransducer.streaming(folder.resolve("transducer"));
        NpuDetection detection =
                NpuDetection.detect("any", Map.of(NpuDetection.TRANSPORT_VARIABLE, "emulated"), path -> false);
        try (EmulatedDsp dsp = dsp(HexagonOptions.standard());
                PortalNpuScheduler scheduler = PortalNpuScheduler.start(
                        detection, SchedulerOptions.of(detection), new SystemClock(), SchedulerListener.NONE)) {
            QnnStages stages = new QnnStages(dsp, cpu);
            ModelStage before = stages.stage(transducer.resolve("decoder-tiny.onnx"), NpuWorkload.STT_DECODER);
            stages.registerIn(scheduler);
            try (before;
                    ModelStage after = stages.stage(transducer.resolve("joiner-tiny.onnx"), NpuWorkload.STT_JOINER)) {
                assertThat(scheduler.registeredModels())
                        .extracting(RegisteredModel::core, RegisteredModel::workload)
                        .containsExactlyInAnyOrder(
                                tuple(NpuCore.STT, before.workload()), tuple(NpuCore.STT, after.workload()));
            }
            assertThat(scheduler.registeredModels()).isEmpty();
        }
    }

    @Test
    void whereTheArbiterUsesTheCpuTheCpusStagesCompute() throws IOException {
        Path transducer = TinyTransducer.streaming(folder.resolve("transducer"));
        Path voice = TinyVoice.twoFiles(folder);
        Turn expected = turn(cpu, Inference.DIRECT, transducer, voice);
        try (EmulatedDsp dsp = dsp(HexagonOptions.standard())) {
            QnnStages stages = new QnnStages(dsp, cpu);
            stages.useDspWhile(() -> false);
            same(turn(stages, Inference.DIRECT, transducer, voice), expected);
            assertThat(dsp.driver().telemetry().executions()).isEmpty();
        }
    }

    @Test
    void aRestartOfTheDspInTheMiddleChangesNoWord() throws IOException {
        Path transducer = TinyTransducer.streaming(folder.resolve("transducer"));
        Path voice = TinyVoice.twoFiles(folder);
        Turn expected = turn(cpu, Inference.DIRECT, transducer, voice);
        FaultPlan plan = FaultPlan.of(new Fault(Kind.DSP_RESTART, new Count(60, 1), 20_000_000));
        EmulatedDsp dsp = dsp(HexagonOptions.standard().withFaults(plan));
        try (dsp) {
            same(turn(new QnnStages(dsp, cpu), Inference.DIRECT, transducer, voice), expected);
            assertThat(dsp.runtime().sessionsOpened()).isEqualTo(2);
        }
        nothingIsLeft(dsp);
    }
}
