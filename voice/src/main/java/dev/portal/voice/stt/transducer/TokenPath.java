package dev.portal.voice.stt.transducer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of an utterance so far, as a path from the root of a tree: the same tokens are the same object, so that two ways
 * to them meet.
 */
final class TokenPath {
    private final @Nullable TokenPath before;
    private final int token;
    private final int length;
    /** Of the search's grammar. */
    private final int state;

    private final Map<Integer, TokenPath> further = new HashMap<>();

    private TokenPath(@Nullable TokenPath before, int token, int state) {
        this.before = before;
        this.token = token;
        this.state = state;
        length = before == null ? 0 : before.length + 1;
    }

    /** No tokens. */
    static TokenPath root(int state) {
        return new TokenPath(null, Tokens.BLANK, state);
    }

    /** One token more, which leads to this state. */
    TokenPath then(int next, int nextState) {
        return further.computeIfAbsent(next, key -> new TokenPath(this, key, nextState));
    }

    int state() {
        return state;
    }

    int length() {
        return length;
    }

    /** So many last tokens, blanks in front of a shorter path. */
    List<Integer> last(int count) {
        List<Integer> last = new ArrayList<>(count);
        TokenPath at = this;
        for (int i = 0; i < count; i++) {
            last.add(at.token);
            at = at.before == null ? at : at.before;
        }
        Collections.reverse(last);
        return last;
    }

    /** All tokens. */
    long[] tokens() {
        long[] all = new long[length];
        TokenPath at = this;
        while (at.before != null) {
            all[at.length - 1] = at.token;
            at = at.before;
        }
        return all;
    }
}
