package dev.portal.voice.turn;

import dev.portal.voice.arbitration.SpeechPriority;
import dev.portal.voice.arbitration.SpeechRequest;
import dev.portal.voice.arbitration.SpeechToken;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something on its way to being said: its sentences, the sound made of them, and how much of that was played. Dropping a
 * reply drops everything that was queued for it.
 */
final class Reply {
    /** What a sentence of unknown length is taken to last: about 14 characters a second. */
    private static final int SAMPLES_PER_CHARACTER = TurnOptions.SAMPLE_RATE_HZ / 14;

    private static final class Sentence {
        final String text;
        long madeSamples;
        long playedSamples;
        boolean made;

        Sentence(String text) {
            this.text = text;
        }
    }

    private record Piece(Sentence sentence, float[] samples) {}

    private final long turn;
    private final SpeechPriority priority;
    private final List<Sentence> sentences = new ArrayList<>();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private int pieceOffset;
    private int nextSentence;
    private boolean making;
    private boolean discarding;
    private boolean textComplete;
    private boolean sawPiece;
    private long bufferedSamples;
    private long playedSamples;
    private long startedSample;
    private @Nullable SpeechRequest request;
    private @Nullable SpeechToken token;

    Reply(long turn, SpeechPriority priority) {
        this.turn = turn;
        this.priority = priority;
    }

    long turn() {
        return turn;
    }

    SpeechPriority priority() {
        return priority;
    }

    boolean critical() {
        return priority == SpeechPriority.SYSTEM_CRITICAL;
    }

    void add(String sentence) {
        sentences.add(new Sentence(sentence));
    }

    /** No sentence follows. */
    void completeText() {
        textComplete = true;
    }

    String text() {
        return String.join(
                " ", sentences.stream().map(sentence -> sentence.text).toList());
    }

    void requested(SpeechRequest speechRequest) {
        request = speechRequest;
    }

    void granted(SpeechToken speechToken) {
        token = speechToken;
    }

    boolean holds(SpeechToken speechToken) {
        return token == speechToken;
    }

    /** Whether it may be heard now. */
    boolean mayPlay() {
        return token != null && token.isActive();
    }

    /** Gives the slot back, or the place in the queue. */
    void giveUpSlot() {
        if (request != null) {
            request.withdraw();
        }
    }

    /** The next sentence to make sound of, or -1 while one is being made, enough is waiting, or there is none. */
    int sentenceToMake(int lookaheadSamples) {
        boolean wanted = !making && nextSentence < sentences.size() && bufferedSamples < lookaheadSamples;
        return wanted ? nextSentence : -1;
    }

    /** Says that the next sentence is being made, and gives its text. */
    String makeNext() {
        making = true;
        return sentences.get(nextSentence++).text;
    }

    boolean making() {
        return making;
    }

    /** Whether this is so for the first time: there is sound. */
    boolean firstPiece() {
        boolean first = !sawPiece;
        sawPiece = true;
        return first;
    }

    /** Takes sound; false when it is left over from before a restart. */
    boolean accept(int sentence, float[] samples) {
        if (discarding) {
            return false;
        }
        Sentence owner = sentences.get(sentence);
        owner.madeSamples += samples.length;
        bufferedSamples += samples.length;
        pieces.add(new Piece(owner, samples));
        return true;
    }

    void sentenceEnded(int sentence) {
        making = false;
        if (discarding) {
            discarding = false;
        } else {
            sentences.get(sentence).made = true;
        }
    }

    /** From the first sentence again, the sound to be made anew. */
    void restart() {
        pieces.clear();
        pieceOffset = 0;
        bufferedSamples = 0;
        playedSamples = 0;
        nextSentence = 0;
        discarding = making;
        token = null;
        for (Sentence sentence : sentences) {
            sentence.madeSamples = 0;
            sentence.playedSamples = 0;
            sentence.made = false;
        }
    }

    /** Takes the next samples to play at this time; returns how many there were. */
    int pull(float[] into, long nowSample) {
        startedSample = playedSamples == 0 ? nowSample : startedSample;
        int count = 0;
        while (count < into.length && !pieces.isEmpty()) {
            Piece piece = pieces.getFirst();
            int some = Math.min(into.length - count, piece.samples.length - pieceOffset);
            System.arraycopy(piece.samples, pieceOffset, into, count, some);
            piece.sentence.playedSamples += some;
            count += some;
            pieceOffset += some;
            if (pieceOffset == piece.samples.length) {
                pieces.removeFirst();
                pieceOffset = 0;
            }
        }
        bufferedSamples -= count;
        playedSamples += count;
        return count;
    }

    /** When its first sample was played. */
    long startedSample() {
        return startedSample;
    }

    long playedSamples() {
        return playedSamples;
    }

    /** Whether everything was played. */
    boolean done() {
        return textComplete && !making && nextSentence == sentences.size() && pieces.isEmpty();
    }

    /** The words that were heard: whole sentences, and of the last one the words that fit into what was played of it. */
    String heardText() {
        List<String> heard = new ArrayList<>();
        for (Sentence sentence : sentences) {
            String words = heardOf(sentence);
            if (!words.isEmpty()) {
                heard.add(words);
            }
        }
        return String.join(" ", heard);
    }

    private static String heardOf(Sentence sentence) {
        if (sentence.made && sentence.playedSamples == sentence.madeSamples) {
            return sentence.text;
        }
        long expected = sentence.made
                ? sentence.madeSamples
                : Math.max(sentence.madeSamples, (long) sentence.text.length() * SAMPLES_PER_CHARACTER);
        long characters = expected == 0 ? 0 : sentence.text.length() * sentence.playedSamples / expected;
        int end = 0;
        for (int i = 0; i < characters; i++) {
            if (Character.isWhitespace(sentence.text.charAt(i))) {
                end = i;
            }
        }
        return sentence.text.substring(0, end).strip();
    }
}
