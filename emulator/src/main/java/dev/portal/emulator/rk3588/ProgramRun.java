package dev.portal.emulator.rk3588;

import dev.portal.base.RandomStream;
import dev.portal.emulator.Diagnostic;
import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.FaultPlan;
import dev.portal.hardware.rk3588.Precision;
import java.util.ArrayList;
import java.util.List;

/**
 * One program in the blocks of one core: operands in, sums, output stage, results out.
 *
 * <p>Results land in pieces. int8 rows come in an order that is drawn anew for each program, each row's last column
 * last; of every other output, parts of rows come in any order (spec 5.3, 16).
 */
final class ProgramRun {
    /** More than this the chip would never be asked for; a mutated program could. */
    private static final long MAX_SUMS = 1L << 25;

    private static final long MAX_OPERAND_BYTES = 1L << 28;
    private static final int MAX_LANDINGS = 8;

    /** Part of a row: surfaces {@code from} to {@code to}. */
    private record Piece(int row, int from, int to) {}

    private final Chip chip;
    private final Dma dma;
    private final Operands operands;
    private final MatrixEngine engine;
    private final MatmulTask task;
    private final List<Diagnostic> findings;
    private final List<Piece> pieces = new ArrayList<>();
    private byte[] results = new byte[0];

    ProgramRun(Chip chip, Dma dma, Operands operands, MatrixEngine engine, MatmulTask task) {
        this.chip = chip;
        this.dma = dma;
        this.operands = operands;
        this.engine = engine;
        this.task = task;
        this.findings = StrictChecks.of(task);
        findings.forEach(found -> chip.report.add(found.severity(), found.code(), found.message()));
    }

    MatmulTask task() {
        return task;
    }

    /** Whether the blocks never finish with this program. */
    boolean hangs() {
        MatmulTask.Cna cna = task.cna();
        long rowBytes = (long) cna.channels() * cna.input().bytes();
        boolean tooLarge = (long) cna.rows() * cna.kernels() > MAX_SUMS
                || cna.rows() * rowBytes > MAX_OPERAND_BYTES
                || cna.kernels() * rowBytes > MAX_OPERAND_BYTES;
        return tooLarge || findings.stream().anyMatch(found -> found.severity() == Severity.FATAL);
    }

    /** Whether results land but the completion never comes: int8 output of a partial kernel group (experiments). */
    boolean stalls() {
        return has(StrictChecks.PARTIAL_GROUP);
    }

    /** How many steps {@link #land} takes; known once {@link #compute} has run. */
    int landings() {
        return Math.min(MAX_LANDINGS, pieces.size());
    }

    /** Whether the result is one row that lands with the completion. */
    boolean landsAtOnce() {
        return task.cna().rows() == 1 && ordered();
    }

    /**
     * Reads the operands as memory is now and computes.
     *
     * @param reuse whether stale features of the program before are used instead of memory (Q10)
     */
    void compute(boolean reuse) throws DmaFault {
        MatmulTask.Cna cna = task.cna();
        int rows = cna.rows();
        int kernels = cna.kernels();
        if (rows == 0 || kernels == 0 || cna.channels() % Addressing.TILE_CHANNELS != 0) {
            return;
        }
        if (!reuse
                || operands.features().length
                        < rows * cna.channels() * cna.input().bytes()) {
            operands.loadFeatures(cna);
        }
        operands.loadWeights(cna);
        operands.spoil(cna, soundRows());
        int group = Addressing.kernelGroup(cna.input().bytes());
        int whole = kernels / group * group;
        int[] sums = new int[rows * whole];
        if (cna.input() == Precision.INT8) {
            engine.int8(
                    operands.features(),
                    operands.weights(),
                    operands.weightOffset(),
                    rows,
                    cna.channels(),
                    whole,
                    sums);
        } else {
            shortCount(cna);
            engine.fp16(
                    operands.features(),
                    operands.weights(),
                    operands.weightOffset(),
                    rows,
                    cna.channels(),
                    whole,
                    sums);
        }
        results = new byte[sums.length * task.out().output().bytes()];
        OutputStage.convert(task.out(), sums, 0, sums.length, results, 0);
        cut(rows, whole * task.out().output().bytes() / Addressing.ATOM);
    }

    private void shortCount(MatmulTask.Cna cna) {
        chip.faults.at(FaultPlan.Kind.FP16_SHORT_ROUND).ifPresent(fault -> {
            for (int row = 0; row < cna.rows(); row++) {
                operands.dropEntries(cna, row, fault.amount());
            }
        });
        chip.faults
                .at(FaultPlan.Kind.FP16_SHORT_ROW)
                .ifPresent(fault -> operands.dropEntries(cna, chip.rowOrder.nextInt(cna.rows()), fault.amount()));
    }

    /** Rows that the bank split leaves intact (spec 6.1). */
    private int soundRows() {
        int rows = task.cna().rows();
        if (has(StrictChecks.BANK_OVERFLOW)) {
            int rowBytes = task.cna().channels() * task.cna().input().bytes();
            return Math.min(rows, task.cna().dataBanks() * 32_768 / rowBytes);
        }
        boolean spoiled = findings.stream()
                .anyMatch(found -> found.severity() == Severity.WRONG
                        && !found.code().equals(StrictChecks.UNEQUAL_NOTCHES)
                        && !found.code().equals(StrictChecks.LINE_GROUP)
                        && !found.code().equals(StrictChecks.SIZE_E)
                        && !found.code().equals(StrictChecks.PARTIAL_GROUP));
        return spoiled ? 0 : rows;
    }

    private boolean has(String code) {
        return findings.stream().anyMatch(found -> found.code().equals(code));
    }

    private boolean ordered() {
        return task.cna().input() == Precision.INT8
                && Addressing.Output.of(task.out()).rowsAreContiguous();
    }

    private void cut(int rows, int surfaces) {
        int last = has(StrictChecks.SIZE_E) ? Math.min(surfaces, task.out().surfacesPerGroup()) : surfaces;
        int written = has(StrictChecks.UNEQUAL_NOTCHES) ? task.cna().width() : rows;
        boolean halves = !ordered() && last > 1;
        for (int row = 0; row < Math.min(written, rows); row++) {
            if (halves) {
                pieces.add(new Piece(row, last / 2, last));
                pieces.add(new Piece(row, 0, last / 2));
            } else {
                pieces.add(new Piece(row, 0, last));
            }
        }
        RandomStream random = chip.rowOrder;
        for (int i = pieces.size() - 1; i > 0; i--) {
            pieces.set(i, pieces.set(random.nextInt(i + 1), pieces.get(i)));
        }
    }

    /** Writes the pieces of one step, 0 to {@link #landings()} - 1. */
    void land(int step) throws DmaFault {
        Addressing.Output rule = Addressing.Output.of(task.out());
        int from = (int) ((long) pieces.size() * step / landings());
        int to = (int) ((long) pieces.size() * (step + 1) / landings());
        for (Piece piece : pieces.subList(from, to)) {
            write(rule, piece);
        }
    }

    private void write(Addressing.Output rule, Piece piece) throws DmaFault {
        int width = task.cna().width();
        int rowBytes = results.length / task.cna().rows();
        int at = piece.row() * rowBytes;
        int h = piece.row() / width;
        int w = piece.row() % width;
        if (rule.rowsAreContiguous()) {
            int bytes = (piece.to() - piece.from()) * Addressing.ATOM;
            dma.write(
                    Dma.Port.OUTPUT,
                    rule.atom(piece.from(), h, w),
                    results,
                    at + piece.from() * Addressing.ATOM,
                    bytes);
            return;
        }
        for (int s = piece.from(); s < piece.to(); s++) {
            dma.write(Dma.Port.OUTPUT, rule.atom(s, h, w), results, at + s * Addressing.ATOM, Addressing.ATOM);
        }
    }
}
