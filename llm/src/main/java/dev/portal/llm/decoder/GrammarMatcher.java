package dev.portal.llm.decoder;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How far an answer has come in a grammar: all the ways at once, each what is still to come. Tokens that are no whole
 * characters are not allowed. One answer, one thread.
 */
final class GrammarMatcher {
    /** What is to come: the rest of a sequence, then another frame. The first item is always a letter. */
    private record Frame(
            List<Grammar.Item> items, int at, @Nullable Frame then) {}

    private final Grammar grammar;
    private Set<Frame> ways;
    private boolean complete;

    GrammarMatcher(Grammar grammar) {
        this.grammar = grammar;
        ways = new LinkedHashSet<>();
        open(grammar.root(), null, ways);
        complete = finished(ways);
    }

    /** Whether the answer may end here. */
    boolean complete() {
        return complete;
    }

    /** Whether a token may come next; one that says nothing may not. */
    boolean allows(byte[] token) {
        String text = text(token);
        return text != null && !text.isEmpty() && !after(text).isEmpty();
    }

    /** Takes a token that is allowed. */
    void accept(byte[] token) {
        String text = text(token);
        if (text == null) {
            throw new IllegalArgumentException("a token that is no whole characters");
        }
        ways = after(text);
        complete = finished(ways);
    }

    private static @Nullable String text(byte[] token) {
        if (token.length > 0 && token[0] >= 0 && token.length == 1) {
            return String.valueOf((char) token[0]);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(token))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private Set<Frame> after(String text) {
        Set<Frame> now = ways;
        for (int i = 0; i < text.length() && !now.isEmpty(); ) {
            int point = text.codePointAt(i);
            Set<Frame> next = new LinkedHashSet<>();
            for (Frame frame : now) {
                if (frame.at < frame.items.size()
                        && frame.items.get(frame.at) instanceof Grammar.Letter letter
                        && letter.matches(point)) {
                    expand(frame.items, frame.at + 1, frame.then, next);
                }
            }
            now = next;
            i += Character.charCount(point);
        }
        return now;
    }

    /** An empty frame at the bottom says that nothing more is needed. */
    private static boolean finished(Set<Frame> frames) {
        return frames.stream().anyMatch(frame -> frame.at == frame.items.size());
    }

    private void open(int rule, @Nullable Frame then, Set<Frame> into) {
        for (List<Grammar.Item> sequence : grammar.alternatives(rule)) {
            expand(sequence, 0, then, into);
        }
    }

    private void expand(List<Grammar.Item> items, int at, @Nullable Frame then, Set<Frame> into) {
        if (at == items.size()) {
            if (then == null) {
                into.add(new Frame(List.of(), 0, null));
            } else {
                expand(then.items, then.at, then.then, into);
            }
            return;
        }
        switch (items.get(at)) {
            case Grammar.Letter letter -> into.add(new Frame(items, at, then));
            case Grammar.Rule(int index) ->
                open(index, at + 1 < items.size() ? new Frame(items, at + 1, then) : then, into);
        }
    }
}
