package dev.portal.llm.bridge;

import dev.portal.base.Clock;
import dev.portal.llm.Generation;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Timings;
import dev.portal.llm.LanguageModel.TokenSink;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.scheduler.Preemption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request at the child. Lines put tokens into a bounded queue; the consumer takes them out on its own thread. All
 * fields are guarded by the supervisor's lock.
 */
final class BridgedGeneration implements Generation {
    /** How often a waiting consumer looks at the preempt flag. */
    private static final long LOOK_NANOS = 1_000_000;

    private enum Phase {
        /** Not sent yet. */
        NEW,
        RUNNING,
        /** Asked to pause, not yet obeyed. */
        PAUSING,
        PAUSED,
        /** Interrupted, but the child cannot pause: it goes on into the queue. */
        UNATTENDED,
        CANCELLING,
        DONE
    }

    private final LlmBridge bridge;
    private final ChildSupervisor supervisor;
    private final Clock clock;
    private final Request request;
    private final ArrayDeque<String> waiting = new ArrayDeque<>();
    private final StringBuilder delivered = new StringBuilder();
    private final List<Message> dropped = new ArrayList<>();
    private Phase phase = Phase.NEW;
    /** What is sent: the request's messages without those dropped. */
    private List<Message> messages;
    /** The id at the child: the request's, with a number from the second attempt on, since ids are never used twice. */
    private String wireId;

    private int attempts;
    private int received;
    private int taken;
    private long stalledAtNanos = Clock.NEVER;
    private long cancelledAtNanos;
    private long obeyByNanos = Clock.NEVER;
    private String cancelReason = "";
    private @Nullable Reply reply;
    private @Nullable LlmException failure;

    BridgedGeneration(LlmBridge bridge, Request request) {
        this.bridge = bridge;
        this.supervisor = bridge.supervisor();
        this.clock = bridge.clock();
        this.request = request;
        this.messages = request.messages();
        this.wireId = request.id();
    }

    String id() {
        return request.id();
    }

    @Override
    public Optional<Reply> run(TokenSink tokens, Preemption preemption) {
        try {
            begin();
            return go(tokens, preemption);
        } catch (RuntimeException | Error e) {
            // When the consumer failed, nobody wants the rest, and the child must be free again.
            cancel("the consumer failed: " + e);
            supervisor.await(() -> phase == Phase.DONE, Clock.NEVER);
            throw e;
        }
    }

    @Override
    public void cancel(String reason) {
        supervisor.locked(() -> cancelLocked(reason));
    }

    private void begin() {
        long limit = clock.nanos() + bridge.options().readyWait().toNanos();
        supervisor.await(() -> phase != Phase.NEW || bridge.ready() || !bridge.mayBecomeReady(), limit);
        supervisor.locked(() -> {
            switch (phase) {
                case NEW -> {
                    if (bridge.ready()) {
                        fitAndSend();
                    } else {
                        fail(Kind.NOT_READY, "'" + id() + "' was not asked: " + supervisor.whyNotReady());
                    }
                }
                case PAUSED -> resume();
                case UNATTENDED -> running();
                case RUNNING, PAUSING, CANCELLING, DONE -> {}
            }
        });
    }

    private Optional<Reply> go(TokenSink tokens, Preemption preemption) {
        boolean progressed = false;
        while (true) {
            long until = preemption.equals(Preemption.NEVER) ? Clock.NEVER : clock.nanos() + LOOK_NANOS;
            supervisor.await(() -> !waiting.isEmpty() || over(), until);
            Taken next = take();
            if (next.text() != null) {
                tokens.token(next.sequence(), next.text());
                progressed = true;
            } else if (next.over()) {
                return Optional.of(outcome());
            } else if (next.paused()) {
                return Optional.empty();
            }
            if (progressed && preemption.requested()) {
                supervisor.locked(this::pause);
            }
        }
    }

    private boolean over() {
        return phase == Phase.DONE || phase == Phase.PAUSED || phase == Phase.UNATTENDED;
    }

    private record Taken(int sequence, @Nullable String text, boolean over, boolean paused) {}

    private Taken take() {
        Taken[] result = new Taken[1];
        supervisor.locked(() -> {
            String text = waiting.poll();
            if (text != null) {
                delivered.append(text);
            }
            int sequence = text == null ? taken : taken++;
            boolean paused = phase == Phase.PAUSED || phase == Phase.UNATTENDED;
            result[0] = new Taken(sequence, text, phase == Phase.DONE, paused);
        });
        return result[0];
    }

    private Reply outcome() {
        LlmException failed = failure;
        if (failed != null) {
            throw failed;
        }
        Reply done = reply;
        if (done == null) {
            throw new AssertionError("over without an outcome");
        }
        // The text is what the consumer was given.
        return new Reply(
                delivered.toString(),
                done.finish(),
                done.promptTokens(),
                done.completionTokens(),
                done.timings(),
                dropped);
    }

    private int promptBudget() {
        ChildInfo info = supervisor.info();
        int context = info == null ? bridge.options().contextTokens() : info.contextTokens();
        return Math.max(0, context - request.maxTokens());
    }

    private void fitAndSend() {
        use(bridge.trimmer().fit(messages, promptBudget()));
        send();
    }

    /** The prompt was too long: says whether a shorter one was sent. */
    private boolean sentShorter(JsonNode refusal) {
        int counted = BridgeProtocol.integer(refusal, "prompt_tokens", 0);
        bridge.trimmer().learn(messages, counted);
        HistoryTrimmer.Fit shorter = bridge.trimmer().cut(messages, promptBudget());
        if (shorter.dropped().isEmpty()) {
            return false;
        }
        use(shorter);
        send();
        return true;
    }

    private void use(HistoryTrimmer.Fit fit) {
        messages = fit.kept();
        if (!fit.dropped().isEmpty()) {
            dropped.addAll(fit.dropped());
            supervisor.report(new BridgeEvent.Trimmed(id(), fit.dropped()));
        }
    }

    private void send() {
        attempts++;
        wireId = attempts == 1 ? id() : id() + "~" + attempts;
        ObjectNode params = BridgeProtocol.object();
        ArrayNode list = params.putArray("messages");
        for (Message message : messages) {
            list.addObject()
                    .put("role", message.role().name().toLowerCase(Locale.ROOT))
                    .put("content", message.text());
        }
        params.put("max_tokens", request.maxTokens())
                .put("temperature", request.temperature())
                .put("top_p", request.topP())
                .put("top_k", request.topK())
                .put("seed", request.seed())
                .put("stream", true);
        ArrayNode stop = params.putArray("stop");
        request.stop().forEach(stop::add);
        supervisor.request(wireId, "generate", params, null, this::answered);
        running();
    }

    private void running() {
        phase = Phase.RUNNING;
        stalledAtNanos = clock.nanos() + bridge.options().stallLimit().toNanos();
    }

    private void pause() {
        if (phase != Phase.RUNNING) {
            return;
        }
        ChildInfo info = supervisor.info();
        if (info == null || !info.pause()) {
            phase = Phase.UNATTENDED;
            return;
        }
        phase = Phase.PAUSING;
        ObjectNode params = BridgeProtocol.object().put("id", wireId);
        supervisor.request(
                supervisor.freshId("pause"), "pause", params, bridge.options().answerLimit(), answer -> {
                    if (phase != Phase.PAUSING) {
                        return;
                    }
                    if (answer instanceof BridgeProtocol.Message.Result) {
                        phase = Phase.PAUSED;
                        stalledAtNanos = Clock.NEVER;
                    } else {
                        // It was done before it heard of the pause; the answer is on its way.
                        running();
                    }
                });
    }

    private void resume() {
        running();
        ObjectNode params = BridgeProtocol.object().put("id", wireId);
        supervisor.request(
                supervisor.freshId("resume"), "resume", params, bridge.options().answerLimit(), answer -> {
                    if (answer instanceof BridgeProtocol.Message.Failure refused) {
                        supervisor.lose("the child does not resume '" + id() + "': " + refused.message());
                    }
                });
    }

    /** Locked. */
    void cancelLocked(String reason) {
        switch (phase) {
            case NEW -> {
                cancelReason = reason;
                finish(new Reply("", FinishReason.CANCELLED, 0, 0, null));
            }
            case RUNNING, PAUSING, PAUSED, UNATTENDED -> {
                phase = Phase.CANCELLING;
                cancelReason = reason;
                waiting.clear();
                stalledAtNanos = Clock.NEVER;
                cancelledAtNanos = clock.nanos();
                obeyByNanos = cancelledAtNanos + bridge.options().cancelLimit().toNanos();
                supervisor.tell(
                        "cancel", BridgeProtocol.object().put("id", wireId).put("reason", reason));
            }
            case CANCELLING, DONE -> {}
        }
    }

    /** Locked. */
    void token(JsonNode params, long offset) throws ProtocolException {
        if (!BridgeProtocol.string(params, "id").equals(wireId) || phase == Phase.CANCELLING) {
            return;
        }
        int sequence = BridgeProtocol.integer(params, "seq", -1);
        JsonNode text = params.path("text");
        if (sequence != received || !text.isString()) {
            throw new ProtocolException(
                    offset, "token " + sequence + " of '" + id() + "' came, token " + received + " was expected");
        }
        received++;
        int limit = phase == Phase.UNATTENDED
                ? Math.max(request.maxTokens(), bridge.options().queueTokens())
                : bridge.options().queueTokens();
        if (waiting.size() >= limit) {
            supervisor.report(new BridgeEvent.SlowConsumer(id(), waiting.size()));
            cancelLocked("the consumer is too slow");
            return;
        }
        waiting.add(text.stringValue());
        if (stalledAtNanos != Clock.NEVER) {
            stalledAtNanos = clock.nanos() + bridge.options().stallLimit().toNanos();
        }
    }

    private void answered(BridgeProtocol.Message answer) {
        switch (answer) {
            case BridgeProtocol.Message.Result(String id, JsonNode result) -> {
                if (received == 0 && phase != Phase.CANCELLING) {
                    String whole = BridgeProtocol.string(result, "text");
                    if (!whole.isEmpty()) {
                        waiting.add(whole);
                    }
                }
                FinishReason finish = phase == Phase.CANCELLING
                        ? FinishReason.CANCELLED
                        : BridgeProtocol.string(result, "finish_reason").equals("length")
                                ? FinishReason.LENGTH
                                : FinishReason.STOP;
                finish(reply(finish, result));
            }
            case BridgeProtocol.Message.Failure refused
            when refused.code() == BridgeProtocol.CANCELLED -> finish(reply(FinishReason.CANCELLED, refused.data()));
            case BridgeProtocol.Message.Failure refused
            when refused.code() == Kind.PROMPT_TOO_LONG.code()
                    && phase == Phase.RUNNING
                    && sentShorter(refused.data()) -> {}
            case BridgeProtocol.Message.Failure refused -> {
                failure = LlmBridge.failure(id(), refused);
                finish(null);
            }
            default -> throw new AssertionError("not an answer: " + answer);
        }
    }

    private Reply reply(FinishReason finish, JsonNode answer) {
        JsonNode usage = answer.path("usage");
        JsonNode timings = answer.path("timings_us");
        int promptTokens = BridgeProtocol.integer(usage, "prompt_tokens", 0);
        bridge.trimmer().learn(messages, promptTokens);
        return new Reply(
                "",
                finish,
                promptTokens,
                BridgeProtocol.integer(usage, "completion_tokens", received),
                timings.isObject()
                        ? new Timings(
                                timings.path("ttft").asLong(0),
                                timings.path("prompt").asLong(0),
                                timings.path("decode").asLong(0))
                        : null);
    }

    /** Locked. The child is gone; what was asked of it is not asked again. */
    void lost(String why) {
        if (phase == Phase.CANCELLING) {
            finish(new Reply("", FinishReason.CANCELLED, 0, received, null));
        } else if (phase != Phase.NEW) {
            fail(Kind.BACKEND, "'" + id() + "' was lost after " + received + " tokens: " + why);
        }
    }

    /** Locked. */
    long deadlineNanos() {
        return Math.min(stalledAtNanos, obeyByNanos);
    }

    /** Locked. */
    void due(long nowNanos) {
        if (obeyByNanos <= nowNanos) {
            obeyByNanos = Clock.NEVER;
            supervisor.lose("the child did not obey the cancel of '" + id() + "' within "
                    + bridge.options().cancelLimit().toMillis() + " ms");
        } else if (stalledAtNanos <= nowNanos) {
            stalledAtNanos = Clock.NEVER;
            supervisor.lose("the child made no token of '" + id() + "' for "
                    + bridge.options().stallLimit().toSeconds() + " s");
        }
    }

    private void fail(Kind kind, String message) {
        failure = new LlmException(kind, message);
        finish(null);
    }

    private void finish(@Nullable Reply done) {
        if (phase == Phase.CANCELLING) {
            supervisor.report(new BridgeEvent.Cancelled(id(), cancelReason, (clock.nanos() - cancelledAtNanos) / 1000));
        }
        phase = Phase.DONE;
        stalledAtNanos = Clock.NEVER;
        obeyByNanos = Clock.NEVER;
        if (failure == null) {
            reply = done;
        }
        bridge.release(this);
    }
}
