package dev.portal.emulator.hexagon;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The link to one incarnation of the DSP: its sessions, its contexts, what it said of itself. A restart makes another. */
final class Channel {
    private final boolean[] sessions;
    private final @Nullable CallContext[] contexts = new CallContext[256];
    private int last;
    boolean up = true;

    /** Capability words, once they were asked for; null before. */
    int @Nullable [] capabilities;

    Channel(int sessions) {
        this.sessions = new boolean[sessions];
    }

    /** A free context bank, or -1. */
    int takeSession() {
        for (int i = 0; i < sessions.length; i++) {
            if (!sessions[i]) {
                sessions[i] = true;
                return i;
            }
        }
        return -1;
    }

    void freeSession(int index) {
        sessions[index] = false;
    }

    /** A context id, 1 to 255, taken in turn; -1 when all are live. */
    int freeContext() {
        for (int i = 1; i < contexts.length; i++) {
            int id = (last + i - 1) % 255 + 1;
            if (contexts[id] == null) {
                last = id;
                return id;
            }
        }
        return -1;
    }

    void put(CallContext context) {
        contexts[context.id] = context;
    }

    void remove(CallContext context) {
        if (contexts[context.id] == context) {
            contexts[context.id] = null;
        }
    }

    boolean isLive(CallContext context) {
        return contexts[context.id] == context;
    }

    /** Every live context, for a restart. */
    List<CallContext> live() {
        List<CallContext> live = new ArrayList<>();
        for (CallContext context : contexts) {
            if (context != null) {
                live.add(context);
            }
        }
        return live;
    }
}
