package dev.portal.llm.bridge;

import dev.portal.base.Agent;
import dev.portal.base.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps a child alive: starts it, shakes hands, pings it when idle, notices every way in which it can be lost, and
 * restarts it with growing pauses until it gives up.
 *
 * <p>One lock guards the state and nothing blocks under it. {@link #doWork()} does what is due; a runner thread calls
 * it, and so does everybody who waits in {@link #await}. Package-private methods marked "locked" are called with the
 * lock held.
 */
final class ChildSupervisor implements Agent {
    private static final int ERROR_TAIL_LINES = 20;
    private static final Duration EXIT_AFTER_END_OF_OUTPUT = Duration.ofMillis(500);

    /** What rides on a supervised child. All methods are called locked. */
    interface Rider {
        /** A notification that is not the supervisor's own. */
        void notified(String method, JsonNode params, long offset) throws ProtocolException;

        /** The child is lost, or closed; nothing more comes of it. */
        void lost(String why);

        /** Whether the child works on something; an idle child is pinged. */
        boolean busy();

        /** The rider's next deadline. */
        long deadlineNanos();

        /** Does what of the rider's is due. */
        void due(long nowNanos);
    }

    /** Takes the answer to a request: a result, or a failure. Called locked; not called when the child is lost. */
    @FunctionalInterface
    interface Answer {
        void answered(BridgeProtocol.Message answer) throws ProtocolException;
    }

    private record Pending(String method, long deadlineNanos, Answer answer) {}

    private final ChildProcess.Launcher launcher;
    private final ChildCommand command;
    private final BridgeOptions options;
    private final Clock clock;
    private final Consumer<BridgeEvent> listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Lifecycle life = new Lifecycle();
    private final ArrayDeque<BridgeEvent> unreported = new ArrayDeque<>();
    private final Set<Thread> waiting = new HashSet<>();
    private final ArrayDeque<Long> failuresAtNanos = new ArrayDeque<>();
    private final Map<String, Pending> pending = new HashMap<>();
    private final ErrorLines errors;
    private @Nullable Rider rider;
    private @Nullable Session session;
    /** Killed, and not yet gone; the next child waits for it, so that there are never two. */
    private @Nullable Session dying;

    private @Nullable ChildInfo info;
    private String lastLoss = "";
    private long requests;
    private long retryAtNanos = Clock.NEVER;
    private long pingAtNanos = Clock.NEVER;
    private long shutdownAtNanos = Clock.NEVER;

    ChildSupervisor(
            ChildProcess.Launcher launcher,
            ChildCommand command,
            BridgeOptions options,
            Clock clock,
            Consumer<BridgeEvent> listener) {
        this.launcher = launcher;
        this.command = command;
        this.options = options;
        this.clock = clock;
        this.listener = listener;
        this.errors = new ErrorLines(options.errorLinesPerSecond(), ERROR_TAIL_LINES);
    }

    void attach(Rider newRider) {
        rider = newRider;
    }

    @Override
    public String name() {
        return "llm-supervisor";
    }

    /** Starts the first child, or tries again after giving up. */
    void start() {
        locked(() -> {
            failuresAtNanos.clear();
            act(life.on(Lifecycle.Event.START));
        });
    }

    /** Runs {@code work} with the lock held, then reports and wakes. */
    void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            release();
        }
    }

    private void release() {
        List<BridgeEvent> events = List.copyOf(unreported);
        unreported.clear();
        List<Thread> threads = List.copyOf(waiting);
        lock.unlock();
        events.forEach(listener);
        threads.forEach(clock::unpark);
    }

    /** Asks for something with the lock held. */
    <T extends @Nullable Object> T query(Supplier<T> question) {
        lock.lock();
        try {
            return question.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int doWork() {
        if (deadlineNanos() > clock.nanos()) {
            return 0;
        }
        locked(() -> due(clock.nanos()));
        return 1;
    }

    /** When {@link #doWork()} has something to do next. */
    long deadlineNanos() {
        return query(this::nextDeadlineNanos);
    }

    private record Look(boolean done, long nextNanos) {}

    /**
     * Works and waits until {@code done}, which is asked with the lock held, or until {@code untilNanos}.
     *
     * @return whether {@code done}
     */
    boolean await(BooleanSupplier done, long untilNanos) {
        Thread self = Thread.currentThread();
        query(() -> waiting.add(self));
        try {
            while (true) {
                doWork();
                Look look = query(() -> new Look(done.getAsBoolean(), Math.min(untilNanos, nextDeadlineNanos())));
                if (look.done() || clock.nanos() >= untilNanos) {
                    return look.done();
                }
                clock.parkUntil(look.nextNanos());
            }
        } finally {
            query(() -> waiting.remove(self));
        }
    }

    /** Locked. */
    Lifecycle.State state() {
        return life.state();
    }

    /** Locked. What the child said of itself; null while there is none that is ready. */
    @Nullable
    ChildInfo info() {
        return info;
    }

    /** Locked. Why there is no child, in words that say what to do. */
    String whyNotReady() {
        return switch (life.state()) {
            case NEW -> "it was not started";
            case STARTING -> "it is still loading";
            case READY -> "it is ready";
            case BACKING_OFF -> "it is restarted in " + millis(retryAtNanos - clock.nanos()) + " ms after: " + lastLoss;
            case GAVE_UP ->
                "it failed " + options.failureLimit() + " times in "
                        + options.failureWindow().toMinutes() + " min and is not restarted; last: " + lastLoss;
            case CLOSING, CLOSED -> "it is closed";
        };
    }

    /** Locked. An id that the caller of no request uses. */
    String freshId(String method) {
        return "~" + method + "-" + ++requests;
    }

    /** Locked. Sends a request; a child that does not answer within {@code limit} is lost. */
    void request(String id, String method, ObjectNode params, @Nullable Duration limit, Answer answer) {
        byte[] line = BridgeProtocol.request(id, method, params);
        long deadline = limit == null ? Clock.NEVER : clock.nanos() + limit.toNanos();
        pending.put(id, new Pending(method, deadline, answer));
        transmit(line);
    }

    /** Locked. Whether the request with this id waits for its answer; false once the child is lost. */
    boolean isPending(String id) {
        return pending.containsKey(id);
    }

    /** Locked. */
    void tell(String method, ObjectNode params) {
        transmit(BridgeProtocol.notification(method, params));
    }

    /** Locked. */
    void report(BridgeEvent event) {
        unreported.add(event);
    }

    /** Locked. Takes the child as lost: kills it, and restarts or gives up. */
    void lose(String why) {
        Session lostSession = session;
        if (lostSession == null) {
            return;
        }
        if (life.state() == Lifecycle.State.CLOSING) {
            lostSession.process().kill();
            return;
        }
        session = null;
        info = null;
        pending.clear();
        pingAtNanos = Clock.NEVER;
        if (!lostSession.exited) {
            lostSession.process().kill();
            dying = lostSession;
        }
        lastLoss = why + errors.tail();
        long now = clock.nanos();
        while (!failuresAtNanos.isEmpty()
                && failuresAtNanos.peekFirst() <= now - options.failureWindow().toNanos()) {
            failuresAtNanos.removeFirst();
        }
        failuresAtNanos.addLast(now);
        report(new BridgeEvent.Lost(lastLoss, failuresAtNanos.size()));
        boolean exhausted = failuresAtNanos.size() >= options.failureLimit();
        act(life.on(exhausted ? Lifecycle.Event.EXHAUSTED : Lifecycle.Event.LOST));
        riderLost(lastLoss);
    }

    /** Asks the child to exit, and sees to it. Returns when it has gone. */
    void close() {
        locked(() -> {
            Session open = session;
            act(life.on(Lifecycle.Event.CLOSE));
            if (open != null) {
                riderLost("closed");
            }
        });
        long limit = clock.nanos() + 2 * options.shutdownLimit().toNanos();
        await(() -> life.state() == Lifecycle.State.CLOSED && dying == null, limit);
    }

    private void riderLost(String why) {
        if (rider != null) {
            rider.lost(why);
        }
    }

    private void act(Lifecycle.Action action) {
        switch (action) {
            case NOTHING -> retryAtNanos = Clock.NEVER;
            case SPAWN -> spawn();
            case ANNOUNCE -> pingAtNanos = clock.nanos() + options.pingEvery().toNanos();
            case RETRY_LATER -> {
                long pause = options.backoff(failuresAtNanos.size()).toNanos();
                retryAtNanos = clock.nanos() + pause;
                report(new BridgeEvent.RetryLater(pause / 1000));
            }
            case GIVE_UP -> report(new BridgeEvent.GaveUp(whyNotReady()));
            case SHUT_DOWN -> shutDown();
        }
    }

    private void spawn() {
        retryAtNanos = Clock.NEVER;
        if (dying != null) {
            // Goes on when that one has gone.
            return;
        }
        Session fresh = new Session(clock.nanos());
        session = fresh;
        try {
            fresh.process = launcher.launch(command, fresh);
        } catch (IOException e) {
            fresh.exited = true;
            lose("the language model's child cannot be started: " + e.getMessage());
            return;
        }
        report(new BridgeEvent.Started(fresh.process().pid(), command.engine()));
        ObjectNode params = BridgeProtocol.object();
        params.put("protocol", BridgeProtocol.VERSION)
                .put("model", command.model())
                .put("n_ctx", options.contextTokens())
                .put("device", "")
                .put("runtime", command.engine());
        request(freshId("initialize"), "initialize", params, options.handshakeLimit(), this::shookHands);
    }

    private void shookHands(BridgeProtocol.Message answer) throws ProtocolException {
        switch (answer) {
            case BridgeProtocol.Message.Result(String id, JsonNode result) -> {
                int protocol = BridgeProtocol.integer(result, "protocol", 0);
                if (protocol != BridgeProtocol.VERSION) {
                    lose("the child speaks protocol " + protocol + ", not " + BridgeProtocol.VERSION);
                    return;
                }
                JsonNode can = result.path("capabilities");
                ChildInfo ready = new ChildInfo(
                        BridgeProtocol.string(result, "model"),
                        BridgeProtocol.integer(result, "n_ctx", options.contextTokens()),
                        BridgeProtocol.integer(result, "pid", 0),
                        can.path("cancel").asBoolean(false),
                        can.path("pause").asBoolean(false));
                info = ready;
                Session current = session;
                long tookNanos = current == null ? 0 : clock.nanos() - current.startedNanos;
                report(new BridgeEvent.Ready(ready, tookNanos / 1000));
                act(life.on(Lifecycle.Event.ANSWERED));
            }
            case BridgeProtocol.Message.Failure failure ->
                lose("the child refused the handshake: " + failure.code() + " " + failure.message());
            default -> throw new AssertionError("not an answer: " + answer);
        }
    }

    private void shutDown() {
        shutdownAtNanos = clock.nanos() + options.shutdownLimit().toNanos();
        info = null;
        pending.clear();
        transmit(BridgeProtocol.request(freshId("shutdown"), "shutdown", BridgeProtocol.object()));
        if (session != null) {
            session.process().closeInput();
        }
    }

    private void transmit(byte[] line) {
        if (session != null && !session.process().send(line)) {
            // Its end is told by outputEnded and exited; a child that lives and does not read is lost at a deadline.
            report(new BridgeEvent.Log("warn", "a line to the child was not taken"));
        }
    }

    private long nextDeadlineNanos() {
        long next = Math.min(Math.min(pingAtNanos, shutdownAtNanos), retryAtNanos);
        for (Pending request : pending.values()) {
            next = Math.min(next, request.deadlineNanos());
        }
        if (session != null) {
            next = Math.min(next, session.endsAtNanos);
        }
        return rider == null ? next : Math.min(next, rider.deadlineNanos());
    }

    private void due(long now) {
        if (session != null && session.endsAtNanos <= now) {
            session.endsAtNanos = Clock.NEVER;
            lose("the child closed its output and did not exit");
        }
        for (Iterator<Pending> each = pending.values().iterator(); each.hasNext(); ) {
            Pending request = each.next();
            if (request.deadlineNanos() <= now) {
                lose("the child did not answer '" + request.method() + "' in time");
                break;
            }
        }
        if (rider != null && rider.deadlineNanos() <= now) {
            rider.due(now);
        }
        if (pingAtNanos <= now) {
            ping(now);
        }
        if (retryAtNanos <= now) {
            act(life.on(Lifecycle.Event.DUE));
        }
        if (shutdownAtNanos <= now) {
            shutdownAtNanos = Clock.NEVER;
            if (session != null) {
                session.process().kill();
            }
        }
        report(errors.dropped());
    }

    private void report(long droppedLines) {
        if (droppedLines > 0) {
            report(new BridgeEvent.ErrorLinesDropped(droppedLines));
        }
    }

    private void ping(long now) {
        pingAtNanos = now + options.pingEvery().toNanos();
        boolean idle = pending.isEmpty() && (rider == null || !rider.busy());
        if (idle) {
            request(freshId("ping"), "ping", BridgeProtocol.object(), options.answerLimit(), answer -> {});
        }
    }

    private void handle(LineSplitter.Line line) throws ProtocolException {
        if (line.bytes().length == 0) {
            return;
        }
        switch (BridgeProtocol.parse(line.bytes(), line.offset())) {
            case BridgeProtocol.Message.Result result -> answered(result.id(), result);
            case BridgeProtocol.Message.Failure failure -> {
                String id = failure.id();
                if (id == null) {
                    throw new ProtocolException(
                            line.offset(), "the child could not read a request: " + failure.message());
                }
                answered(id, failure);
            }
            case BridgeProtocol.Message.Notification(String method, JsonNode params) -> {
                if (method.equals("log")) {
                    report(new BridgeEvent.Log(
                            BridgeProtocol.string(params, "level"), BridgeProtocol.string(params, "message")));
                } else if (rider != null) {
                    rider.notified(method, params, line.offset());
                }
            }
            case BridgeProtocol.Message.Request request ->
                throw new ProtocolException(line.offset(), "the child asked for '" + request.method() + "'");
        }
    }

    private void answered(String id, BridgeProtocol.Message answer) throws ProtocolException {
        Pending request = pending.remove(id);
        if (request != null) {
            request.answer().answered(answer);
        }
    }

    private static long millis(long nanos) {
        return Math.max(0, nanos / 1_000_000);
    }

    /** One child and what comes from it. What comes from a child that was given up already is dropped. */
    private final class Session implements ChildProcess.Events {
        private final LineSplitter lines = new LineSplitter(BridgeProtocol.MAX_LINE_BYTES);
        private final long startedNanos;
        private @Nullable ChildProcess process;
        private boolean exited;
        private long endsAtNanos = Clock.NEVER;

        Session(long startedNanos) {
            this.startedNanos = startedNanos;
        }

        ChildProcess process() {
            if (process == null) {
                throw new AssertionError("the child is used before its launch returned");
            }
            return process;
        }

        @Override
        public void output(byte[] bytes, int count) {
            locked(() -> {
                if (session != this) {
                    return;
                }
                try {
                    lines.feed(bytes, count, line -> {
                        if (session == this) {
                            handle(line);
                        }
                    });
                } catch (ProtocolException e) {
                    lose("the child broke the protocol: " + e.getMessage());
                }
            });
        }

        @Override
        public void errorLine(String line) {
            locked(() -> {
                if (errors.take(line, clock.nanos())) {
                    report(new BridgeEvent.ErrorLine(line));
                }
            });
        }

        @Override
        public void outputEnded() {
            locked(() -> endsAtNanos = clock.nanos() + EXIT_AFTER_END_OF_OUTPUT.toNanos());
        }

        @Override
        public void exited(int status) {
            locked(() -> {
                exited = true;
                if (dying == this) {
                    dying = null;
                    if (session == null && life.state() == Lifecycle.State.STARTING) {
                        spawn();
                    } else if (session == null && life.state() == Lifecycle.State.CLOSING) {
                        act(life.on(Lifecycle.Event.GONE));
                    }
                } else if (session == this && life.state() == Lifecycle.State.CLOSING) {
                    session = null;
                    shutdownAtNanos = Clock.NEVER;
                    act(life.on(Lifecycle.Event.GONE));
                } else if (session == this) {
                    lose("the child exited with status " + status);
                }
            });
        }
    }
}
