package dev.portal.voice.stt.pocketsphinx;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The sentences that a recognizer understands, in the Java Speech Grammar Format.
 *
 * @param name for reports
 * @param jsgf the grammar, with one public rule
 */
public record CommandGrammar(String name, String jsgf) {
    /** What the assistant understands: lights, timers, music, time, weather, small talk, the robot's moves. */
    public static CommandGrammar assistant() {
        try (InputStream text = CommandGrammar.class.getResourceAsStream("assistant.gram")) {
            if (text == null) {
                throw new IllegalStateException("assistant.gram is not beside " + CommandGrammar.class.getName());
            }
            return new CommandGrammar("assistant", new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
