package dev.portal.voice.tts;

import dev.portal.scheduler.Inference;
import java.util.ArrayList;
import java.util.List;

/** Keeps the audio of an utterance. */
public final class Speech implements Utterance.PieceSink {
    private final List<Integer> pieceLengths = new ArrayList<>();
    private final List<Float> samples = new ArrayList<>();

    @Override
    public boolean accept(float[] piece, int offset, int length) {
        pieceLengths.add(length);
        for (int i = 0; i < length; i++) {
            samples.add(piece[offset + i]);
        }
        return true;
    }

    /** Prepares and speaks a text to its end. */
    public void speak(SpeechEngine engine, String text, Inference inference) {
        Utterance utterance = engine.prepare(text);
        utterance.encoder().ifPresent(inference::run);
        inference.run(utterance.decoder(this));
    }

    public List<Integer> pieceLengths() {
        return pieceLengths;
    }

    public float[] samples() {
        float[] all = new float[samples.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = samples.get(i);
        }
        return all;
    }

    public float peak() {
        float peak = 0;
        for (float sample : samples) {
            peak = Math.max(peak, Math.abs(sample));
        }
        return peak;
    }
}
