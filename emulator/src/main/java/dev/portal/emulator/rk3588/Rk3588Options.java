package dev.portal.emulator.rk3588;

import dev.portal.emulator.FaultPlan;
import java.util.function.Consumer;

/**
 * What kind of board is emulated.
 *
 * @param seed of everything that is random: order of rows, faults
 * @param haltRetires whether a program chain that ends before its task number raises the completion interrupt; no board
 *     is known to, and none is known not to under the vendor driver (design 5.4, spec 7.2)
 * @param evictDirtyLines whether dirty processor lines over an output are written back after the device wrote it, as
 *     caches do sooner or later; off, only the fault does it
 * @param scalarEngine use the reference arithmetic
 * @param bypassSoftReset the driver's module parameter
 * @param sramBytes SRAM that the device tree maps to the NPU; 0 on stock boards
 * @param driverVersion as the driver packs it, 908 for 0.9.8; before 906 MEM_CREATE has 40 bytes and no domain. Only
 *     the interface is the older one: how such a driver schedules is not known here
 * @param chip whose board it is, as the device tree spells it: {@code rk3588}
 * @param denied whether this user may not open the nodes
 * @param faults what goes wrong
 */
public record Rk3588Options(
        long seed,
        boolean haltRetires,
        boolean evictDirtyLines,
        boolean scalarEngine,
        boolean bypassSoftReset,
        long sramBytes,
        int driverVersion,
        String chip,
        boolean denied,
        FaultPlan faults) {
    /** The default profile: {@code halt-sticks}, nothing goes wrong. */
    public static Rk3588Options standard() {
        return new Rk3588Options(1, false, true, false, false, 0, 908, "rk3588", false, FaultPlan.NONE);
    }

    public Rk3588Options withSeed(long value) {
        return with(draft -> draft.seed = value);
    }

    /** The profile {@code halt-retires} when true, {@code halt-sticks} when false. */
    public Rk3588Options withHaltRetires(boolean value) {
        return with(draft -> draft.haltRetires = value);
    }

    public Rk3588Options withEvictDirtyLines(boolean value) {
        return with(draft -> draft.evictDirtyLines = value);
    }

    public Rk3588Options withScalarEngine(boolean value) {
        return with(draft -> draft.scalarEngine = value);
    }

    public Rk3588Options withFaults(FaultPlan value) {
        return with(draft -> draft.faults = value);
    }

    /** A board with another version of the driver. */
    public Rk3588Options withDriverVersion(int value) {
        return with(draft -> draft.driverVersion = value);
    }

    /** A board with another chip of the family, under the same driver. */
    public Rk3588Options withChip(String value) {
        return with(draft -> draft.chip = value);
    }

    /** A board whose nodes belong to another group. */
    public Rk3588Options withoutPermission() {
        return with(draft -> draft.denied = true);
    }

    /** The same with one thing changed. */
    private Rk3588Options with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    /** All of it while it changes. */
    private static final class Draft {
        private long seed;
        private boolean haltRetires;
        private boolean evictDirtyLines;
        private boolean scalarEngine;
        private boolean bypassSoftReset;
        private long sramBytes;
        private int driverVersion;
        private String chip;
        private boolean denied;
        private FaultPlan faults;

        Draft(Rk3588Options from) {
            seed = from.seed;
            haltRetires = from.haltRetires;
            evictDirtyLines = from.evictDirtyLines;
            scalarEngine = from.scalarEngine;
            bypassSoftReset = from.bypassSoftReset;
            sramBytes = from.sramBytes;
            driverVersion = from.driverVersion;
            chip = from.chip;
            denied = from.denied;
            faults = from.faults;
        }

        Rk3588Options options() {
            return new Rk3588Options(
                    seed,
                    haltRetires,
                    evictDirtyLines,
                    scalarEngine,
                    bypassSoftReset,
                    sramBytes,
                    driverVersion,
                    chip,
                    denied,
                    faults);
        }
    }
}
