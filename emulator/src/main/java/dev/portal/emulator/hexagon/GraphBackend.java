package dev.portal.emulator.hexagon;

import java.lang.foreign.MemorySegment;

/**
 * What computes graphs on the emulated DSP. The skeleton does the rest: containers, handles, addresses, order of calls.
 *
 * <p>Compiling and closing happen one at a time; runs of different graphs may overlap on several threads.
 */
public interface GraphBackend {
    /** The {@link GraphImage#kind()} that it takes. */
    int kind();

    /**
     * Makes a graph ready.
     *
     * @param image its bytes were read from the DSP's memory
     * @throws GraphException with QNN's number, for a graph that cannot be run here
     */
    Graph compile(GraphImage image) throws GraphException;

    /** A graph that is ready. One run at a time. */
    interface Graph extends AutoCloseable {
        /** Where the {@code index}-th input is to be put, of the declared size. */
        MemorySegment input(int index);

        /** Where the {@code index}-th output is after a run, of the declared size; shapes come after the outputs. */
        MemorySegment output(int index);

        /** Steps of a run, at least 1. Between them the DSP looks whether it shall stop. */
        int steps();

        /** How long the DSP takes for a step, of the model. */
        long nanosOf(int step);

        /** Makes a step; 0 first, in order. A run may be given up between steps. */
        void run(int step) throws GraphException;

        @Override
        void close();
    }
}
