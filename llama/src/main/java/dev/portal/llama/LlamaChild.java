package dev.portal.llama;

import dev.portal.base.SystemClock;
import dev.portal.llm.bridge.ChildServer;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The program: serves the bridge protocol on its standard streams until its input ends. */
public final class LlamaChild {
    private LlamaChild() {}

    /** One argument: the threads that decode, 1 or more. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: LlamaChild THREADS");
            Runtime.getRuntime().halt(2);
        }
        FileOutputStream protocol = new FileOutputStream(FileDescriptor.out);
        // The library's loader prints; standard output belongs to the protocol.
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        int threads = Integer.parseInt(arguments[0]);
        new ChildServer(new LlamaEngine(threads, new SystemClock()), protocol).serve(System.in);
        // The library's threads would keep the process alive.
        Runtime.getRuntime().halt(0);
    }
}
