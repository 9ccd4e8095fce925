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
    private CharBuffer text = CharBuffer.allocate(256);

    public TextStream(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /**
     * The text that a token completes; often empty while a character outside of ASCII comes byte by byte.
     *
     * @return valid until the next call
     */
    public CharSequence next(int token) {
        byte[] bytes = tokenizer.bytes(token);
        if (waiting.remaining() < bytes.length) {
            waiting = ByteBuffer.allocate(waiting.position() + bytes.length).put(waiting.flip());
        }
        waiting.put(bytes).flip();
        begin(waiting.remaining());
        decoder.decode(waiting, text, false);
        waiting.compact();
        return text.flip();
    }

    private void begin(int bytes) {
        if (text.capacity() < bytes + 2) {
            text = CharBuffer.allocate(bytes + 2);
        }
        text.clear();
    }

    /**
     * What is left at the end: U+FFFD for a character that was never finished.
     *
     * @return valid until the next call
     */
    public CharSequence rest() {
        begin(waiting.position());
        decoder.decode(waiting.flip(), text, true);
        decoder.flush(text);
        decoder.reset();
        waiting.clear();
        return text.flip();
    }
}
