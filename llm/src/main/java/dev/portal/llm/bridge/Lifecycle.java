package dev.portal.llm.bridge;

import java.util.EnumMap;
import java.util.Map;

/**
 * The life of a supervised child as a table: state and event give the next state and what to do. A pair that is not in
 * the table is a defect and fails loudly. {@link #table()} prints it.
 */
final class Lifecycle {
    enum State {
        NEW,
        STARTING,
        READY,
        BACKING_OFF,
        GAVE_UP,
        CLOSING,
        CLOSED
    }

    enum Event {
        /** The owner wants a child. */
        START,
        /** The child answered the handshake. */
        ANSWERED,
        /** Exit, end of output, malformed line or missed deadline, with attempts left. */
        LOST,
        /** The same, with none left. */
        EXHAUSTED,
        /** The pause before the next attempt is over. */
        DUE,
        /** The owner closes. */
        CLOSE,
        /** The child has exited. */
        GONE
    }

    enum Action {
        NOTHING,
        SPAWN,
        ANNOUNCE,
        RETRY_LATER,
        GIVE_UP,
        SHUT_DOWN
    }

    record Transition(State next, Action action) {}

    private static final Map<State, Map<Event, Transition>> TABLE = new EnumMap<>(State.class);

    static {
        on(State.NEW, Event.START, State.STARTING, Action.SPAWN);
        on(State.NEW, Event.CLOSE, State.CLOSED, Action.NOTHING);
        on(State.STARTING, Event.ANSWERED, State.READY, Action.ANNOUNCE);
        on(State.STARTING, Event.LOST, State.BACKING_OFF, Action.RETRY_LATER);
        on(State.STARTING, Event.EXHAUSTED, State.GAVE_UP, Action.GIVE_UP);
        on(State.STARTING, Event.CLOSE, State.CLOSING, Action.SHUT_DOWN);
        on(State.READY, Event.LOST, State.BACKING_OFF, Action.RETRY_LATER);
        on(State.READY, Event.EXHAUSTED, State.GAVE_UP, Action.GIVE_UP);
        on(State.READY, Event.CLOSE, State.CLOSING, Action.SHUT_DOWN);
        on(State.BACKING_OFF, Event.DUE, State.STARTING, Action.SPAWN);
        on(State.BACKING_OFF, Event.CLOSE, State.CLOSED, Action.NOTHING);
        on(State.GAVE_UP, Event.START, State.STARTING, Action.SPAWN);
        on(State.GAVE_UP, Event.CLOSE, State.CLOSED, Action.NOTHING);
        on(State.CLOSING, Event.GONE, State.CLOSED, Action.NOTHING);
        on(State.CLOSING, Event.CLOSE, State.CLOSING, Action.NOTHING);
        on(State.CLOSED, Event.CLOSE, State.CLOSED, Action.NOTHING);
    }

    private State state = State.NEW;

    State state() {
        return state;
    }

    /** Moves on, and says what that asks for. */
    Action on(Event event) {
        Transition transition = TABLE.getOrDefault(state, Map.of()).get(event);
        if (transition == null) {
            throw new IllegalStateException("the child's life has no transition from " + state + " on " + event);
        }
        state = transition.next();
        return transition.action();
    }

    /** One line a transition: state, event, next state, action. */
    static String table() {
        StringBuilder text = new StringBuilder();
        TABLE.forEach((from, row) -> row.forEach((event, to) -> text.append(from)
                .append(" + ")
                .append(event)
                .append(" -> ")
                .append(to.next())
                .append(" / ")
                .append(to.action())
                .append('\n')));
        return text.toString();
    }

    private static void on(State from, Event event, State next, Action action) {
        TABLE.computeIfAbsent(from, state -> new EnumMap<>(Event.class)).put(event, new Transition(next, action));
    }
}
