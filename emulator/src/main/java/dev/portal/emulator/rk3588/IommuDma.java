package dev.portal.emulator.rk3588;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.TwoViewMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A core's way to memory in a machine: translation through the live domain, the DRAM view of each buffer, and a word
 * about what a driver gets wrong: buffers that are gone, buffers that are younger than the job, dirty processor lines
 * over an output.
 */
final class IommuDma implements Dma {
    private final Chip chip;
    private final Supplier<IommuDomain> domain;
    /** When the job that runs was committed, as a count of objects born before it. */
    private final LongSupplier bornBefore;

    private final Supplier<String> job;

    IommuDma(Chip chip, Supplier<IommuDomain> domain, LongSupplier bornBefore, Supplier<String> job) {
        this.chip = chip;
        this.domain = domain;
        this.bornBefore = bornBefore;
        this.job = job;
    }

    private GemObject translate(Port port, long iova) throws DmaFault {
        IommuDomain live = domain.get();
        GemObject object = live.at(iova);
        if (object == null) {
            if (live.wasMapped(iova)) {
                chip.report.add(
                        Severity.FATAL,
                        "destroyed-buffer",
                        "in-flight access to a destroyed buffer at 0x" + Long.toHexString(iova) + " by " + job.get()
                                + "; keep buffers alive until completion is proven");
            }
            throw new DmaFault(port, iova, "not mapped");
        }
        if (object.born > bornBefore.getAsLong()) {
            chip.report.add(
                    Severity.WRONG,
                    "stale-iova",
                    job.get() + " uses 0x" + Long.toHexString(iova) + ", but " + object
                            + " was made after its commit: the address belonged to another buffer");
        }
        return object;
    }

    @Override
    public void read(Port port, long iova, byte[] into, int offset, int length) throws DmaFault {
        int done = 0;
        while (done < length) {
            GemObject object = translate(port, iova + done);
            long from = iova + done - object.iova;
            int count = (int) Math.min(length - done, object.size - from);
            MemorySegment.copy(object.memory().dram(), from, MemorySegment.ofArray(into), offset + done, count);
            done += count;
        }
    }

    @Override
    public void write(Port port, long iova, byte[] from, int offset, int length) throws DmaFault {
        int done = 0;
        while (done < length) {
            GemObject object = translate(port, iova + done);
            long to = iova + done - object.iova;
            int count = (int) Math.min(length - done, object.size - to);
            TwoViewMemory memory = object.memory();
            MemorySegment.copy(MemorySegment.ofArray(from), offset + done, memory.dram(), to, count);
            evict(object, memory, to, count);
            done += count;
        }
    }

    /** A dirty line is evicted sooner or later and then covers the result (spec section 9). */
    private void evict(GemObject object, TwoViewMemory memory, long offset, int length) {
        if (!memory.cacheable() || !memory.isDirty(offset, length)) {
            return;
        }
        if (chip.options.evictDirtyLines()
                || chip.faults.at(Kind.DIRTY_LINE_EVICTION).isPresent()) {
            int lines = memory.writeBack(offset, length);
            chip.report.add(
                    Severity.WRONG,
                    "dirty-line",
                    lines + " dirty lines of " + object + " at offset " + offset
                            + " were written back over a result; clean them before the submit");
        }
    }

    @Override
    public @Nullable Window window(Port port, long iova, int length) {
        GemObject object = domain.get().at(iova);
        if (object == null || object.born > bornBefore.getAsLong()) {
            return null;
        }
        byte[] array = object.memory().dramArray();
        long offset = iova - object.iova;
        return array.length > 0 && offset + length <= array.length ? new Window(array, (int) offset) : null;
    }
}
