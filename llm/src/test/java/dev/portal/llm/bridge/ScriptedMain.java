package dev.portal.llm.bridge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** {@link ScriptedBrain} as a real process: the script's settings are its arguments. */
final class ScriptedMain {
    private ScriptedMain() {}

    public static void main(String[] settings) throws IOException {
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        PrintStream out = System.out;
        ScriptedBrain brain = new ScriptedBrain(ScriptedBrain.script(settings), new ScriptedBrain.Outlet() {
            @Override
            public void emit(byte[] bytes) {
                out.write(bytes, 0, bytes.length);
                out.flush();
            }

            @Override
            public void error(String line) {
                System.err.println(line);
            }

            @Override
            public void closeOutput() {
                out.close();
            }

            @Override
            public void exit(int status) {
                Runtime.getRuntime().halt(status);
            }

            @Override
            public void after(long nanos, Runnable action) {
                var _ = thread.schedule(action, nanos, TimeUnit.NANOSECONDS);
            }
        });
        thread.execute(brain::begin);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String taken = line;
            thread.execute(() -> brain.line(taken));
        }
        thread.execute(brain::inputEnded);
    }
}
