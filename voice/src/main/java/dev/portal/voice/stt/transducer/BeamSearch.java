package dev.portal.voice.stt.transducer;

import dev.portal.voice.stt.grammar.SentenceAutomaton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the likeliest texts side by side, each going on with a blank or with a token, at most one a frame; all tokens may
 * come, or those with which a sentence of a grammar goes on. One thread at a time.
 */
final class BeamSearch {
    /** Without a grammar a token so much less likely than the likeliest (its logarithm) is not tried. */
    private static final float UNLIKELY = 12;

    /** Tokens that may come, and the grammar's states behind them. */
    private record Allowed(int[] tokens, int[] states) {}

    /** A text, and the logarithm of its probability over all ways to it. */
    record Scored(TokenPath path, double logProbability) {}

    private final Joint joint;
    private final Tokens vocabulary;
    private final @Nullable SentenceAutomaton grammar;
    private final int beam;
    private final Map<Integer, Allowed> allowed = new HashMap<>();
    private List<Scored> kept = List.of();

    /**
     * @param grammar that texts keep; null for none
     * @param beam how many texts are kept, 1 or more
     */
    BeamSearch(Joint joint, Tokens vocabulary, @Nullable SentenceAutomaton grammar, int beam) {
        this.joint = joint;
        this.vocabulary = vocabulary;
        this.grammar = grammar;
        this.beam = beam;
        start();
    }

    /** Starts a new utterance. */
    void start() {
        kept = List.of(new Scored(TokenPath.root(0), 0));
    }

    /** Takes the joint's present frame. */
    void frame() {
        Map<TokenPath, Double> next = new LinkedHashMap<>();
        for (Scored text : kept) {
            float[] likely = joint.logProbabilities(text.path);
            float least = grammar == null ? largest(likely) - UNLIKELY : Float.NEGATIVE_INFINITY;
            next.merge(text.path, text.logProbability + likely[Tokens.BLANK], BeamSearch::either);
            Allowed ways = allowed.computeIfAbsent(text.path.state(), this::allowedIn);
            for (int i = 0; i < ways.tokens.length; i++) {
                int token = ways.tokens[i];
                if (likely[token] >= least) {
                    TokenPath further = text.path.then(token, ways.states[i]);
                    next.merge(further, text.logProbability + likely[token], BeamSearch::either);
                }
            }
        }
        List<Scored> all = new ArrayList<>();
        next.forEach((path, logProbability) -> all.add(new Scored(path, logProbability)));
        all.sort(Comparator.comparingDouble(Scored::logProbability).reversed());
        kept = List.copyOf(all.subList(0, Math.min(beam, all.size())));
    }

    private static float largest(float[] values) {
        float largest = values[0];
        for (float value : values) {
            largest = Math.max(largest, value);
        }
        return largest;
    }

    private static double either(double a, double b) {
        return Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
    }

    private Allowed allowedIn(int state) {
        List<int[]> ways = new ArrayList<>();
        for (int token = 0; token < joint.vocabularySize(); token++) {
            int next = vocabulary.isSilent(token) ? SentenceAutomaton.NONE : after(state, token);
            if (next != SentenceAutomaton.NONE) {
                ways.add(new int[] {token, next});
            }
        }
        return new Allowed(
                ways.stream().mapToInt(way -> way[0]).toArray(),
                ways.stream().mapToInt(way -> way[1]).toArray());
    }

    private int after(int state, int token) {
        if (grammar == null) {
            return state;
        }
        String letters = vocabulary.letters(token);
        return letters.isEmpty() ? SentenceAutomaton.NONE : grammar.next(state, letters);
    }

    /** The likeliest text so far. */
    Scored best() {
        return kept.getFirst();
    }

    /** The likeliest text that is a whole sentence; null when none of those that were kept is. */
    @Nullable
    Scored whole() {
        for (Scored text : kept) {
            if (text.path.length() > 0 && (grammar == null || grammar.accepts(text.path.state()))) {
                return text;
            }
        }
        return null;
    }
}
