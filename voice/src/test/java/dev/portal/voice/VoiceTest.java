package dev.portal.voice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import dev.portal.llm.LanguageModel;
import dev.portal.scheduler.CpuLanes;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuCoreReservation;
import dev.portal.scheduler.NpuCoreUtilization;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuMonitor;
import dev.portal.scheduler.NpuScheduler;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import dev.portal.scheduler.SchedulerTelemetry;
import dev.portal.scheduler.WorkloadBound;
import dev.portal.voice.intent.NluMatcher;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.tts.Utterance;
import dev.portal.voice.vad.InferenceObserver;
import dev.portal.voice.vad.VoiceDetector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The facade with engines that do nothing but say what they were given, on a virtual clock and one thread. */
class VoiceTest {
    private static final long MS = 1_000_000;
    private static final float[] WINDOW = new float[512];
    private static final NpuDetection PRESENT =
            NpuDetection.detect("aarch64", Map.of(), path -> path.equals("/sys/class/npu"));

    private static final NpuJob JOB = new NpuJob() {
        @Override
        public NpuWorkload workload() {
            return NpuWorkload.LLM;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            return NpuJobResult.DONE;
        }
    };

    private final VirtualClock clock = new VirtualClock();
    private final SchedulerOptions options = SchedulerOptions.of(PRESENT);
    private final Engines engines = new Engines();

    private Voice voice(VoiceConfig config) {
        return new Voice(
                config,
                options,
                () -> PortalNpuScheduler.stepped(PRESENT, options, clock, SchedulerListener.NONE),
                () -> CpuLanes.stepped(options, clock, SchedulerListener.NONE),
                engines);
    }

    private Voice scheduled() {
        return voice(VoiceConfig.of(Feature.parse("npu-scheduler")));
    }

    /** Features that ask for no scheduler, and a scheduler asked for where the NPU is disabled. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutTheFeatureOrWithTheNpuDisabledThereIsNoSchedulerAndTheHookDoesNothing(boolean asked) {
        VoiceConfig config = new VoiceConfig(
                !asked, asked ? Feature.parse("production") : Feature.parse("qnn-stt,qnn-vad"), VoiceConfig.PERIODS, 1);
        Voice voice = new Voice(
                config,
                options,
                () -> {
                    throw new AssertionError("a scheduler was made");
                },
                () -> {
                    throw new AssertionError("lanes were made");
                },
                engines);
        assertThat(voice.scheduler()).isEmpty();
        assertThat(voice.inference()).isSameAs(Inference.DIRECT);
        voice.detector().probability(WINDOW, 0);
        assertThat(engines.hook).isSameAs(InferenceObserver.NONE);
        assertThat(voice.telemetry().npuTelemetry()).isSameAs(SchedulerTelemetry.EMPTY);
        assertThat(voice.telemetry().models()).isEmpty();
        assertThat(voice.telemetry().cpuLanes()).isEmpty();
        voice.close();
        assertThat(engines.closed).containsExactly("detector");
    }

    @Test
    void theSchedulerIsClosedWhenTheLanesCannotBeMade() {
        PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(PRESENT, options, clock, SchedulerListener.NONE);
        assertThatThrownBy(() -> new Voice(
                        VoiceConfig.of(Feature.parse("npu-scheduler")),
                        options,
                        () -> scheduler,
                        () -> {
                            throw new IllegalStateException("no threads left");
                        },
                        engines))
                .hasMessage("no threads left");
        assertThatThrownBy(() -> scheduler.submitInference(NpuCore.LLM, JOB)).isInstanceOf(NpuException.Closed.class);
    }

    @Test
    void withTheFeatureTheCoreOfEachStageIsReservedForGood() {
        try (Voice voice = scheduled()) {
            NpuScheduler scheduler = voice.scheduler().orElseThrow();
            for (NpuWorkload stage : NpuWorkload.values()) {
                stage.homeCore().ifPresent(home -> {
                    scheduler.releaseCore(new NpuCoreReservation(home, stage, stage.conventionalPriority()));
                    assertThatThrownBy(() -> scheduler.allocateCore(home, stage, stage.conventionalPriority()))
                            .isInstanceOf(NpuException.CoreAllocationFailed.class)
                            .hasMessageContaining("permanently");
                });
            }
        }
    }

    @Test
    void theDetectorsInferencesAreCountedByTheSchedulersRegistry(@TempDir Path folder) throws IOException {
        try (Voice voice = scheduled()) {
            NpuScheduler scheduler = voice.scheduler().orElseThrow();
            Path model = Files.write(folder.resolve("vad.onnx"), new byte[7]);
            scheduler.registerModel(NpuCore.STT, NpuWorkload.VAD, model.toString());
            voice.detector().probability(WINDOW, 0);
            voice.detector().probability(WINDOW, 0);
            assertThat(voice.telemetry().models()).singleElement().satisfies(counted -> {
                assertThat(counted.workload()).isEqualTo(NpuWorkload.VAD);
                assertThat(counted.inferences()).isEqualTo(2);
                assertThat(counted.totalInferenceUs()).isEqualTo(2 * Engines.INFERENCE_US);
                assertThat(counted.failedInferences()).isZero();
            });
            assertThat(voice.telemetry().npuTelemetry().queueDepth())
                    .as("no job of the NPU")
                    .isZero();
        }
    }

    @Test
    void telemetryHasTheUtilizationOfEachCoreAndTheHealth() {
        engines.npu = true;
        try (Voice voice = scheduled()) {
            voice.inference().run(job(NpuWorkload.TTS_DECODER));
            SchedulerTelemetry npu = voice.telemetry().npuTelemetry();
            assertThat(npu.available()).isTrue();
            assertThat(npu.status()).isEqualTo(NpuMonitor.Status.HEALTHY);
            assertThat(npu.cores()).extracting(NpuCoreUtilization::completed).containsExactly(0L, 1L, 0L);
            assertThat(npu.cores().get(1).busyUs()).isEqualTo(2_000);
            assertThat(voice.telemetry().bounds())
                    .extracting(WorkloadBound::workload)
                    .containsExactly(NpuWorkload.TTS_DECODER);
            assertThat(voice.telemetry().cpuLanes())
                    .extracting(NpuCoreUtilization::completed)
                    .containsOnly(0L);
        }
    }

    @Test
    void jobsOfEnginesThatComputeOnTheCpuGoToTheCpuLanesAlthoughThereIsAnNpu() {
        try (Voice voice = scheduled()) {
            voice.recognizer();
            engines.given.getFirst().run(job(NpuWorkload.STT_ENCODER));
            VoiceTelemetry telemetry = voice.telemetry();
            assertThat(telemetry.cpuLanes())
                    .extracting(NpuCoreUtilization::completed)
                    .containsExactly(1L, 0L, 0L);
            assertThat(telemetry.npuTelemetry().cores())
                    .extracting(NpuCoreUtilization::completed)
                    .containsOnly(0L);
            assertThat(telemetry.bounds()).extracting(WorkloadBound::workload).containsExactly(NpuWorkload.STT_ENCODER);
        }
    }

    @Test
    void enginesAreMadeOnceWithTheFacadesInferenceAndClosedInReverseOrder() {
        Voice voice = scheduled();
        assertThat(engines.made).isEmpty();
        for (int i = 0; i < 2; i++) {
            voice.speech();
            voice.detector();
            voice.languageModel();
            voice.recognizer();
            assertThat(voice.intents()).isEmpty();
        }
        assertThat(engines.made)
                .containsExactly("speech", "detector", "model", "recognizer", "intents [NPU_SCHEDULER]");
        assertThat(engines.given).containsExactly(voice.inference(), voice.inference());
        voice.close();
        voice.close();
        assertThat(engines.closed).containsExactly("recognizer", "model", "detector", "speech");
        assertThatThrownBy(() -> voice.inference().run(job(NpuWorkload.LLM)))
                .as("the lanes are closed, too")
                .isInstanceOf(NpuException.Closed.class);
    }

    @Test
    void aFailureToCloseDoesNotKeepTheOthersOpenAndTheLaterOnesAreItsSuppressed() {
        Voice voice = scheduled();
        voice.speech();
        voice.detector();
        voice.recognizer();
        engines.failing = Set.of("recognizer", "speech");
        assertThatThrownBy(voice::close)
                .hasMessage("recognizer")
                .satisfies(first -> assertThat(first.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("speech"));
        assertThat(engines.closed).containsExactly("recognizer", "detector", "speech");
        assertThatThrownBy(() -> voice.inference().run(job(NpuWorkload.LLM))).isInstanceOf(NpuException.Closed.class);
    }

    private NpuJob job(NpuWorkload workload) {
        return new NpuJob() {
            @Override
            public NpuWorkload workload() {
                return workload;
            }

            @Override
            public NpuJobResult execute(Preemption preemption) {
                clock.advance(2 * MS);
                return NpuJobResult.DONE;
            }
        };
    }

    private static final class Engines implements VoiceEngines {
        static final long INFERENCE_US = 300;

        final List<String> made = new ArrayList<>();
        final List<String> closed = new ArrayList<>();
        final List<Inference> given = new ArrayList<>();
        Set<String> failing = Set.of();
        InferenceObserver hook = (us, success) -> {};
        boolean npu;

        private void close(String name) {
            closed.add(name);
            if (failing.contains(name)) {
                throw new IllegalStateException(name);
            }
        }

        @Override
        public boolean usesNpu(NpuWorkload workload) {
            return npu;
        }

        @Override
        public VoiceDetector detector(InferenceObserver observer) {
            made.add("detector");
            hook = observer;
            return new VoiceDetector() {
                @Override
                public String name() {
                    return "fake";
                }

                @Override
                public int sampleRateHz() {
                    return 16_000;
                }

                @Override
                public int windowSamples() {
                    return WINDOW.length;
                }

                @Override
                public float probability(float[] samples, int offset) {
                    observer.inferenceEnded(INFERENCE_US, true);
                    return 0;
                }

                @Override
                public void reset() {}

                @Override
                public void close() {
                    Engines.this.close("detector");
                }
            };
        }

        @Override
        public StreamingRecognizer recognizer(Inference inference) {
            made.add("recognizer");
            given.add(inference);
            return new StreamingRecognizer() {
                @Override
                public String name() {
                    return "fake";
                }

                @Override
                public int sampleRateHz() {
                    return 16_000;
                }

                @Override
                public void start() {}

                @Override
                public void accept(float[] samples, int offset, int length) {}

                @Override
                public String partial() {
                    return "";
                }

                @Override
                public Transcript finish() {
                    return Transcript.NOTHING;
                }

                @Override
                public void close() {
                    Engines.this.close("recognizer");
                }
            };
        }

        @Override
        public SpeechEngine speech() {
            made.add("speech");
            return new SpeechEngine() {
                @Override
                public String name() {
                    return "fake";
                }

                @Override
                public int sampleRateHz() {
                    return 16_000;
                }

                @Override
                public Utterance prepare(String text) {
                    throw new UnsupportedOperationException("this voice is mute");
                }

                @Override
                public void close() {
                    Engines.this.close("speech");
                }
            };
        }

        @Override
        public LanguageModel languageModel(Inference inference) {
            made.add("model");
            given.add(inference);
            return new LanguageModel() {
                @Override
                public String name() {
                    return "fake";
                }

                @Override
                public Reply generate(Request request, TokenSink tokens) {
                    throw new UnsupportedOperationException("this model is mute");
                }

                @Override
                public void cancel(String id, String reason) {}

                @Override
                public boolean generating() {
                    return false;
                }

                @Override
                public void reset() {}

                @Override
                public void close() {
                    Engines.this.close("model");
                }
            };
        }

        @Override
        public Optional<NluMatcher> intents(Set<Feature> features) {
            made.add("intents " + features);
            return Optional.empty();
        }
    }
}
