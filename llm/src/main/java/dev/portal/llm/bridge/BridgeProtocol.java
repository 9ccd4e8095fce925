package dev.portal.llm.bridge;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lines of the bridge protocol to messages and back, for both ends. Unknown fields are ignored; anything that is not a
 * message is a {@link ProtocolException} that says where. Stateless, safe for use by any thread.
 */
final class BridgeProtocol {
    static final int VERSION = 1;
    /** The longest line, without its end. */
    static final int MAX_LINE_BYTES = 1 << 20;

    static final int PARSE_ERROR = -32700;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int CANCELLED = -32800;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** What a line says. Requests and notifications go either way; results and errors answer a request. */
    sealed interface Message {
        record Request(String id, String method, JsonNode params) implements Message {}

        record Notification(String method, JsonNode params) implements Message {}

        record Result(String id, JsonNode result) implements Message {}

        /** {@code id} is null when the peer could not read the request's. */
        record Failure(@Nullable String id, int code, String message, JsonNode data) implements Message {}
    }

    private BridgeProtocol() {}

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static byte[] request(String id, String method, ObjectNode params) {
        ObjectNode line = envelope();
        line.put("id", id).put("method", method).set("params", params);
        return bytes(line);
    }

    static byte[] notification(String method, ObjectNode params) {
        ObjectNode line = envelope();
        line.put("method", method).set("params", params);
        return bytes(line);
    }

    static byte[] result(String id, ObjectNode result) {
        ObjectNode line = envelope();
        line.put("id", id).set("result", result);
        return bytes(line);
    }

    static byte[] failure(@Nullable String id, int code, String message, @Nullable ObjectNode data) {
        ObjectNode line = envelope();
        line.put("id", id);
        ObjectNode error = line.putObject("error");
        error.put("code", code).put("message", message);
        if (data != null) {
            error.set("data", data);
        }
        return bytes(line);
    }

    /**
     * Reads one line.
     *
     * @throws ProtocolException when it is not UTF-8, not one JSON object, or not a message
     */
    static Message parse(byte[] line, long offset) throws ProtocolException {
        if (line.length > MAX_LINE_BYTES) {
            throw new ProtocolException(offset, "a line longer than " + MAX_LINE_BYTES + " bytes");
        }
        String text = decode(line, offset);
        JsonNode node;
        try {
            node = JSON.readTree(text);
        } catch (JacksonException e) {
            // The parser counts characters of the decoded line; what comes before is turned back into bytes.
            long characters =
                    e.getLocation() == null ? 0 : Math.max(0, e.getLocation().getCharOffset());
            int end = (int) Math.min(text.length(), characters);
            long within = text.substring(0, end).getBytes(StandardCharsets.UTF_8).length;
            throw new ProtocolException(
                    offset + within, "not JSON: " + e.getOriginalMessage() + " in " + excerpt(text));
        }
        if (node == null || !node.isObject()) {
            throw new ProtocolException(offset, "not a JSON object: " + excerpt(text));
        }
        return message(node, offset, text);
    }

    private static Message message(JsonNode node, long offset, String text) throws ProtocolException {
        JsonNode id = node.path("id");
        if (!id.isMissingNode() && !id.isNull() && !id.isString()) {
            throw new ProtocolException(offset, "the id is not a string: " + excerpt(text));
        }
        String idText = id.isString() ? id.stringValue() : null;
        JsonNode method = node.path("method");
        if (method.isString()) {
            JsonNode params = node.path("params");
            return idText == null
                    ? new Message.Notification(method.stringValue(), params)
                    : new Message.Request(idText, method.stringValue(), params);
        }
        JsonNode error = node.path("error");
        if (error.isObject()) {
            if (!error.path("code").isInt()) {
                throw new ProtocolException(offset, "an error without a code: " + excerpt(text));
            }
            return new Message.Failure(
                    idText, error.path("code").intValue(), string(error, "message"), error.path("data"));
        }
        if (node.has("result") && idText != null) {
            return new Message.Result(idText, node.path("result"));
        }
        throw new ProtocolException(offset, "neither request, notification, result nor error: " + excerpt(text));
    }

    /** The text of a field, empty when it is missing or no string. */
    static String string(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isString() ? value.stringValue() : "";
    }

    /** The number in a field, {@code otherwise} when it is missing or does not fit. */
    static int integer(JsonNode node, String field, int otherwise) {
        JsonNode value = node.path(field);
        return value.isInt() ? value.intValue() : otherwise;
    }

    private static ObjectNode envelope() {
        return object().put("jsonrpc", "2.0");
    }

    private static byte[] bytes(ObjectNode line) {
        byte[] json = JSON.writeValueAsBytes(line);
        if (json.length > MAX_LINE_BYTES) {
            throw new IllegalArgumentException("a message of " + json.length + " bytes; the protocol allows "
                    + MAX_LINE_BYTES + " on a line, shorten the prompt");
        }
        byte[] ended = Arrays.copyOf(json, json.length + 1);
        ended[json.length] = '\n';
        return ended;
    }

    private static String decode(byte[] line, long offset) throws ProtocolException {
        ByteBuffer in = ByteBuffer.wrap(line);
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(in)
                    .toString();
            if (text.startsWith("\uFEFF")) {
                throw new ProtocolException(offset, "a byte order mark");
            }
            return text;
        } catch (CharacterCodingException e) {
            throw new ProtocolException(offset + in.position(), "not UTF-8");
        }
    }

    private static String excerpt(String text) {
        return text.length() <= 80 ? "'" + text + "'" : "'" + text.substring(0, 80) + "'… (" + text.length() + ")";
    }
}
