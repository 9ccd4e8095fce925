package dev.portal.emulator.rk3588;

import dev.portal.base.Clock;
import dev.portal.base.RandomStream;
import dev.portal.base.Timers;
import dev.portal.emulator.FaultInjector;
import dev.portal.emulator.ModelReport;

/** What the cores of one chip share. */
final class Chip {
    final Clock clock;
    final Timers timers;
    final TimingModel timing;
    final ModelReport report;
    final FaultInjector faults;
    final RandomStream rowOrder;
    final Rk3588Options options;

    /** Cores that run a program, for the memory bandwidth. */
    int busy;

    /** Whether the commit that is being made is one of the first three after a switch of the IOMMU domain (spec 8.6). */
    boolean soonAfterSwitch;

    /** Nothing completes any more until the power is cycled. */
    boolean wedged;

    Chip(Clock clock, Timers timers, TimingModel timing, ModelReport report, Rk3588Options options) {
        this.clock = clock;
        this.timers = timers;
        this.timing = timing;
        this.report = report;
        this.options = options;
        RandomStream random = new RandomStream(options.seed()).derive("rk3588");
        this.faults = new FaultInjector(options.faults(), clock, random.derive("faults"));
        this.rowOrder = random.derive("row-order");
    }
}
