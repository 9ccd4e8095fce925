package dev.portal.app;

import dev.portal.voice.audio.PreRoll;
import dev.portal.voice.audio.Resampler;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.vad.SpeechEvent;
import dev.portal.voice.vad.StreamingSegmenter;
import dev.portal.voice.vad.StreamingSettings;
import dev.portal.voice.vad.VoiceDetector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Turns a stream of sound into utterances: detector, segmenter, recognizer. */
final class Transcriber {
    /** Half a second of silence ends an utterance; so much before its start is recognised with it. */
    private static final StreamingSettings SEGMENTS = new StreamingSettings(0.5, 0.35, 0, 500, 300, 200);

    private final VoiceDetector detector;
    private final StreamingRecognizer recognizer;

    Transcriber(VoiceDetector detector, StreamingRecognizer recognizer) {
        this.detector = detector;
        this.recognizer = recognizer;
    }

    /** Something that was said; times are seconds from the start of the sound. */
    record Spoken(double startSeconds, double endSeconds, Transcript transcript) {}

    /**
     * All that was said.
     *
     * @param seconds of sound
     * @param warnings of the source
     */
    record Result(double seconds, List<Spoken> utterances, List<String> warnings) {
        String text() {
            return String.join(
                    "\n", utterances.stream().map(u -> u.transcript().text()).toList());
        }
    }

    /** Reads {@code source} to its end and hands each utterance to {@code spoken} once it is over. */
    Result run(SampleSource source, Consumer<Spoken> spoken) throws IOException {
        int rate = detector.sampleRateHz();
        SampleSource sound = Resampler.resample(source, rate);
        float[] window = new float[detector.windowSamples()];
        PreRoll recent = new PreRoll(rate);
        StreamingSegmenter segmenter = new StreamingSegmenter(SEGMENTS, rate, window.length);
        List<Spoken> utterances = new ArrayList<>();
        long start = -1;
        long total = 0;
        detector.reset();
        for (int filled = fill(sound, window); filled > 0; filled = fill(sound, window)) {
            Arrays.fill(window, filled, window.length, 0);
            total += filled;
            recent.write(window, 0, window.length);
            SpeechEvent event =
                    segmenter.window(detector.probability(window, 0)).orElse(null);
            if (event instanceof SpeechEvent.Started started) {
                start = started.sample();
                recognizer.start();
                float[] before = recent.from(Math.max(start, recent.oldest()));
                recognizer.accept(before, 0, before.length);
            } else if (start >= 0) {
                recognizer.accept(window, 0, window.length);
            }
            if (event instanceof SpeechEvent.Ended ended) {
                finish(start, ended.sample(), rate, utterances, spoken);
                start = -1;
            }
        }
        if (start >= 0) {
            finish(start, total, rate, utterances, spoken);
        }
        return new Result((double) total / rate, utterances, sound.warnings());
    }

    private void finish(long start, long end, int rate, List<Spoken> utterances, Consumer<Spoken> spoken) {
        Transcript transcript = recognizer.finish();
        if (!transcript.isEmpty()) {
            Spoken utterance = new Spoken((double) start / rate, (double) end / rate, transcript);
            utterances.add(utterance);
            spoken.accept(utterance);
        }
    }

    private static int fill(SampleSource source, float[] window) throws IOException {
        int filled = 0;
        while (filled < window.length) {
            int read = source.read(window, filled, window.length - filled);
            if (read < 0) {
                break;
            }
            filled += read;
        }
        return filled;
    }
}
