package dev.portal.llm.bridge;

import dev.portal.base.Clock;
import dev.portal.llm.Generation;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.ResumableModel;
import dev.portal.scheduler.Preemption;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A language model in a supervised child process.
 *
 * <p>One request at a time; a second is refused as busy, since queueing is the arbiter's work. Closing ends the child.
 */
public final class LlmBridge implements ResumableModel {
    private final ChildSupervisor supervisor;
    private final ChildCommand command;
    private final BridgeOptions options;
    private final Clock clock;
    /** Used with the supervisor's lock held. */
    private final HistoryTrimmer trimmer = new HistoryTrimmer();
    /** The request that has the child; written with the supervisor's lock held. */
    private volatile @Nullable BridgedGeneration current;

    /**
     * A bridge without a child: {@link #start()} starts one, and {@link #supervise()} looks after it.
     *
     * @param listener hears what happens, on whichever thread it happens; must not block
     */
    public LlmBridge(
            ChildProcess.Launcher launcher,
            ChildCommand command,
            BridgeOptions options,
            Clock clock,
            Consumer<BridgeEvent> listener) {
        this.command = command;
        this.options = options;
        this.clock = clock;
        this.supervisor = new ChildSupervisor(launcher, command, options, clock, listener);
        supervisor.attach(new Rider());
    }

    /** A bridge over a real process, started and supervised by a thread of its own. */
    public static LlmBridge open(
            ChildCommand command, BridgeOptions options, Clock clock, Consumer<BridgeEvent> listener) {
        LlmBridge bridge = new LlmBridge(OsChildProcess::launch, command, options, clock, listener);
        bridge.start();
        Thread.ofVirtual().name("llm-supervisor").start(bridge::supervise);
        return bridge;
    }

    /** Starts the child, or tries again after the supervisor gave up. Returns at once. */
    public void start() {
        supervisor.start();
    }

    /** Pings, restarts and watches deadlines until the bridge is closed. Needed once, for the times nobody waits. */
    public void supervise() {
        supervisor.await(() -> supervisor.state() == Lifecycle.State.CLOSED, Clock.NEVER);
    }

    /** Waits until the child is ready; says whether it is. Returns early when nothing will make it so. */
    public boolean awaitReady(Duration limit) {
        supervisor.await(() -> !mayBecomeReady() || ready(), clock.nanos() + limit.toNanos());
        return supervisor.query(this::ready);
    }

    @Override
    public String name() {
        return command.engine() + " " + command.model();
    }

    @Override
    public Reply generate(Request request, TokenSink tokens) {
        return start(request).run(tokens, Preemption.NEVER).orElseThrow();
    }

    @Override
    public Generation start(Request request) {
        BridgedGeneration fresh = new BridgedGeneration(this, request);
        supervisor.locked(() -> {
            BridgedGeneration other = current;
            if (other != null) {
                throw new LlmException(
                        Kind.BUSY,
                        "'" + other.id() + "' is being answered; cancel it, or submit '" + request.id()
                                + "' through the arbiter, which queues");
            }
            current = fresh;
        });
        return fresh;
    }

    @Override
    public void cancel(String id, String reason) {
        supervisor.locked(() -> {
            BridgedGeneration running = current;
            if (running != null && running.id().equals(id)) {
                running.cancelLocked(reason);
            }
        });
    }

    @Override
    public boolean generating() {
        return current != null;
    }

    @Override
    public void reset() {
        supervisor.locked(() -> {
            BridgedGeneration running = current;
            if (running != null) {
                throw new LlmException(Kind.BUSY, "no reset while '" + running.id() + "' is being answered");
            }
        });
        ask("reset", BridgeProtocol.object());
    }

    /** What the child does, asked of the child when there is one. */
    public LlmStatus status() {
        Lifecycle.State state = supervisor.query(supervisor::state);
        if (state != Lifecycle.State.READY) {
            return new LlmStatus(state.name().toLowerCase(Locale.ROOT), "", 0, 0);
        }
        JsonNode result = ask("status", BridgeProtocol.object());
        return new LlmStatus(
                BridgeProtocol.string(result, "state"),
                BridgeProtocol.string(result, "id"),
                BridgeProtocol.integer(result, "n_past", 0),
                BridgeProtocol.integer(result, "n_ctx", 0));
    }

    /** What the child said of itself; empty while none is ready. */
    public Optional<ChildInfo> child() {
        return Optional.ofNullable(supervisor.query(supervisor::info));
    }

    /** Ends the child: asks, then kills. A request in work fails. */
    @Override
    public void close() {
        supervisor.close();
    }

    ChildSupervisor supervisor() {
        return supervisor;
    }

    BridgeOptions options() {
        return options;
    }

    Clock clock() {
        return clock;
    }

    HistoryTrimmer trimmer() {
        return trimmer;
    }

    /** Locked. */
    boolean ready() {
        return supervisor.state() == Lifecycle.State.READY;
    }

    /** Locked. */
    boolean mayBecomeReady() {
        return switch (supervisor.state()) {
            case STARTING, READY, BACKING_OFF -> true;
            case NEW, GAVE_UP, CLOSING, CLOSED -> false;
        };
    }

    /** Locked. The generation is over; the child is free for the next. */
    void release(BridgedGeneration done) {
        if (current == done) {
            current = null;
        }
    }

    /** Sends a request and waits for its answer. */
    private JsonNode ask(String method, ObjectNode params) {
        AtomicReference<BridgeProtocol.@Nullable Message> answer = new AtomicReference<>();
        String id = supervisor.query(() -> {
            if (!ready()) {
                throw new LlmException(Kind.NOT_READY, "no '" + method + "': " + supervisor.whyNotReady());
            }
            String fresh = supervisor.freshId(method);
            supervisor.request(fresh, method, params, options.answerLimit(), answer::set);
            return fresh;
        });
        supervisor.await(() -> !supervisor.isPending(id), Clock.NEVER);
        return switch (answer.get()) {
            case BridgeProtocol.Message.Result result -> result.result();
            case BridgeProtocol.Message.Failure failure -> throw failure(method, failure);
            case null, default ->
                throw new LlmException(Kind.BACKEND, "the child was lost before it answered '" + method + "'");
        };
    }

    static LlmException failure(String what, BridgeProtocol.Message.Failure failure) {
        JsonNode geniex = failure.data().path("geniex_code");
        return new LlmException(
                Kind.of(failure.code()),
                "'" + what + "' failed in the child: " + failure.code() + " " + failure.message()
                        + (geniex.isInt() ? " (GenieX " + geniex.intValue() + ")" : ""));
    }

    /** Passes the supervisor's news on to the generation that has the child. */
    private final class Rider implements ChildSupervisor.Rider {
        @Override
        public void notified(String method, JsonNode params, long offset) throws ProtocolException {
            BridgedGeneration running = current;
            if (method.equals("token") && running != null) {
                running.token(params, offset);
            }
        }

        @Override
        public void lost(String why) {
            BridgedGeneration running = current;
            if (running != null) {
                running.lost(why);
            }
        }

        @Override
        public boolean busy() {
            return current != null;
        }

        @Override
        public long deadlineNanos() {
            BridgedGeneration running = current;
            return running == null ? Clock.NEVER : running.deadlineNanos();
        }

        @Override
        public void due(long nowNanos) {
            BridgedGeneration running = current;
            if (running != null) {
                running.due(nowNanos);
            }
        }
    }
}
