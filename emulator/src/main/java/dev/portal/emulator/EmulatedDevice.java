package dev.portal.emulator;

import dev.portal.kernel.Mapping;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A kernel driver in software: its nodes and what happens behind them. Any thread may call. */
public interface EmulatedDevice {
    /** Paths of the nodes that it creates. */
    List<String> nodes();

    /** Small text files that belong to it (sysfs, device tree), by path. */
    Map<String, String> texts();

    /** Opens one of the nodes, or says why not. */
    Opened open(String node);

    /**
     * What opening a node gives.
     *
     * @param file the file, or null
     * @param errno why there is none, or 0
     */
    record Opened(@Nullable OpenFile file, int errno) {
        public static Opened of(OpenFile file) {
            return new Opened(file, 0);
        }

        public static Opened refused(int errno) {
            return new Opened(null, errno);
        }
    }

    /** Bytes that a caller's mapping may be found by, for cache maintenance; empty when none of its memory has this address. */
    Optional<CacheLines> linesAt(long address);

    /** Makes the blocking call of a thread return EINTR, where the driver's waits can be interrupted. */
    default void interrupt(long threadId) {}

    /** What a driver keeps for one open file. */
    interface OpenFile {
        /**
         * One ioctl.
         *
         * @param argument the caller's bytes, read and written in place; as long as the request number says at least
         * @param kernel for drivers that hand out or take descriptors
         * @return packed as {@link dev.portal.kernel.Answer} has it
         */
        long ioctl(int request, MemorySegment argument, Descriptors kernel);

        /** Maps what lies behind {@code offset}. */
        Mapping mmap(long offset, long lengthBytes, int protection);

        /** Ends a mapping that this file made. */
        void munmap(MemorySegment mapping);

        /** The last descriptor is closed. */
        void close();
    }

    /** The process's table of descriptors, as a driver sees it. */
    interface Descriptors {
        /**
         * Gives a file a new descriptor, the lowest that is free.
         *
         * @param closeOnExec whether a child does not inherit it
         * @return the descriptor, or -1 when the table is full
         */
        int install(OpenFile file, boolean closeOnExec);

        /** Whether the process has this descriptor. */
        boolean isOpen(int fd);

        /** The file behind a descriptor; empty when it is none of the emulator's. */
        Optional<OpenFile> file(int fd);
    }

    /** Memory whose lines can be moved between its two views. */
    interface CacheLines {
        /** Writes lines back; {@code address} is in the processor's view. */
        void clean(long address, long bytes);

        /** Writes lines back and drops them. */
        void cleanInvalidate(long address, long bytes);
    }
}
