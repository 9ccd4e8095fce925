package dev.portal.voice.turn;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An utterance while the user speaks it. */
final class UserSpeech {
    /** One utterance's share of what a turn is about; the text is missing until recognition has ended. */
    static final class Part {
        final long turn;
        final long speechSamples;

        @Nullable
        String text;

        Part(long turn, long speechSamples) {
            this.turn = turn;
            this.speechSamples = speechSamples;
        }
    }

    private static final long NONE = -1;

    final long turn;
    /** The turn that it may interrupt; 0 for none. */
    final long interrupted;

    final long onsetSample;
    final long decidedSample;
    /** Utterances that were not answered yet when this one went on. */
    final List<Part> before = new ArrayList<>();

    int windowsOverThreshold;
    long speechSamples;
    boolean confirmed;
    String partial = "";
    private long endSample = NONE;

    UserSpeech(long turn, long interrupted, long onsetSample, long decidedSample) {
        this.turn = turn;
        this.interrupted = interrupted;
        this.onsetSample = onsetSample;
        this.decidedSample = decidedSample;
    }

    void wentOn() {
        endSample = NONE;
    }

    void ended(long atSample) {
        endSample = atSample;
    }

    /** Whether the silence after it, or its length, makes it a whole turn. */
    boolean complete(long nowSample, TurnOptions.Hearing options) {
        int silence = partial.isBlank() ? options.endWithoutWordsSamples() : options.endOfTurnSamples();
        return (endSample != NONE && nowSample - endSample >= silence)
                || nowSample - onsetSample >= options.maxUtteranceSamples();
    }

    /** How many words were understood so far. */
    int words() {
        return partial.isBlank() ? 0 : partial.strip().split("\\s+").length;
    }

    /** Everything that the turn is about, this utterance last. */
    List<Part> parts() {
        List<Part> parts = new ArrayList<>(before);
        parts.add(new Part(turn, speechSamples));
        return parts;
    }
}
