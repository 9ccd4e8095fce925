package dev.portal.emulator.rk3588;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.Diagnostic;
import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.ModelReport;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.DpuRegisters;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.Precision;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A core on a bench: no kernel, no IOMMU, memory images at the addresses that the program names. Runs given words as
 * they are; each of the core's masters has its own image, so images of large operands may overlap in the address space.
 *
 * <p>One thread; every run starts from reset.
 */
public final class BareChip {
    private static final long PROGRAM_ADDRESS = 0x1000;
    private static final int DPU_MASK = 0x300;

    /**
     * What a program asks for, as read from its words.
     *
     * @param supported whether the emulator models it
     * @param rowBytes bytes from one row of a row-major result to the next
     */
    public record Shape(
            Precision input,
            Precision output,
            int rows,
            int channels,
            int kernels,
            long features,
            long weights,
            long results,
            long rowBytes,
            boolean supported) {}

    /**
     * What came of a run.
     *
     * @param completed whether the completion interrupt came
     * @param results the image of the results
     * @param diagnostics everything that was said, notes included
     * @param interruptStatus of the completion, 0x100 or 0x200
     */
    public record Outcome(
            boolean completed, byte[] results, List<Diagnostic> diagnostics, int interruptStatus, long elapsedNanos) {
        /** Why the result cannot be trusted; empty for a good run. */
        public Optional<Diagnostic> fault() {
            return diagnostics.stream()
                    .filter(found -> found.severity() != Severity.NOTE)
                    .findFirst()
                    .or(() -> completed
                            ? Optional.empty()
                            : Optional.of(new Diagnostic(Severity.FATAL, "no-completion", "the program never ends")));
        }

        /** Whether the emulator has no model of what the program asks. */
        public boolean unsupported() {
            return diagnostics.stream().anyMatch(found -> found.code().equals(StrictChecks.UNSUPPORTED));
        }
    }

    private final Rk3588Options options;

    public BareChip(Rk3588Options options) {
        this.options = options;
    }

    /**
     * Reads what a program asks for.
     *
     * @throws IllegalArgumentException when it has no enable word
     */
    public Shape shape(long[] words) {
        RegisterGroups registers = new RegisterGroups();
        ModelReport report = new ModelReport();
        Images images = new Images(words, new byte[0], new byte[0], new byte[0]);
        ProgramFetch.Program program =
                new ProgramFetch(images, registers, report).fetch(PROGRAM_ADDRESS, amount(words), 0);
        MatmulTask task = program.task();
        if (task == null) {
            throw new IllegalArgumentException(report.faults().getFirst().message());
        }
        boolean supported =
                StrictChecks.of(task).stream().noneMatch(found -> found.code().equals(StrictChecks.UNSUPPORTED));
        return new Shape(
                task.cna().input(),
                task.out().output(),
                task.cna().rows(),
                task.cna().channels(),
                task.cna().kernels(),
                task.cna().feature(),
                task.cna().weights(),
                task.out().destination(),
                Addressing.Output.of(task.out()).linePitch(),
                supported);
    }

    /**
     * Runs one program.
     *
     * @param words trailer included; an even number, or it is padded
     * @param features bytes from the program's feature address on
     * @param weights bytes from its weight address on
     * @param resultBytes room from its destination on; a write outside is a fault
     */
    public Outcome run(long[] words, byte[] features, byte[] weights, int resultBytes) {
        byte[] results = new byte[resultBytes];
        Arrays.fill(results, (byte) 0xAA);
        VirtualClock clock = new VirtualClock();
        ModelReport report = new ModelReport();
        Images images = new Images(words, features, weights, results);
        boolean[] completed = {false};
        CoreModel core = new CoreModel(
                0,
                new Chip(clock, clock, TimingModel.standard(), report, options),
                images,
                index -> completed[0] = true,
                index -> {});
        core.write(CnaRegisters.CNA_S_POINTER, 0xe);
        core.write(PcRegisters.PC_BASE_ADDRESS, (int) PROGRAM_ADDRESS);
        core.write(PcRegisters.PC_REGISTER_AMOUNTS, amount(words));
        core.write(PcRegisters.PC_INTERRUPT_MASK, DPU_MASK);
        core.write(PcRegisters.PC_TASK_CON, 0x7001);
        core.write(PcRegisters.PC_OPERATION_ENABLE, 1);
        while (clock.runNext()) {
            // events book events until the program ends or hangs
        }
        return new Outcome(
                completed[0], results, report.entries(), core.read(PcRegisters.PC_INTERRUPT_STATUS), clock.nanos());
    }

    private static int amount(long[] words) {
        return Math.max(0, (words.length + 1) / 2 - 1);
    }

    /** One image a master. */
    private static final class Images implements Dma {
        private final byte[] program;
        private final byte[] features;
        private final byte[] weights;
        private final byte[] results;
        private final long[] bases = new long[Port.values().length];
        private final boolean[] placed = new boolean[bases.length];

        Images(long[] words, byte[] features, byte[] weights, byte[] results) {
            this.program = new byte[16 * (words.length / 2 + 1)];
            ByteBuffer buffer = ByteBuffer.wrap(program).order(ByteOrder.LITTLE_ENDIAN);
            for (long word : words) {
                buffer.putLong(word);
            }
            this.features = features;
            this.weights = weights;
            this.results = results;
            place(Port.PROGRAM, PROGRAM_ADDRESS);
            for (long word : words) {
                switch ((int) (word & 0xffff)) {
                    case CnaRegisters.CNA_FEATURE_DATA_ADDR -> place(Port.FEATURE, word >>> 16 & 0xffff_ffffL);
                    case CnaRegisters.CNA_DCOMP_ADDR0 -> place(Port.WEIGHT, word >>> 16 & 0xffff_ffffL);
                    case DpuRegisters.DPU_DST_BASE_ADDR -> place(Port.OUTPUT, word >>> 16 & 0xffff_ffffL);
                    default -> {}
                }
            }
        }

        private void place(Port port, long base) {
            bases[port.ordinal()] = base;
            placed[port.ordinal()] = true;
        }

        private byte[] image(Port port) {
            return switch (port) {
                case PROGRAM -> program;
                case FEATURE -> features;
                case WEIGHT -> weights;
                case OUTPUT -> results;
            };
        }

        private int at(Port port, long iova, int length) throws DmaFault {
            long offset = iova - bases[port.ordinal()];
            int size = image(port).length;
            if (!placed[port.ordinal()] || offset < 0 || offset + length > size) {
                throw new DmaFault(
                        port,
                        iova,
                        "outside the operand of " + size + " bytes at 0x" + Long.toHexString(bases[port.ordinal()]));
            }
            return (int) offset;
        }

        @Override
        public void read(Port port, long iova, byte[] into, int offset, int length) throws DmaFault {
            System.arraycopy(image(port), at(port, iova, length), into, offset, length);
        }

        @Override
        public void write(Port port, long iova, byte[] from, int offset, int length) throws DmaFault {
            System.arraycopy(from, offset, image(port), at(port, iova, length), length);
        }

        @Override
        public @Nullable Window window(Port port, long iova, int length) {
            long offset = iova - bases[port.ordinal()];
            boolean inside = offset >= 0 && offset + length <= image(port).length;
            return inside ? new Window(image(port), (int) offset) : null;
        }
    }
}
