package dev.portal.voice.turn;

import dev.portal.llm.LanguageModel;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.tts.Utterance;
import dev.portal.voice.vad.VoiceDetector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Engines that are right and quick: sound is speech, a tenth of a second of it is a word, replies are from a list. */
final class SimpleEngines {
    final List<String> questions = Collections.synchronizedList(new ArrayList<>());
    final List<String> cancelled = Collections.synchronizedList(new ArrayList<>());
    final Set<String> spoken = ConcurrentHashMap.newKeySet();
    /** What the model answers to its first, second, ... question. */
    final List<String> replies;

    /** While set, the model waits before every token until it is released or cancelled. */
    volatile CountDownLatch modelGate = new CountDownLatch(0);

    volatile boolean failTheVoice;

    SimpleEngines(String... replies) {
        this.replies = List.of(replies);
    }

    TurnRunner.Engines engines() {
        return new TurnRunner.Engines(new Detector(), new Recognizer(), new Model(), new Voice(), Inference.DIRECT);
    }

    LanguageModel model() {
        return new Model();
    }

    private static final class Detector implements VoiceDetector {
        @Override
        public String name() {
            return "energy";
        }

        @Override
        public int sampleRateHz() {
            return TurnOptions.SAMPLE_RATE_HZ;
        }

        @Override
        public int windowSamples() {
            return TurnOptions.WINDOW_SAMPLES;
        }

        @Override
        public float probability(float[] samples, int offset) {
            double energy = 0;
            for (int i = 0; i < TurnOptions.WINDOW_SAMPLES; i++) {
                energy += samples[offset + i] * samples[offset + i];
            }
            return energy > TurnOptions.WINDOW_SAMPLES * 1e-5 ? 0.95f : 0.02f;
        }

        @Override
        public void reset() {}

        @Override
        public void close() {}
    }

    private static final class Recognizer implements StreamingRecognizer {
        private int loud;

        @Override
        public String name() {
            return "counts";
        }

        @Override
        public int sampleRateHz() {
            return TurnOptions.SAMPLE_RATE_HZ;
        }

        @Override
        public void start() {
            loud = 0;
        }

        @Override
        public void accept(float[] samples, int offset, int length) {
            for (int i = offset; i < offset + length; i++) {
                loud += Math.abs(samples[i]) > 0.01f ? 1 : 0;
            }
        }

        @Override
        public String partial() {
            return "word ".repeat(loud / 1_600).strip();
        }

        @Override
        public Transcript finish() {
            return new Transcript(partial(), 1);
        }

        @Override
        public void close() {}
    }

    private final class Model implements LanguageModel {
        private final Map<String, CountDownLatch> stops = new ConcurrentHashMap<>();

        @Override
        public String name() {
            return "list";
        }

        @Override
        public Reply generate(Request request, TokenSink tokens) {
            CountDownLatch stop = stops.computeIfAbsent(request.id(), id -> new CountDownLatch(1));
            questions.add(request.messages().getLast().text());
            String text = replies.get(Math.min(questions.size(), replies.size()) - 1);
            int sequence = 0;
            for (String token : text.split("(?<= )")) {
                if (sequence > 20) {
                    await();
                }
                if (stop.getCount() == 0) {
                    return new Reply(text, FinishReason.CANCELLED, 1, sequence, null);
                }
                tokens.token(sequence++, token);
            }
            return new Reply(text, FinishReason.STOP, 1, sequence, null);
        }

        private void await() {
            try {
                modelGate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void cancel(String id, String reason) {
            cancelled.add(id + ": " + reason);
            stops.computeIfAbsent(id, key -> new CountDownLatch(1)).countDown();
            modelGate.countDown();
        }

        @Override
        public boolean generating() {
            return false;
        }

        @Override
        public void reset() {}

        @Override
        public void close() {}
    }

    /** Speaks at a rate of its own, from a fixed noise. */
    private final class Voice implements SpeechEngine {
        private static final int RATE_HZ = 22_050;

        @Override
        public String name() {
            return "babble";
        }

        @Override
        public int sampleRateHz() {
            return RATE_HZ;
        }

        @Override
        public Utterance prepare(String text) {
            spoken.add(text);
            float[] sound = SpokenSound.voice(text.hashCode(), 200, text.length() * RATE_HZ / 14);
            return new Utterance() {
                @Override
                public Optional<NpuJob> encoder() {
                    return Optional.of(new Job(NpuWorkload.TTS_ENCODER, () -> {}));
                }

                @Override
                public NpuJob decoder(PieceSink sink) {
                    return new Job(NpuWorkload.TTS_DECODER, () -> {
                        if (failTheVoice) {
                            throw new IllegalStateException("the voice is hoarse");
                        }
                        boolean more = true;
                        for (int at = 0; more && at < sound.length; at += 441) {
                            more = sink.accept(sound, at, Math.min(441, sound.length - at));
                        }
                    });
                }
            };
        }

        @Override
        public void close() {}
    }

    private record Job(NpuWorkload workload, Runnable work) implements NpuJob {
        @Override
        public NpuJobResult execute(Preemption preemption) {
            work.run();
            return new NpuJobResult.Completed(List.of());
        }
    }
}
