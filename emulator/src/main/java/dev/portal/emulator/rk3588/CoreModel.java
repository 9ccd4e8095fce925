package dev.portal.emulator.rk3588;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.CoreRegisters;
import dev.portal.hardware.rk3588.PcRegisters;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One core: the registers of its program controller as the driver sees them, and the walk through a chain of programs
 * (spec 7).
 *
 * <pre>
 *   idle -> OP_EN -> running program p (p + 1 is fetched already, with ping-pong) -> ... -> TASK_NUMBER -> interrupt
 *                 \-> halted: a program without link before TASK_NUMBER; no interrupt in the profile halt-sticks
 *                 \-> hung: nothing comes until a reset
 * </pre>
 *
 * <p>Invariants: a program is fetched when the one before it starts (ping-pong on) or ends (off), never earlier; the
 * counter never passes TASK_NUMBER; an event of an earlier life (before a reset or a new start) does nothing.
 */
final class CoreModel {
    /** Interrupt bits of register group 0, shifted by one for group 1 (spec 7.1). */
    private static final int DPU_DONE = 0x100;

    private static final int FEATURE_SIDE_DONE = 0x1 | 0x4 | 0x10 | 0x40;
    private static final int INTERRUPT_BITS = 0x1ffff;

    /** Raw status bits that are set outside the interrupts (pc_registers.tsv). */
    private static final int RAW_BUSY_BITS = 0xc000_0000;

    private static final int COUNTER_IDLE = 0xf000;
    private static final int COUNTER_RESET = 0x5000;

    /** Part of a program after which its feature side is done: 79 us of 121 us (spec 7.3). */
    private static final double FEATURE_SIDE_PART = 0.65;

    private final int index;
    private final Chip chip;
    private final IntConsumer interruptLine;
    private final IntConsumer redirected;
    private final RegisterGroups registers = new RegisterGroups();
    private final ProgramFetch fetch;
    private final Dma dma;
    private final Operands operands;
    private final MatrixEngine engine;

    private int baseAddress;
    private int amounts;
    private int interruptMask;
    private int rawStatus;
    private int taskControl;
    private int dmaBase;
    private int idleCounter = COUNTER_RESET;

    private enum State {
        IDLE,
        RUNNING,
        HALTED,
        HUNG
    }

    private State state = State.IDLE;
    private int life;
    private int counter;
    private boolean cold = true;
    private boolean programBefore;
    private boolean lastWasTerminal;
    private boolean busyCounted;
    private ProgramFetch.@Nullable Program next;

    /**
     * @param interruptLine pulled, with the core's index, when an interrupt is due
     * @param redirected told of a chain that was redirected, with the core's index
     */
    CoreModel(int index, Chip chip, Dma dma, IntConsumer interruptLine, IntConsumer redirected) {
        this.index = index;
        this.chip = chip;
        this.dma = dma;
        this.interruptLine = interruptLine;
        this.redirected = redirected;
        this.fetch = new ProgramFetch(dma, registers, chip.report);
        this.operands = new Operands(dma);
        this.engine = chip.options.scalarEngine() ? new ScalarEngine() : new FastEngine();
    }

    /** Reads a register of the PC page. */
    int read(int offset) {
        return switch (offset) {
            case PcRegisters.PC_VERSION -> 0x46490000;
            case PcRegisters.PC_VERSION_NUM -> 0x5245;
            case PcRegisters.PC_BASE_ADDRESS -> baseAddress;
            case PcRegisters.PC_REGISTER_AMOUNTS -> amounts;
            case PcRegisters.PC_INTERRUPT_MASK -> interruptMask | 0x8000_0000;
            case PcRegisters.PC_INTERRUPT_STATUS -> rawStatus & interruptMask & INTERRUPT_BITS;
            case PcRegisters.PC_INTERRUPT_RAW_STATUS -> rawStatus | RAW_BUSY_BITS;
            case PcRegisters.PC_TASK_CON -> taskControl & 0x1fff;
            case PcRegisters.PC_TASK_DMA_BASE_ADDR -> dmaBase;
            case PcRegisters.PC_TASK_STATUS ->
                state == State.IDLE ? idleCounter : (pingPong() ? 0x5000 : 0x7000) | counter;
            default -> 0;
        };
    }

    /** Writes a register as the driver does, over the bus. */
    void write(int offset, int value) {
        switch (offset) {
            case PcRegisters.PC_OPERATION_ENABLE -> {
                if ((value & 1) != 0) {
                    start();
                }
            }
            case PcRegisters.PC_BASE_ADDRESS -> baseAddress = value;
            case PcRegisters.PC_REGISTER_AMOUNTS -> amounts = value;
            case PcRegisters.PC_INTERRUPT_MASK -> interruptMask = value & INTERRUPT_BITS;
            case PcRegisters.PC_INTERRUPT_CLEAR -> rawStatus &= ~value;
            case PcRegisters.PC_TASK_CON -> taskControl = value;
            case PcRegisters.PC_TASK_DMA_BASE_ADDR -> dmaBase = value & ~15;
            case CnaRegisters.CNA_S_POINTER, CoreRegisters.CORE_S_POINTER -> registers.pingPong((value & 0xe) != 0);
            default ->
                chip.report.add(
                        Severity.WRONG, "bus-write", "core " + index + ": write to 0x" + Integer.toHexString(offset));
        }
    }

    private boolean pingPong() {
        return PcRegisters.PC_TASK_CON_TASK_PP_EN.isSet(taskControl);
    }

    private int taskNumber() {
        return PcRegisters.PC_TASK_CON_TASK_NUMBER.decode(taskControl);
    }

    /** Whether the core runs programs now. */
    boolean isRunning() {
        return state == State.RUNNING;
    }

    private void start() {
        life++;
        counter = 0;
        next = null;
        state = State.RUNNING;
        programBefore = false;
        if (chip.wedged) {
            hang("wedged", "core " + index + " is wedged since a redirect experiment; only a power cycle helps");
        } else if (chip.faults.at(Kind.LOST_DISPATCH).isPresent()
                || (chip.soonAfterSwitch
                        && chip.faults.at(Kind.LOST_AFTER_SWITCH).isPresent())) {
            state = State.HUNG;
        } else {
            int address = baseAddress;
            int amount = amounts;
            ChainShape shape = ChainShape.of(dma, address, amount, taskNumber());
            if (shape.repeats()) {
                redirected("the chain runs a program again that it has run");
                return;
            }
            lastWasTerminal = shape.lastIsTerminal();
            book(chip.timing.commitNanos(), () -> run(fetch(address & 0xffff_fff0L, amount & 0xffff)));
        }
    }

    private ProgramFetch.Program fetch(long address, int amount) {
        baseAddress = (int) address;
        amounts = amount;
        return fetch.fetch(address, amount, dmaBase & 0xffff_ffffL);
    }

    private void run(ProgramFetch.Program program) {
        MatmulTask task = program.task();
        if (task == null) {
            state = State.HUNG;
            return;
        }
        boolean last = counter + 1 == taskNumber();
        if (last && lastWasTerminal && program.isLinked()) {
            redirected("the last counted program was linked onwards while the chain ran");
            return;
        }
        ProgramRun run = new ProgramRun(chip, dma, operands, engine, task);
        if (run.hangs()) {
            hang("hang", "core " + index + " never finishes program 0x" + Long.toHexString(program.address()));
            return;
        }
        if (chip.faults.at(Kind.IOMMU_FAULT).isPresent()) {
            hang("iommu-fault", "core " + index + ": injected fault");
            return;
        }
        countBusy(true);
        long nanos = chip.timing.programNanos(task, chip.busy);
        if (pingPong() && !last && program.isLinked()) {
            next = fetch(program.next(), program.nextAmount());
        }
        boolean silent = cold && chip.faults.at(Kind.COLD_FIRST_PASS).isPresent();
        boolean stale = (programBefore || !task.cna().dataReuse())
                ? false
                : chip.faults.at(Kind.STALE_CBUF).isPresent();
        cold = false;
        programBefore = true;
        if (last) {
            book((long) (nanos * FEATURE_SIDE_PART), () -> raise(FEATURE_SIDE_DONE << task.group(), 0));
        }
        book(nanos, () -> finish(program, run, silent, stale));
        if (!silent && !run.landsAtOnce()) {
            book(nanos / 2, () -> computeEarly(run, stale, nanos / 2));
        }
    }

    private void computeEarly(ProgramRun run, boolean stale, long remaining) {
        try {
            run.compute(stale);
            for (int step = 0; step < run.landings(); step++) {
                int landing = step;
                book(remaining * step / run.landings(), () -> land(run, landing));
            }
        } catch (DmaFault fault) {
            hang("iommu-fault", fault.text());
        }
    }

    private void land(ProgramRun run, int step) {
        try {
            run.land(step);
        } catch (DmaFault fault) {
            hang("iommu-fault", fault.text());
        }
    }

    private void finish(ProgramFetch.Program program, ProgramRun run, boolean silent, boolean stale) {
        if (!silent && run.landsAtOnce()) {
            try {
                run.compute(stale);
                if (run.landings() > 0) {
                    run.land(0);
                }
            } catch (DmaFault fault) {
                hang("iommu-fault", fault.text());
                return;
            }
        }
        if (run.stalls()) {
            hang("hang", "core " + index + " wrote whole kernel groups and waits for the rest of the last one");
            return;
        }
        countBusy(false);
        counter++;
        ProgramFetch.Program follower = next;
        next = null;
        int done = DPU_DONE << run.task().group();
        if (counter >= taskNumber()) {
            end(done);
        } else if (follower != null) {
            run(follower);
        } else if (program.isLinked()) {
            run(fetch(program.next(), program.nextAmount()));
        } else if (chip.options.haltRetires()) {
            end(done);
        } else {
            state = State.HALTED;
        }
    }

    private void end(int done) {
        state = State.IDLE;
        idleCounter = COUNTER_IDLE;
        long late =
                chip.faults.at(Kind.LATE_INTERRUPT).map(fault -> fault.amount()).orElse(0L);
        raise(done, chip.timing.interruptNanos() + late);
    }

    /** Sets status bits now and pulls the line after a while, when they are not masked. */
    private void raise(int bits, long delayNanos) {
        rawStatus |= bits;
        if ((bits & interruptMask) != 0) {
            book(delayNanos, () -> interruptLine.accept(index));
        }
    }

    private void redirected(String what) {
        if (chip.faults.at(Kind.HARD_WEDGE).isPresent()) {
            chip.wedged = true;
        }
        hang("redirect", "core " + index + ": " + what + "; boards abort the whole job (spec 7.2)");
        redirected.accept(index);
    }

    private void hang(String code, String message) {
        chip.report.add(Severity.FATAL, code, message);
        countBusy(false);
        life++;
        state = State.HUNG;
    }

    private void countBusy(boolean busy) {
        if (busyCounted != busy) {
            busyCounted = busy;
            chip.busy += busy ? 1 : -1;
        }
    }

    /** A soft reset. */
    void reset() {
        countBusy(false);
        life++;
        state = State.IDLE;
        idleCounter = COUNTER_RESET;
        counter = 0;
        rawStatus = 0;
        baseAddress = 1;
        next = null;
        cold = true;
        registers.reset();
    }

    private void book(long delayNanos, Runnable event) {
        int booked = life;
        chip.timers.at(chip.clock.nanos() + delayNanos, () -> {
            if (life == booked) {
                event.run();
            }
        });
    }
}
