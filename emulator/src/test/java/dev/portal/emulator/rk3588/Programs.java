package dev.portal.emulator.rk3588;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Row-major programs for tests: program P1 of the spec with the registers of another shape put in, after the table of
 * spec section 4. No address rule of the model is used here.
 */
final class Programs {
    static final int WORDS = 112;
    static final int BYTES = 8 * WORDS;
    private static final int LINK = 108;

    private Programs() {}

    /** int8 to int32. */
    static long[] int8(int m, int k, int n, long a, long b, long c) {
        long[] words = p1();
        int banks = Math.max(1, (m * k + 32767) / 32768);
        sizes(words, m, k, n, 1, banks, (k + 63) / 64);
        addresses(words, a, b, c);
        set(words, 0x4038, (n / 4 - 1) * 0x10001);
        set(words, 0x403c, (n - 1) * 0x10001);
        return words;
    }

    /** fp16 to fp32. */
    static long[] half(int m, int k, int n, long a, long b, long c) {
        long[] words = p1();
        int banks = Math.max(1, (2 * m * k + 32767) / 32768);
        sizes(words, m, k, n, 2, banks, k / 32);
        addresses(words, a, b, c);
        set(words, 0x100c, 0x20000120);
        set(words, 0x3010, 0x201);
        set(words, 0x4010, 0xa8000002);
        set(words, 0x4050, 0x36e);
        set(words, 0x40c0, 0x40);
        set(words, 0x4038, (n / 4 - 1) * 0x10001);
        set(words, 0x403c, (n - 1) * 0x10001);
        return words;
    }

    private static void sizes(long[] words, int m, int k, int n, int element, int banks, int entries) {
        set(words, 0x1040, (12 - banks) << 4 | banks);
        set(words, 0x1010, 16 * (m + 1));
        set(words, 0x1020, 0x10000 | m);
        set(words, 0x1024, (k - 1) << 16 | k);
        set(words, 0x102c, m);
        set(words, 0x1030, k * n * element);
        set(words, 0x1034, k * element);
        set(words, 0x1038, 0x01010000 | n);
        set(words, 0x1044, entries);
        set(words, 0x107c, k * element / 16);
        set(words, 0x1084, 0x10000 | m);
        set(words, 0x1088, k);
        set(words, 0x3014, (m - 1) << 16);
        set(words, 0x3018, n - 1);
        set(words, 0x4034, m - 1);
        set(words, 0x4058, n - 1);
        set(words, 0x405c, (m - 1) << 16);
    }

    static void addresses(long[] words, long a, long b, long c) {
        set(words, 0x1070, (int) a);
        set(words, 0x1110, (int) b);
        set(words, 0x4020, (int) c);
    }

    /** Requantised to int8. */
    static long[] requantised(long[] words, int n, int multiplier, int shift) {
        set(words, 0x4010, 0);
        set(words, 0x4038, (n / 16 - 1) * 0x10001);
        set(words, 0x4050, 0x124);
        set(words, 0x40c0, 0x20);
        set(words, 0x4084, multiplier);
        set(words, 0x4088, shift);
        return words;
    }

    /** Every word that writes {@code register}. */
    static void set(long[] words, int register, int value) {
        for (int i = 0; i < words.length; i++) {
            if ((words[i] & 0xffff) == register && words[i] >>> 48 != 0x0081) {
                words[i] = (words[i] & 0xffff_0000_0000_ffffL) | (value & 0xffff_ffffL) << 16;
            }
        }
    }

    /** Links to a program of 112 words. */
    static void link(long[] words, long next) {
        words[LINK] = 0x0101L << 48 | next << 16 | 0x0010;
        words[LINK + 1] = 0x0101L << 48 | 0x37L << 16 | 0x0014;
    }

    static long terminalLength() {
        return 0x0101L << 48 | 0x0014;
    }

    static long[] p1() {
        try (var in = Objects.requireNonNull(Programs.class.getResourceAsStream("p1.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .mapToLong(word -> Long.parseUnsignedLong(word, 16))
                    .toArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
