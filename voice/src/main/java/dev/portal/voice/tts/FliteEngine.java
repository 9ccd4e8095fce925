package dev.portal.voice.tts;

import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.voice.nativelib.Flite;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Speaks with flite.
 *
 * <p>The TTS_ENCODER job makes text into phones, durations and spectral frames, up to flite's first audio; the
 * TTS_DECODER job runs the vocoder and delivers 20 ms a piece. Between pieces it may yield and go on later with the next
 * sample.
 */
public final class FliteEngine implements SpeechEngine {
    private static final int PIECE_SAMPLES_AT_LEAST = 256;

    private final Flite flite;
    private final String name;
    private final float speed;
    private final Cleaner cleaner = Cleaner.create();
    private final Set<PausableSynthesis> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param speed 1 is the voice's own, 2 twice as fast; 0.25 to 4
     */
    public FliteEngine(Flite flite, String voice, float speed) {
        if (!(speed >= 0.25f && speed <= 4)) {
            throw new IllegalArgumentException("speed " + speed + " is not within 0.25 to 4");
        }
        this.flite = flite;
        this.name = "flite " + voice;
        this.speed = speed;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int sampleRateHz() {
        return flite.sampleRateHz();
    }

    @Override
    public Utterance prepare(String text) {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
        List<String> sentences = SpeakableText.sentences(text);
        PausableSynthesis synthesis = new PausableSynthesis("portal-flite", sink -> speak(sentences, sink));
        FliteUtterance utterance = new FliteUtterance(synthesis);
        running.add(synthesis);
        // The synthesis must not reach the utterance: an abandoned one is then collected, and its thread ended.
        cleaner.register(utterance, () -> end(synthesis));
        return utterance;
    }

    private void end(PausableSynthesis synthesis) {
        synthesis.close();
        running.remove(synthesis);
    }

    private void speak(List<String> sentences, Utterance.PieceSink sink) {
        boolean[] wanted = {true};
        for (String sentence : sentences) {
            try (Flite.Utterance utterance = flite.utterance(sentence, speed)) {
                utterance.analyse();
                utterance.synthesise(PIECE_SAMPLES_AT_LEAST, segment -> {
                    short[] pcm = segment.toArray(ValueLayout.JAVA_SHORT);
                    float[] samples = new float[pcm.length];
                    for (int i = 0; i < pcm.length; i++) {
                        samples[i] = pcm[i] / 32768f;
                    }
                    wanted[0] = sink.accept(samples, 0, samples.length);
                    return wanted[0];
                });
            }
            if (!wanted[0]) {
                return;
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(this::end);
    }

    private final class FliteUtterance implements Utterance {
        private final PausableSynthesis synthesis;
        private boolean encoded;
        private boolean pieceReady;
        private boolean decoderMade;

        FliteUtterance(PausableSynthesis synthesis) {
            this.synthesis = synthesis;
        }

        @Override
        public Optional<NpuJob> encoder() {
            return Optional.of(new Stage(NpuWorkload.TTS_ENCODER, preemption -> encode()));
        }

        private NpuJobResult encode() {
            if (!encoded) {
                pieceReady = advance();
                encoded = true;
            }
            return NpuJobResult.DONE;
        }

        private boolean advance() {
            boolean more = synthesis.advance();
            if (!more) {
                running.remove(synthesis);
            }
            return more;
        }

        @Override
        public NpuJob decoder(PieceSink sink) {
            if (decoderMade) {
                throw new IllegalStateException("an utterance is spoken once; prepare the text again");
            }
            decoderMade = true;
            return new Stage(NpuWorkload.TTS_DECODER, preemption -> decode(sink, preemption));
        }

        private NpuJobResult decode(PieceSink sink, Preemption preemption) {
            if (!encoded) {
                throw new IllegalStateException("the TTS_ENCODER job has not completed");
            }
            while (pieceReady) {
                if (!synthesis.giveTo(sink)) {
                    end(synthesis);
                    return NpuJobResult.DONE;
                }
                pieceReady = advance();
                if (pieceReady && preemption.requested()) {
                    return NpuJobResult.YIELDED;
                }
            }
            return NpuJobResult.DONE;
        }
    }

    @FunctionalInterface
    private interface Work {
        NpuJobResult run(Preemption preemption);
    }

    private record Stage(NpuWorkload workload, Work work) implements NpuJob {
        @Override
        public NpuJobResult execute(Preemption preemption) {
            return work.run(preemption);
        }
    }
}
