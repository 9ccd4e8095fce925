package dev.portal.voice.stt.grammar;

import dev.portal.voice.stt.grammar.Jsgf.Choice;
import dev.portal.voice.stt.grammar.Jsgf.Expansion;
import dev.portal.voice.stt.grammar.Jsgf.Reference;
import dev.portal.voice.stt.grammar.Jsgf.Repeated;
import dev.portal.voice.stt.grammar.Jsgf.Rules;
import dev.portal.voice.stt.grammar.Jsgf.Sequence;
import dev.portal.voice.stt.grammar.Jsgf.Word;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A grammar's sentences, letter by letter. A sentence is small letters, each word behind one blank, the first too:
 * {@code " go forward ten meters"}. A state says how far a text has come, in all the ways that it can be read.
 *
 * <p>States are made when they are first come to, and stay. One thread at a time.
 */
public final class SentenceAutomaton {
    /** No sentence begins so. */
    public static final int NONE = -1;

    /** Rules are written out wherever they are named; a grammar that needs more than this is a mistake. */
    private static final int MOST_PLACES = 1 << 20;

    /** Places between letters: from one, a letter leads to another, or several stand for it. */
    private final List<List<Integer>> equals = new ArrayList<>();

    private final StringBuilder letters = new StringBuilder();
    private final List<Integer> targets = new ArrayList<>();
    private final int end;

    private final Map<BitSet, Integer> states = new HashMap<>();
    private final List<BitSet> places = new ArrayList<>();
    private final List<Map<Character, Integer>> arcs = new ArrayList<>();
    private final String name;

    /** @throws IllegalArgumentException when it is no grammar, naming line or rule */
    public SentenceAutomaton(CommandGrammar grammar) {
        name = grammar.name();
        Rules rules = Jsgf.read(grammar);
        int first = place();
        end = write(rules.start(), first, rules, new ArrayDeque<>());
        BitSet beginning = new BitSet();
        beginning.set(first);
        var _ = state(beginning);
    }

    private int place() {
        if (letters.length() == MOST_PLACES) {
            throw new IllegalArgumentException("grammar " + name + " needs more than " + MOST_PLACES
                    + " places when its rules are written out; make it smaller");
        }
        equals.add(new ArrayList<>(1));
        letters.append('\0');
        targets.add(NONE);
        return letters.length() - 1;
    }

    private void join(int from, int to) {
        equals.get(from).add(to);
    }

    /** Writes an expansion from a place on; returns the place behind it. */
    private int write(Expansion expansion, int from, Rules rules, Deque<String> within) {
        return switch (expansion) {
            case Word(String word) -> {
                int at = from;
                for (char letter : (" " + word).toCharArray()) {
                    int own = place();
                    join(at, own);
                    int next = place();
                    letters.setCharAt(own, letter);
                    targets.set(own, next);
                    at = next;
                }
                yield at;
            }
            case Sequence(List<Expansion> parts) -> {
                int at = from;
                for (Expansion part : parts) {
                    at = write(part, at, rules, within);
                }
                yield at;
            }
            case Choice(List<Expansion> ways) -> {
                int behind = place();
                for (Expansion way : ways) {
                    join(write(way, from, rules, within), behind);
                }
                yield behind;
            }
            case Repeated(Expansion once) -> {
                int loop = place();
                join(from, loop);
                int behind = write(once, loop, rules, within);
                join(behind, loop);
                yield behind;
            }
            case Reference(String rule) -> {
                Expansion named = rules.rules().get(rule);
                if (named == null || within.contains(rule)) {
                    throw new IllegalArgumentException("grammar " + name + ": <" + rule + "> "
                            + (named == null ? "is not there" : "contains itself, which is not read"));
                }
                within.push(rule);
                int behind = write(named, from, rules, within);
                within.pop();
                yield behind;
            }
        };
    }

    /** The state of a set of places and all that stand for them. */
    private int state(BitSet set) {
        Deque<Integer> open = new ArrayDeque<>();
        set.stream().forEach(open::push);
        while (!open.isEmpty()) {
            for (int same : equals.get(open.pop())) {
                if (!set.get(same)) {
                    set.set(same);
                    open.push(same);
                }
            }
        }
        return states.computeIfAbsent(set, fresh -> {
            places.add(fresh);
            arcs.add(new HashMap<>());
            return places.size() - 1;
        });
    }

    /** Before the first letter. */
    public int start() {
        return 0;
    }

    /** Whether a sentence may end here. */
    public boolean accepts(int state) {
        return places.get(state).get(end);
    }

    /**
     * The state behind a text.
     *
     * @param text letters, and a blank before each word
     * @return {@link #NONE} when no sentence goes on so
     */
    public int next(int state, String text) {
        int at = state;
        for (int i = 0; i < text.length() && at != NONE; i++) {
            char letter = text.charAt(i);
            Integer known = arcs.get(at).get(letter);
            if (known == null) {
                known = after(at, letter);
                arcs.get(at).put(letter, known);
            }
            at = known;
        }
        return at;
    }

    private int after(int state, char letter) {
        BitSet set = new BitSet();
        places.get(state).stream()
                .filter(place -> letters.charAt(place) == letter)
                .forEach(place -> set.set(targets.get(place)));
        return set.isEmpty() ? NONE : state(set);
    }
}
