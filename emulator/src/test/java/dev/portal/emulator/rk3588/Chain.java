package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.RknpuAbi;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * S programs of int8 1x512x32 in one buffer, linked, each with its own result of 32 ints; features and weights are ones
 * but for the first feature of program i, which is i + 1, so result i is 512 + i everywhere, as long as a
 * byte holds i + 1.
 */
final class Chain {
    static final int K = 512;
    static final int N = 32;
    static final int RESULT_BYTES = 4 * N;
    static final int SENTINEL = 0x7fffffff;

    final Board board;
    final int steps;
    final Board.Buffer features;
    final Board.Buffer weights;
    final Board.Buffer results;
    final Board.Buffer programs;
    final Board.Buffer tasks;

    Chain(Board board, int steps) {
        this.board = board;
        this.steps = steps;
        features = board.buffer((long) steps * K, Board.DATA);
        weights = board.buffer((long) K * N, Board.DATA);
        results = board.buffer((long) steps * RESULT_BYTES, Board.DATA);
        programs = board.buffer((long) steps * Programs.BYTES, Board.DATA);
        tasks = board.buffer(40L * steps, Board.TASKS);
        byte[] ones = new byte[K * N];
        Arrays.fill(ones, (byte) 1);
        weights.bytes(0, ones);
        for (int i = 0; i < steps; i++) {
            byte[] row = new byte[K];
            Arrays.fill(row, (byte) 1);
            row[0] = (byte) (i + 1);
            features.bytes((long) i * K, row);
            for (int n = 0; n < N; n++) {
                results.ints((long) i * RESULT_BYTES + 4L * n, SENTINEL);
            }
            write(i, words(i));
        }
        board.toDevice(features, weights, results, programs);
        long[] addresses = new long[steps];
        Arrays.setAll(addresses, this::address);
        board.tasks(tasks, addresses);
    }

    long address(int step) {
        return programs.iova() + (long) step * Programs.BYTES;
    }

    /** The words of a step, linked to the next one, terminal when it is the last. */
    long[] words(int step) {
        long[] words = Programs.int8(
                1,
                K,
                N,
                features.iova() + (long) step * K,
                weights.iova(),
                results.iova() + (long) step * RESULT_BYTES);
        if (step + 1 < steps) {
            Programs.link(words, address(step + 1));
        }
        return words;
    }

    void write(int step, long[] words) {
        programs.words((long) step * Programs.BYTES, words);
    }

    /** Overwrites one word and cleans its line. */
    void patch(int step, int word, long value) {
        long at = (long) step * Programs.BYTES + 8L * word;
        programs.memory().set(ValueLayout.JAVA_LONG, at, value);
        board.kernel.cacheMaintenance().orElseThrow().clean(programs.memory(), at, 8);
    }

    /** Reads result {@code step} afresh: true when all of it is right. */
    boolean isRight(int step) {
        board.sync(results, RknpuAbi.SYNC_FROM_DEVICE, (long) step * RESULT_BYTES, RESULT_BYTES);
        for (int n = 0; n < N; n++) {
            if (results.int32(step * N + n) != K - 1 + (byte) (step + 1)) {
                return false;
            }
        }
        return true;
    }

    /** Steps whose result is right, counted. */
    int countRight() {
        int right = 0;
        for (int i = 0; i < steps; i++) {
            right += isRight(i) ? 1 : 0;
        }
        return right;
    }
}
