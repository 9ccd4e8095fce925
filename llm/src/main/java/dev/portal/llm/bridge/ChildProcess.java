package dev.portal.llm.bridge;

import java.io.IOException;

/** A child that runs. Nothing here blocks; safe for use by any thread. */
public interface ChildProcess {
    long pid();

    /**
     * Puts a line, with its end, in the queue of what is written to the child.
     *
     * @return false when the child takes nothing in any more, or the queue is full
     */
    boolean send(byte[] line);

    /** Ends the child's input once the queue is written; a child that obeys exits. */
    void closeInput();

    /** Ends the child and whatever it started, at once. No effect when it has gone. */
    void kill();

    /** What a child does, told in order for each stream, by threads of the launcher. */
    interface Events {
        /** The next bytes of its standard output; the array is the caller's and used again. */
        void output(byte[] bytes, int count);

        /** A line of its standard error. */
        void errorLine(String line);

        /** Its output ended; it may still run. */
        void outputEnded();

        /** It has gone, and all of its output has been told. 128 + n after signal n. */
        void exited(int status);
    }

    /** Starts children. */
    @FunctionalInterface
    interface Launcher {
        /**
         * Starts a child. Events come on other threads, or later on this one.
         *
         * @throws IOException when it cannot be started
         */
        ChildProcess launch(ChildCommand command, Events events) throws IOException;
    }
}
