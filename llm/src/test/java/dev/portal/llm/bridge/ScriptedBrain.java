package dev.portal.llm.bridge;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A child that does what a script says, written from the protocol's text and not from the parent's code. One thread at a
 * time. A script is a map; the keys are documented where they are read.
 */
final class ScriptedBrain {
    /** Where its effects go. */
    interface Outlet {
        void emit(byte[] bytes);

        void error(String line);

        void closeOutput();

        void exit(int status);

        void after(long nanos, Runnable action);
    }

    static final String DEFAULT_TOKENS = "sure|, turning| on| the| light|.";

    private static final JsonMapper JSON = new JsonMapper();

    private final Map<String, String> script;
    private final Outlet outlet;
    private final List<String> tokens;
    /** The request in work, empty when idle. */
    private String running = "";

    private int made;
    private boolean paused;
    private boolean dead;

    ScriptedBrain(Map<String, String> script, Outlet outlet) {
        this.script = script;
        this.outlet = outlet;
        this.tokens = List.of(text("tokens", DEFAULT_TOKENS).split("\\|"));
    }

    static Map<String, String> script(String... settings) {
        Map<String, String> map = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            map.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return map;
    }

    void begin() {
        for (int i = 0; i < number("stderr_flood", 0); i++) {
            outlet.error("noise " + i);
        }
        if (text("die_at_start", "").equals("1")) {
            outlet.error("cannot load the model");
            end(3);
        }
    }

    void inputEnded() {
        // "ignore_eof": a child that does not obey.
        if (!flag("ignore_eof")) {
            end(0);
        }
    }

    void line(String line) {
        if (dead) {
            return;
        }
        JsonNode message = JSON.readTree(line);
        String id = message.path("id").asString("");
        JsonNode params = message.path("params");
        switch (message.path("method").asString()) {
            case "initialize" -> initialize(id);
            case "generate" -> generate(id, params);
            case "cancel" -> cancel(params.path("id").asString());
            case "pause" -> pause(id, params.path("id").asString(), true);
            case "resume" -> pause(id, params.path("id").asString(), false);
            case "reset" -> result(id, object());
            case "status" -> status(id);
            case "ping" -> {
                if (!flag("ignore_ping")) {
                    result(id, object());
                }
            }
            case "shutdown" -> {
                if (!flag("ignore_shutdown")) {
                    result(id, object());
                    end(0);
                }
            }
            default -> error(id, -32601, "no such method", object());
        }
    }

    private void initialize(String id) {
        // "handshake": how it ends. "load_ms": how long it takes.
        outlet.after(number("load_ms", 1) * 1_000_000L, () -> {
            switch (text("handshake", "ok")) {
                case "hang" -> {}
                case "refuse" -> error(id, -32005, "no such model", object());
                case "garbage" -> emit("Loading weights... 10%\n");
                default -> {
                    ObjectNode result = object();
                    result.put("protocol", number("protocol", 1))
                            .put("n_ctx", number("n_ctx", 512))
                            .put("model", "scripted")
                            .put("pid", 4711)
                            .put("unknown_field", true);
                    result.putObject("capabilities")
                            .put("stream", true)
                            .put("cancel", true)
                            .put("pause", !flag("no_pause"));
                    result(id, result);
                }
            }
        });
    }

    private void generate(String id, JsonNode params) {
        if (!running.isEmpty()) {
            error(id, -32001, "busy with " + running, object());
            return;
        }
        // "words": one token a word; a prompt that does not fit is refused with its count.
        int words = 0;
        for (JsonNode each : params.path("messages")) {
            words += each.path("content").asString().split(" ").length;
        }
        int budget = number("n_ctx", 512) - params.path("max_tokens").intValue();
        if (words > budget) {
            error(
                    id,
                    -32004,
                    "prompt too long",
                    object().put("prompt_tokens", words).put("budget", budget));
            return;
        }
        running = id;
        made = 0;
        paused = false;
        int promptTokens = words;
        outlet.after(number("first_us", 1000) * 1000L, () -> step(id, promptTokens));
    }

    private void step(String id, int promptTokens) {
        if (dead || !running.equals(id) || paused) {
            return;
        }
        if (made == number("crash_at", -1)) {
            outlet.error("Segmentation fault");
            end(139);
        } else if (made == number("garbage_at", -1)) {
            emit("I am not JSON\n");
        } else if (made == number("oversize_at", -1)) {
            emit("x".repeat(2 << 20) + "\n");
        } else if (made == number("eof_at", -1)) {
            outlet.closeOutput();
        } else if (made == number("hang_at", -1)) {
            dead = flag("deaf");
        } else if (made == tokens.size() * number("repeat", 1)) {
            running = "";
            String all = String.join("", tokens);
            ObjectNode result = object().put("text", all).put("finish_reason", "stop");
            result.putObject("usage").put("prompt_tokens", promptTokens).put("completion_tokens", made);
            result.putObject("timings_us").put("ttft", 10).put("prompt", 20).put("decode", 30);
            result(id, result);
        } else {
            token(id);
            outlet.after(number("gap_us", 1000) * 1000L, () -> step(id, promptTokens));
        }
    }

    private void token(String id) {
        if (flag("silent")) {
            made++;
            return;
        }
        ObjectNode params = object().put("id", id).put("seq", made == number("skip_at", -1) ? made + 1 : made);
        params.put("text", tokens.get(made % tokens.size())).put("n", made + 1);
        made++;
        ObjectNode line = object().put("jsonrpc", "2.0").put("method", "token");
        line.set("params", params);
        emit(line + (flag("crlf") ? "\r\n" : "\n"));
    }

    private void cancel(String id) {
        if (!running.equals(id) || flag("ignore_cancel")) {
            return;
        }
        if (flag("late_token")) {
            token(id);
        }
        running = "";
        error(id, -32800, "cancelled", object().put("text", "so far").put("tokens", made));
    }

    private void pause(String id, String target, boolean on) {
        if (flag("no_pause")) {
            error(id, -32601, "cannot pause", object());
        } else if (!running.equals(target)) {
            error(id, -32602, "not running", object());
        } else {
            paused = on;
            result(id, object().put("tokens", made));
            if (!on) {
                outlet.after(number("gap_us", 1000) * 1000L, () -> step(target, 0));
            }
        }
    }

    private void status(String id) {
        ObjectNode result = object().put("state", running.isEmpty() ? "idle" : paused ? "paused" : "generating");
        result(id, result.put("id", running).put("n_past", made).put("n_ctx", number("n_ctx", 512)));
    }

    private void result(String id, ObjectNode result) {
        ObjectNode line = object().put("jsonrpc", "2.0").put("id", id);
        line.set("result", result);
        emit(line + "\n");
    }

    private void error(String id, int code, String message, ObjectNode data) {
        ObjectNode line = object().put("jsonrpc", "2.0").put("id", id);
        line.putObject("error").put("code", code).put("message", message).set("data", data);
        emit(line + "\n");
    }

    private void emit(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (flag("split")) {
            for (byte b : bytes) {
                outlet.emit(new byte[] {b});
            }
        } else {
            outlet.emit(bytes);
        }
    }

    private void end(int status) {
        dead = true;
        outlet.exit(status);
    }

    private static ObjectNode object() {
        return JSON.createObjectNode();
    }

    private boolean flag(String key) {
        return text(key, "").equals("1");
    }

    private int number(String key, int otherwise) {
        return Integer.parseInt(text(key, Integer.toString(otherwise)));
    }

    private String text(String key, String otherwise) {
        return script.getOrDefault(key, otherwise);
    }
}
