package dev.portal.llm.bridge;

import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LlmException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The child's half of the bridge protocol over an {@link Engine}. The thread that calls {@link #serve} reads requests,
 * so that cancel, pause and status are answered while a thread of the server's own generates.
 */
public final class ChildServer {
    /** A model that this server puts on the wire. Called by one thread. */
    public interface Engine {
        /** Loads the model. */
        Loaded load(String model, int contextTokens) throws ChildException;

        /** Answers; looks at {@code control} at each token. */
        Answer generate(Ask ask, Control control) throws ChildException;

        /** Drops the KV cache. */
        void reset() throws ChildException;
    }

    /**
     * What an engine has loaded.
     *
     * @param model its name
     * @param contextTokens the context it really has
     * @param pause whether its generation obeys {@link Control#holdWhilePaused}
     * @param version of its runtime
     */
    public record Loaded(String model, int contextTokens, boolean pause, String version) {}

    /** A request. Prompt and messages: one of them is there. */
    public record Ask(
            @Nullable String prompt,
            List<Message> messages,
            int maxTokens,
            double temperature,
            double topP,
            int topK,
            List<String> stop,
            long seed) {}

    /** An answer; the durations are microseconds. */
    public record Answer(
            String finishReason,
            int promptTokens,
            int completionTokens,
            int cachedTokens,
            long firstTokenUs,
            long promptUs,
            long decodeUs) {}

    /** How a generation speaks, and is spoken to. */
    public interface Control {
        /** Sends text: whole characters only. */
        void token(String text);

        /** Whether to stop. */
        boolean cancelled();

        /** Whether to hold at the next token. */
        boolean pauseRequested();

        /** Tells the parent that the generation holds, and returns when it is resumed or cancelled. */
        void holdWhilePaused();
    }

    /** A request that fails, with the protocol's code. */
    public static final class ChildException extends Exception {
        private static final long serialVersionUID = 1L;

        private final int code;
        private final int promptTokens;

        public ChildException(int code, String message) {
            this(code, message, 0);
        }

        /** With the tokens of a prompt that is too long, so that the parent knows how much to leave out. */
        public ChildException(int code, String message, int promptTokens) {
            super(message);
            this.code = code;
            this.promptTokens = promptTokens;
        }
    }

    private final Engine engine;
    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Loaded loaded;
    private @Nullable Running running;

    /** A server that answers on {@code out}, which nobody else may write to. */
    public ChildServer(Engine engine, OutputStream out) {
        this.engine = engine;
        this.out = out;
    }

    /**
     * Serves until the parent says shutdown, or ends the input, or the input makes no sense. A generation may still be
     * winding down then: halt the process.
     */
    public void serve(InputStream in) throws IOException {
        LineSplitter lines = new LineSplitter(BridgeProtocol.MAX_LINE_BYTES);
        byte[] buffer = new byte[8192];
        boolean[] over = {false};
        ExecutorService worker = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("llm-generate").factory());
        try {
            for (int count = in.read(buffer); count >= 0 && !over[0]; count = over[0] ? -1 : in.read(buffer)) {
                lines.feed(buffer, count, line -> {
                    if (line.bytes().length > 0 && !over[0]) {
                        over[0] = !take(line, worker);
                    }
                });
            }
        } catch (ProtocolException e) {
            send(BridgeProtocol.failure(null, BridgeProtocol.PARSE_ERROR, String.valueOf(e.getMessage()), null));
        } finally {
            cancelRunning(current -> true);
            worker.shutdown();
        }
    }

    /** Handles one line; false after shutdown. */
    private boolean take(LineSplitter.Line line, ExecutorService worker) throws ProtocolException {
        switch (BridgeProtocol.parse(line.bytes(), line.offset())) {
            case BridgeProtocol.Message.Request(String id, String method, JsonNode params) -> {
                switch (method) {
                    case "initialize" -> worker.execute(() -> guarded(id, () -> initialize(id, params)));
                    case "generate" -> accept(id, params, worker);
                    case "pause" -> pause(id, BridgeProtocol.string(params, "id"));
                    case "resume" -> resume(id, BridgeProtocol.string(params, "id"));
                    case "reset" -> reset(id, worker);
                    case "status" -> status(id);
                    case "ping" -> result(id, BridgeProtocol.object());
                    case "shutdown" -> {
                        result(id, BridgeProtocol.object());
                        return false;
                    }
                    default -> refuse(id, BridgeProtocol.METHOD_NOT_FOUND, "no method '" + method + "' here");
                }
            }
            case BridgeProtocol.Message.Notification(String method, JsonNode params) -> {
                if (method.equals("cancel")) {
                    String target = BridgeProtocol.string(params, "id");
                    cancelRunning(current -> current.id.equals(target));
                }
            }
            case BridgeProtocol.Message.Result result ->
                throw new ProtocolException(line.offset(), "an answer to nothing: " + result.id());
            case BridgeProtocol.Message.Failure failure ->
                throw new ProtocolException(line.offset(), "an error for nothing: " + failure.message());
        }
        return true;
    }

    @FunctionalInterface
    private interface Work {
        void run() throws ChildException;
    }

    private void guarded(String id, Work work) {
        try {
            work.run();
        } catch (ChildException e) {
            ObjectNode data = BridgeProtocol.object();
            if (e.promptTokens > 0) {
                data.put("prompt_tokens", e.promptTokens);
            }
            send(BridgeProtocol.failure(id, e.code, String.valueOf(e.getMessage()), data));
        } catch (RuntimeException | LinkageError e) {
            send(BridgeProtocol.failure(id, Kind.BACKEND.code(), e.toString(), null));
        } catch (OutOfMemoryError e) {
            send(BridgeProtocol.failure(id, Kind.OUT_OF_MEMORY.code(), e.toString(), null));
        }
    }

    private void initialize(String id, JsonNode params) throws ChildException {
        Loaded ready =
                engine.load(BridgeProtocol.string(params, "model"), BridgeProtocol.integer(params, "n_ctx", 512));
        locked(() -> loaded = ready);
        ObjectNode result = BridgeProtocol.object();
        result.put("protocol", BridgeProtocol.VERSION)
                .put("n_ctx", ready.contextTokens())
                .put("model", ready.model())
                .put("pid", ProcessHandle.current().pid());
        result.putObject("capabilities")
                .put("stream", true)
                .put("cancel", true)
                .put("pause", ready.pause())
                .put("kvSave", false);
        result.putObject("versions")
                .put("runtime", ready.version())
                .put("java", Runtime.version().toString());
        result(id, result);
    }

    private void accept(String id, JsonNode params, ExecutorService worker) {
        Running[] accepted = new Running[1];
        locked(() -> {
            if (loaded == null) {
                refuse(id, Kind.NOT_READY.code(), "not initialised");
            } else if (running != null) {
                refuse(id, Kind.BUSY.code(), "'" + running.id + "' is being answered");
            } else {
                accepted[0] = new Running(id);
                running = accepted[0];
            }
        });
        if (accepted[0] != null) {
            worker.execute(() -> guarded(id, () -> generate(accepted[0], params)));
        }
    }

    private void generate(Running mine, JsonNode params) throws ChildException {
        Answer answer = null;
        try {
            if (!mine.cancelled()) {
                answer = engine.generate(ask(params), mine);
            }
        } finally {
            locked(() -> {
                running = null;
                mine.pauses.forEach(id -> refuse(id, BridgeProtocol.INVALID_PARAMS, "not running"));
            });
        }
        if (answer == null || mine.cancelled()) {
            ObjectNode data = BridgeProtocol.object();
            data.put("text", mine.text.toString()).put("tokens", mine.sent);
            send(BridgeProtocol.failure(mine.id, BridgeProtocol.CANCELLED, "cancelled", data));
            return;
        }
        ObjectNode result = BridgeProtocol.object();
        result.put("text", mine.text.toString()).put("finish_reason", answer.finishReason());
        result.putObject("usage")
                .put("prompt_tokens", answer.promptTokens())
                .put("completion_tokens", answer.completionTokens())
                .put("cached_tokens", answer.cachedTokens());
        result.putObject("timings_us")
                .put("ttft", answer.firstTokenUs())
                .put("prompt", answer.promptUs())
                .put("decode", answer.decodeUs());
        result(mine.id, result);
    }

    private static Ask ask(JsonNode params) throws ChildException {
        List<Message> messages = new ArrayList<>();
        for (JsonNode each : params.path("messages")) {
            messages.add(new Message(role(each), BridgeProtocol.string(each, "content")));
        }
        List<String> stop = new ArrayList<>();
        params.path("stop").forEach(each -> stop.add(each.asString("")));
        JsonNode prompt = params.path("prompt");
        if (messages.isEmpty() && !prompt.isString()) {
            throw new ChildException(BridgeProtocol.INVALID_PARAMS, "neither prompt nor messages");
        }
        return new Ask(
                prompt.isString() ? prompt.stringValue() : null,
                messages,
                BridgeProtocol.integer(params, "max_tokens", 128),
                params.path("temperature").asDouble(0),
                params.path("top_p").asDouble(1),
                BridgeProtocol.integer(params, "top_k", 0),
                stop,
                params.path("seed").asLong(0));
    }

    private static Role role(JsonNode message) throws ChildException {
        String role = BridgeProtocol.string(message, "role");
        try {
            return Role.valueOf(role.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ChildException(BridgeProtocol.INVALID_PARAMS, "no role '" + role + "'");
        }
    }

    private void cancelRunning(Predicate<Running> meant) {
        locked(() -> {
            if (running != null && meant.test(running)) {
                running.cancelled = true;
                changed.signalAll();
            }
        });
    }

    private void pause(String id, String target) {
        locked(() -> {
            if (loaded != null && !loaded.pause()) {
                refuse(id, BridgeProtocol.METHOD_NOT_FOUND, "this engine cannot pause");
            } else if (running == null || !running.id.equals(target)) {
                refuse(id, BridgeProtocol.INVALID_PARAMS, "'" + target + "' is not running");
            } else if (running.paused) {
                result(id, BridgeProtocol.object().put("tokens", running.sent));
            } else {
                running.pauseWanted = true;
                running.pauses.add(id);
            }
        });
    }

    private void resume(String id, String target) {
        locked(() -> {
            if (running == null || !running.id.equals(target)) {
                refuse(id, BridgeProtocol.INVALID_PARAMS, "'" + target + "' is not running");
            } else {
                running.answerPauses();
                running.pauseWanted = false;
                changed.signalAll();
                result(id, BridgeProtocol.object().put("tokens", running.sent));
            }
        });
    }

    private void reset(String id, ExecutorService worker) {
        locked(() -> {
            if (loaded == null) {
                refuse(id, Kind.NOT_READY.code(), "not initialised");
            } else if (running != null) {
                refuse(id, Kind.BUSY.code(), "no reset while '" + running.id + "' is being answered");
            } else {
                worker.execute(() -> guarded(id, () -> {
                    engine.reset();
                    result(id, BridgeProtocol.object());
                }));
            }
        });
    }

    private void status(String id) {
        locked(() -> {
            Running current = running;
            ObjectNode result = BridgeProtocol.object();
            String state = loaded == null ? "loading" : "idle";
            if (current != null) {
                state = current.paused ? "paused" : "generating";
            }
            result.put("state", state)
                    .put("id", current == null ? "" : current.id)
                    .put("n_past", current == null ? 0 : current.sent)
                    .put("n_ctx", loaded == null ? 0 : loaded.contextTokens());
            result(id, result);
        });
    }

    private void result(String id, ObjectNode result) {
        send(BridgeProtocol.result(id, result));
    }

    private void refuse(String id, int code, String message) {
        send(BridgeProtocol.failure(id, code, message, null));
    }

    private void send(byte[] line) {
        locked(() -> {
            try {
                out.write(line);
                out.flush();
            } catch (IOException e) {
                // The parent is gone; the end of the input says so too, and ends the server.
                System.err.println("the parent takes no answers: " + e.getMessage());
            }
        });
    }

    private void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /** A generation; its fields are guarded by the lock. */
    private final class Running implements Control {
        private final String id;
        private final List<String> pauses = new ArrayList<>();
        private final StringBuilder text = new StringBuilder();
        private boolean cancelled;
        private boolean pauseWanted;
        private boolean paused;
        private int sent;

        Running(String id) {
            this.id = id;
        }

        @Override
        public void token(String piece) {
            locked(() -> {
                if (cancelled || piece.isEmpty()) {
                    return;
                }
                ObjectNode params = BridgeProtocol.object();
                params.put("id", id).put("seq", sent).put("text", piece).put("n", sent + 1);
                send(BridgeProtocol.notification("token", params));
                text.append(piece);
                sent++;
            });
        }

        @Override
        public boolean cancelled() {
            lock.lock();
            try {
                return cancelled;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean pauseRequested() {
            lock.lock();
            try {
                return pauseWanted && !cancelled;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void holdWhilePaused() {
            locked(() -> {
                if (pauseWanted && !cancelled) {
                    paused = true;
                    answerPauses();
                    while (pauseWanted && !cancelled) {
                        changed.awaitUninterruptibly();
                    }
                    paused = false;
                }
            });
        }

        private void answerPauses() {
            pauses.forEach(request -> result(request, BridgeProtocol.object().put("tokens", sent)));
            pauses.clear();
        }
    }
}
