package dev.portal.voice.tts;

import dev.portal.voice.nativelib.Flite;
import java.lang.foreign.ValueLayout;

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
    private final PushedSpeech speech;

    /**
     * @param speed 1 is the voice's own, 2 twice as fast; 0.25 to 4
     */
    public FliteEngine(Flite flite, String voice, float speed) {
        this.flite = flite;
        this.name = "flite " + voice;
        this.speed = requireSpeed(speed);
        this.speech = new PushedSpeech(name, this::speak);
    }

    static float requireSpeed(float speed) {
        if (!(speed >= 0.25f && speed <= 4)) {
            throw new IllegalArgumentException("speed " + speed + " is not within 0.25 to 4");
        }
        return speed;
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
        return speech.prepare(text);
    }

    private boolean speak(String sentence, Utterance.PieceSink sink) {
        boolean[] wanted = {true};
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
        return wanted[0];
    }

    @Override
    public void close() {
        speech.close();
    }
}
