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
        /** No memory. Occasion: a MEM_CREATE. */
        MEMORY_ERRNO
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
