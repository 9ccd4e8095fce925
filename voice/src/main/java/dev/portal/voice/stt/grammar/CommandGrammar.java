package dev.portal.voice.stt.grammar;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The sentences that a recognizer understands, in the Java Speech Grammar Format.
 *
 * @param name for reports
 * @param jsgf the grammar, with one public rule
 */
public record CommandGrammar(String name, String jsgf) {
    /** Reads a grammar file. */
    public static CommandGrammar read(Path file) {
        try {
            return new CommandGrammar(String.valueOf(file.getFileName()), Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the grammar " + file, e);
        }
    }

    /** What the assistant understands: lights, timers, the robot's moves, music, time, weather, small talk. */
    public static CommandGrammar assistant() {
        return new CommandGrammar("assistant", resource("assistant.gram"));
    }

    /** The same, and what the assistant answers: for recordings of either voice. */
    public static CommandGrammar assistantAndAnswers() {
        String commands = resource("assistant.gram").replace("public <command>", "<command>");
        return new CommandGrammar("assistant and answers", commands + resource("answers.gram"));
    }

    private static String resource(String name) {
        try (InputStream text = CommandGrammar.class.getResourceAsStream(name)) {
            if (text == null) {
                throw new IllegalStateException(name + " is not beside " + CommandGrammar.class.getName());
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
