package dev.portal.emulator;

import java.util.List;

/**
 * What shall go wrong in a run: data, so that it can be printed with a seed and replayed. Faults lie over intact state
 * and can be lifted ({@link FaultInjector#heal()}).
 *
 * @param faults in the order in which they are asked; at most one fires at an occasion
 */
public record FaultPlan(List<Fault> faults) {
    /** Nothing goes wrong. */
    public static final FaultPlan NONE = new FaultPlan(List.of());

    public FaultPlan {
        faults = List.copyOf(faults);
    }

    /** A plan of these faults. */
    public static FaultPlan of(Fault... faults) {
        return new FaultPlan(List.of(faults));
    }

    /** What goes wrong. The quirk numbers are those of spec/rk3588-npu.md section 11. */
    public enum Kind {
        /** A committed job never starts; only a reset recovers (Q8). Occasion: a commit. */
        LOST_DISPATCH,
        /** As above, in the first three commits after a switch of the IOMMU domain only (spec 8.6). Occasion: such a commit. */
        LOST_AFTER_SWITCH,
        /** The completion interrupt comes late, by {@link Fault#amount()} nanoseconds. Occasion: a completion. */
        LATE_INTERRUPT,
        /** {@link Fault#amount()} of the 64-byte entries are missing from every fp16 sum (Q9). Occasion: a program. */
        FP16_SHORT_ROUND,
        /** As above, in one row only (Q9). Occasion: a program. */
        FP16_SHORT_ROW,
        /** Dirty lines over the output are written back after the program (section 9). Occasion: a program. */
        DIRTY_LINE_EVICTION,
        /** The feature data of the program before is used again (Q10). Occasion: a reuse bit outside one chain. */
        STALE_CBUF,
        /** The first program on a core after start or reset leaves its output untouched (Q5). */
        COLD_FIRST_PASS,
        /** Another process resets the device. Occasion: a commit. */
        FOREIGN_RESET,
        /** An access is refused by the IOMMU and the core stalls (section 7.3). Occasion: a program. */
        IOMMU_FAULT,
        /** After a redirect experiment nothing completes any more (Q13). Occasion: a redirected chain. */
        HARD_WEDGE,
        /** A submit fails with errno {@link Fault#amount()} and does nothing (Q7). Occasion: a SUBMIT. */
        SUBMIT_ERRNO,
        /** No memory. Occasion: a MEM_CREATE; of Hexagon an allocation of a DMA-BUF, from the node or a heap. */
        MEMORY_ERRNO,

        // Hexagon: spec/hexagon-and-voice.md section 8.
        /**
         * The DSP restarts: pending calls end with EPIPE, the nodes vanish for {@link Fault#amount()} nanoseconds, what
         * was loaded is gone. Occasion: an INVOKE.
         */
        DSP_RESTART,
        /** The DSP never answers; closing the session takes ten seconds. Occasion: an INVOKE of a loaded module. */
        HUNG_INVOKE,
        /** The reply comes {@link Fault#amount()} nanoseconds later than it would. Occasion: an INVOKE of a module. */
        LATE_REPLY,
        /** A signal ends the wait with EINTR; the DSP goes on with the call. Occasion: an INVOKE of a module. */
        INVOKE_INTERRUPTED,
        /** A signal restarts the call: the kernel sends it twice, the first context leaks. Occasion: as above. */
        INVOKE_RESENT,
        /** The shell is of another firmware build: INIT_CREATE waits ten seconds, ETIMEDOUT. Occasion: INIT_CREATE. */
        WRONG_SHELL,
        /** The DSP refuses the process, 0x80000416. Occasion: INIT_CREATE. */
        PROCESS_REFUSED,
        /** The module is not found, 0x80000406. Occasion: an open of remotectl. */
        MODULE_MISSING,
        /** Every session is taken: EBUSY. Occasion: an open of a node. */
        NO_SESSION,
        /** This user may not open the node: EACCES. Occasion: an open of a node. */
        PERMISSION_DENIED,
        /** The descriptor table is full. Occasion: an allocation of a DMA-BUF. */
        NO_DESCRIPTOR,
        /** The DSP refuses to unmap a buffer, 0x80000401. Occasion: a MEM_UNMAP. */
        UNMAP_REFUSED,
        /** One byte of an output, number {@link Fault#amount()} modulo its size, is flipped. Occasion: a get_output. */
        CORRUPTED_BYTE,
        /** A graph takes {@link Fault#amount()} percent of its declared time. Occasion: an execute. */
        SLOW_DSP
    }

    /**
     * One thing that goes wrong.
     *
     * @param amount what the kind says; 0 where it says nothing
     */
    public record Fault(Kind kind, Trigger trigger, long amount) {}

    /** When a fault fires. */
    public sealed interface Trigger {
        /** On the {@code first}-th occasion, counted from 1, and on the {@code times - 1} after it. */
        record Count(long first, long times) implements Trigger {}

        /** Once, on the first occasion at or after a time of the run's clock. */
        record At(long nanos) implements Trigger {}

        /** On each occasion with a probability, drawn from the plan's own random stream. */
        record Ratio(double probability) implements Trigger {}
    }
}
