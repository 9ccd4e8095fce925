package dev.portal.llm.bridge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Stream;

/**
 * A real child process. Four virtual threads serve it: its two output streams, the queue to its input, and its end.
 */
public final class OsChildProcess implements ChildProcess {
    private static final int QUEUED_LINES = 64;
    private static final int ERROR_LINE_CHARACTERS = 4096;
    private static final byte[] END = {};

    private final Process process;
    private final Path work;
    private final BlockingQueue<byte[]> outgoing = new ArrayBlockingQueue<>(QUEUED_LINES);

    private OsChildProcess(Process process, Path work) {
        this.process = process;
        this.work = work;
    }

    /** Starts a child with exactly the environment of {@code command}. */
    public static ChildProcess launch(ChildCommand command, Events events) throws IOException {
        Path work = Files.createTempDirectory("portal-llm-");
        try {
            for (Map.Entry<String, String> file : command.files().entrySet()) {
                Files.writeString(work.resolve(file.getKey()), file.getValue());
            }
            ProcessBuilder builder = new ProcessBuilder(command.command().stream()
                    .map(word -> word.replace(ChildCommand.WORK, work.toString()))
                    .toList());
            builder.environment().clear();
            builder.environment().putAll(command.environment());
            OsChildProcess child = new OsChildProcess(builder.start(), work);
            child.serve(events);
            return child;
        } catch (IOException e) {
            remove(work);
            throw e;
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> inside = Files.walk(folder)) {
            for (Path path : inside.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private void serve(Events events) {
        String name = "llm-child-" + pid();
        Thread output = Thread.ofVirtual().name(name + "-out").start(() -> readOutput(events));
        Thread errors = Thread.ofVirtual().name(name + "-err").start(() -> readErrors(events));
        Thread.ofVirtual().name(name + "-in").start(() -> write(events));
        Thread.ofVirtual().name(name + "-end").start(() -> awaitEnd(output, errors, events));
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public boolean send(byte[] line) {
        return process.isAlive() && outgoing.offer(line);
    }

    @Override
    public void closeInput() {
        if (!outgoing.offer(END)) {
            kill();
        }
    }

    @Override
    public void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void readOutput(Events events) {
        byte[] buffer = new byte[8192];
        try (InputStream in = process.getInputStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                events.output(buffer, count);
            }
        } catch (IOException e) {
            events.errorLine("(the pipe from the child broke: " + e.getMessage() + ")");
        }
        events.outputEnded();
    }

    private void readErrors(Events events) {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c == '\n' || line.length() == ERROR_LINE_CHARACTERS) {
                    events.errorLine(line.toString());
                    line.setLength(0);
                }
                if (c != '\n' && c != '\r') {
                    line.append((char) c);
                }
            }
            if (!line.isEmpty()) {
                events.errorLine(line.toString());
            }
        } catch (IOException e) {
            events.errorLine("(the pipe from the child broke: " + e.getMessage() + ")");
        }
    }

    private void write(Events events) {
        try (OutputStream out = process.getOutputStream()) {
            for (byte[] line = outgoing.take(); line.length > 0; line = outgoing.take()) {
                out.write(line);
                out.flush();
            }
        } catch (IOException e) {
            events.errorLine("(the child takes no input: " + e.getMessage() + ")");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitEnd(Thread output, Thread errors, Events events) {
        try {
            int status = process.waitFor();
            // A grandchild may hold the pipes open; what it writes is of no interest.
            output.join(Duration.ofMillis(500));
            errors.join(Duration.ofMillis(100));
            outgoing.clear();
            closeInput();
            try {
                remove(work);
            } catch (IOException e) {
                events.errorLine("(the child's folder " + work + " is left behind: " + e.getMessage() + ")");
            }
            events.exited(status);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
