package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.Precision;

/**
 * How long things take: a model with parameters (spec section 10), fitted to a few rows of {@code timing.tsv}; every
 * other figure that it gives is a prediction.
 *
 * @param clockHz of the NPU
 * @param commitNanos from the commit to the first program
 * @param interruptNanos from the last program to the handled interrupt; with the former the 11 us floor of a job
 * @param programFloorNanos least time of a program
 * @param int8Efficiency part of the 1024 MAC a cycle that int8 reaches
 * @param fp16Efficiency part of the 512 MAC a cycle that fp16 reaches
 * @param bytesPerNano memory bandwidth of one, two and three busy cores together
 * @param submitNanos from the call to the commit
 * @param wakeNanos from the interrupt to the return of a blocking call
 * @param nonblockNanos a NONBLOCK submit
 * @param syncNanos a MEM_SYNC
 * @param resetNanos a soft reset
 */
record TimingModel(
        long clockHz,
        long commitNanos,
        long interruptNanos,
        long programFloorNanos,
        double int8Efficiency,
        double fp16Efficiency,
        Bandwidth bytesPerNano,
        long submitNanos,
        long wakeNanos,
        long nonblockNanos,
        long syncNanos,
        long resetNanos) {

    /** In bytes a nanosecond, all busy cores together. */
    record Bandwidth(double one, double two, double three) {
        double ofCores(int busy) {
            return switch (busy) {
                case 0, 1 -> one;
                case 2 -> two;
                default -> three;
            };
        }
    }

    /** The parameters of spec section 10 at 1 GHz. */
    static TimingModel standard() {
        return new TimingModel(
                1_000_000_000L,
                8_000,
                3_000,
                670,
                0.67,
                0.70,
                new Bandwidth(9.5, 13, 20),
                20_000,
                21_000,
                5_000,
                2_000,
                105_000_000);
    }

    /** The same chip, with calls that take no time of the model's. */
    TimingModel withoutCallTimes() {
        return new TimingModel(
                clockHz,
                commitNanos,
                interruptNanos,
                programFloorNanos,
                int8Efficiency,
                fp16Efficiency,
                bytesPerNano,
                0,
                0,
                0,
                0,
                resetNanos);
    }

    /** The same chip at another clock; memory keeps its speed. */
    TimingModel atClock(long hertz) {
        return new TimingModel(
                hertz,
                commitNanos,
                interruptNanos,
                programFloorNanos,
                int8Efficiency,
                fp16Efficiency,
                bytesPerNano,
                submitNanos,
                wakeNanos,
                nonblockNanos,
                syncNanos,
                resetNanos);
    }

    /** A program's time on one of {@code busy} cores. */
    long programNanos(MatmulTask task, int busy) {
        MatmulTask.Cna cna = task.cna();
        return productNanos(
                cna.input(),
                cna.rows(),
                cna.channels(),
                cna.kernels(),
                task.out().output().bytes(),
                busy);
    }

    /** Time of a product M x K x N in one program on one of {@code busy} cores. */
    long productNanos(Precision type, int m, int k, int n, int outputBytes, int busy) {
        double rate = type == Precision.INT8 ? 1024 * int8Efficiency : 512 * fp16Efficiency;
        double share = bytesPerNano.ofCores(busy) / Math.max(1, busy);
        double in = ((double) m + n) * k * type.bytes();
        double out = (double) m * n * outputBytes;
        double compute = (double) m * k * n / (rate * clockHz / 1e9);
        return Math.max(programFloorNanos, Math.round(Math.max(compute, Math.max(in, out) / share)));
    }

    /** Elapsed times of the driver come in steps of its 24 MHz clock. */
    static long quantised(long nanos) {
        long ticks = Math.round(nanos * 24 / 1000.0);
        return ticks * 1000 / 24;
    }
}
