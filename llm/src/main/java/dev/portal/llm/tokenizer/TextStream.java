package dev.portal.llm.tokenizer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Tokens to text as they come, whole characters only: the bytes of an unfinished one wait for the next token. One thread. */
public final class TextStream {
    private final Tokenizer tokenizer;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private ByteBuffer waiting = ByteBuffer.allocate(256);

    public TextStream(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** The text that a token completes; often empty while a character outside of ASCII comes byte by byte. */
    public String next(int token) {
        byte[] bytes = tokenizer.bytes(token);
        if (waiting.remaining() < bytes.length) {
            waiting = ByteBuffer.allocate(waiting.position() + bytes.length).put(waiting.flip());
        }
        waiting.put(bytes).flip();
        CharBuffer out = CharBuffer.allocate(waiting.remaining() + 2);
        decoder.decode(waiting, out, false);
        waiting.compact();
        return out.flip().toString();
    }

    /** What is left at the end: U+FFFD for a character that was never finished. */
    public String rest() {
        CharBuffer out = CharBuffer.allocate(waiting.position() + 2);
        decoder.decode(waiting.flip(), out, true);
        decoder.flush(out);
        decoder.reset();
        waiting.clear();
        return out.flip().toString();
    }
}
