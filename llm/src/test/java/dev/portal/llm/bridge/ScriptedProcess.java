package dev.portal.llm.bridge;

import dev.portal.base.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@link ScriptedBrain} as a process in virtual time: each effect arrives 10 us later. */
final class ScriptedProcess implements ChildProcess {
    private static final Pattern METHOD = Pattern.compile("\"method\":\"(\\w+)\"");
    private static final long PIPE_NANOS = 10_000;

    private final VirtualClock clock;
    private final Events events;
    private final ScriptedBrain brain;
    private final Map<String, String> script;
    private final long pid;
    private final List<String> received = new ArrayList<>();
    private boolean gone;

    ScriptedProcess(VirtualClock clock, Events events, long pid, Map<String, String> script) {
        this.clock = clock;
        this.events = events;
        this.pid = pid;
        this.script = script;
        this.brain = new ScriptedBrain(script, new Outlet());
        later(brain::begin);
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public boolean send(byte[] line) {
        String text = new String(line, 0, line.length - 1, StandardCharsets.UTF_8);
        Matcher method = METHOD.matcher(text);
        if (method.find()) {
            received.add(method.group(1));
        }
        later(() -> brain.line(text));
        return !gone;
    }

    @Override
    public void closeInput() {
        later(brain::inputEnded);
    }

    @Override
    public void kill() {
        // "unkillable_ms": a process that takes its time to die.
        long dying = Long.parseLong(script.getOrDefault("unkillable_ms", "0")) * 1_000_000;
        clock.at(clock.nanos() + dying + PIPE_NANOS, () -> end(137));
    }

    /** The methods that it was sent. */
    List<String> received() {
        return received;
    }

    /** Dies of itself. */
    void crash() {
        later(() -> end(139));
    }

    boolean gone() {
        return gone;
    }

    private void end(int status) {
        if (!gone) {
            gone = true;
            events.outputEnded();
            events.exited(status);
        }
    }

    private void later(Runnable action) {
        clock.at(clock.nanos() + PIPE_NANOS, () -> {
            if (!gone) {
                action.run();
            }
        });
    }

    private final class Outlet implements ScriptedBrain.Outlet {
        @Override
        public void emit(byte[] bytes) {
            later(() -> events.output(bytes, bytes.length));
        }

        @Override
        public void error(String line) {
            later(() -> events.errorLine(line));
        }

        @Override
        public void closeOutput() {
            later(events::outputEnded);
        }

        @Override
        public void exit(int status) {
            later(() -> end(status));
        }

        @Override
        public void after(long nanos, Runnable action) {
            clock.at(clock.nanos() + nanos, () -> {
                if (!gone) {
                    action.run();
                }
            });
        }
    }
}
