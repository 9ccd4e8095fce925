package dev.portal.voice.tts;

import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes the two stages out of a library that pushes audio: the TTS_ENCODER job runs it up to its first audio, the
 * TTS_DECODER job delivers piece by piece, and may yield after each.
 */
final class PushedSpeech implements AutoCloseable {
    /** The library. */
    @FunctionalInterface
    interface SentenceSpeaker {
        /**
         * Speaks one sentence.
         *
         * @return false when the sink wanted no more
         */
        boolean speak(String sentence, Utterance.PieceSink sink);
    }

    private final String name;
    private final SentenceSpeaker speaker;
    private final Cleaner cleaner = Cleaner.create();
    private final Set<PausableSynthesis> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    PushedSpeech(String name, SentenceSpeaker speaker) {
        this.name = name;
        this.speaker = speaker;
    }

    Utterance prepare(String text) {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
        List<String> sentences = SpeakableText.sentences(text);
        PausableSynthesis synthesis =
                new PausableSynthesis("portal-" + name, sink -> speakAll(speaker, sentences, sink));
        PushedUtterance utterance = new PushedUtterance(synthesis);
        running.add(synthesis);
        // The synthesis must not reach the utterance: an abandoned one is then collected, and its thread ended.
        cleaner.register(utterance, () -> end(synthesis));
        return utterance;
    }

    private static void speakAll(SentenceSpeaker speaker, List<String> sentences, Utterance.PieceSink sink) {
        for (String sentence : sentences) {
            if (!speaker.speak(sentence, sink)) {
                return;
            }
        }
    }

    private void end(PausableSynthesis synthesis) {
        synthesis.close();
        running.remove(synthesis);
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(this::end);
    }

    private final class PushedUtterance implements Utterance {
        private final PausableSynthesis synthesis;
        private boolean encoded;
        private boolean pieceReady;
        private boolean decoderMade;

        PushedUtterance(PausableSynthesis synthesis) {
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
