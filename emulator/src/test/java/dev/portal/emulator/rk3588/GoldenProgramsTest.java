package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The given words of three generators, run on the emulated chip with operands in each generator's own layout (spec 5.1,
 * 14): the fingerprint of {@code matmul_results.tsv} where there is one, plain arithmetic where there is none.
 */
class GoldenProgramsTest {
    private static final long FAST = 1L << 22;

    private record Row(
            String id,
            String dtype,
            String out,
            int m,
            int k,
            int n,
            int stride,
            int mult,
            int shift,
            String note,
            long[] words) {
        static Row of(String line) {
            String[] f = line.split("\t", -1);
            long[] words = f.length < 18 || f[17].isBlank()
                    ? new long[0]
                    : Arrays.stream(f[17].split(" "))
                            .mapToLong(word -> Long.parseUnsignedLong(word, 16))
                            .toArray();
            return new Row(
                    f[0],
                    f[1],
                    f[2],
                    Integer.parseInt(f[3]),
                    Integer.parseInt(f[4]),
                    Integer.parseInt(f[5]),
                    Integer.parseInt(f[7]),
                    Integer.parseInt(f[8]),
                    Integer.parseInt(f[9]),
                    f[16],
                    words);
        }

        Workload workload() {
            return new Workload(dtype.equals("fp16"), out, m, k, n, mult, shift);
        }

        boolean inRange() {
            return !note.startsWith("outside");
        }
    }

    private static List<Row> rows(String generator) {
        return Golden.lines("rk3588/" + generator + ".tsv").stream()
                .map(Row::of)
                .toList();
    }

    private static Map<String, String> fingerprints() {
        Map<String, String> known = new HashMap<>();
        for (String line : Golden.lines("rk3588/matmul_results.tsv")) {
            String[] f = line.split("\t");
            known.put(f[0] + " " + f[1] + "x" + f[2] + "x" + f[3] + " " + f[4], f[5]);
        }
        return known;
    }

    private static BareChip.Outcome run(Row row, boolean rowMajor) {
        Workload work = row.workload();
        int pitch = Math.max(row.n(), row.stride());
        return new BareChip(Rk3588Options.standard())
                .run(
                        row.words(),
                        rowMajor ? work.rowMajorFeatures() : work.cubeFeatures(),
                        work.weights(),
                        row.m() * pitch * work.outBytes());
    }

    private static void check(String generator, boolean large) {
        Map<String, String> known = fingerprints();
        SoftAssertions softly = new SoftAssertions();
        int checked = 0;
        for (Row row : rows(generator)) {
            boolean matmul = row.dtype().equals("int8") || row.dtype().equals("fp16");
            long size = (long) row.m() * row.k() * row.n();
            if (!matmul || row.words().length == 0 || size > FAST != large) {
                continue;
            }
            boolean rowMajor = generator.equals("ork");
            BareChip.Outcome outcome = run(row, rowMajor);
            String expectedFault = expectedFault(generator, row);
            if (!expectedFault.isEmpty()) {
                softly.assertThat(outcome.fault().map(fault -> fault.code()).orElse("none"))
                        .as(row.id())
                        .isEqualTo(expectedFault);
            } else {
                Workload work = row.workload();
                byte[] dense = rowMajor
                        ? work.fromRows(outcome.results(), Math.max(row.n(), row.stride()))
                        : work.fromCubes(outcome.results());
                String key = row.dtype() + " " + row.m() + "x" + row.k() + "x" + row.n() + " " + row.out();
                String expected = known.getOrDefault(key, "");
                if (expected.isEmpty()) {
                    expected = Workload.fingerprint(work.expected());
                }
                softly.assertThat(outcome.fault()).as(row.id()).isEmpty();
                softly.assertThat(Workload.fingerprint(dense)).as(row.id()).isEqualTo(expected);
            }
            checked++;
        }
        softly.assertAll();
        assertThat(checked).as("programs of %s", generator).isGreaterThan(5);
    }

    /** What the chip would not accept: rows known not to work, and bank splits out of ork's own range (spec 6.2). */
    private static String expectedFault(String generator, Row row) {
        if (generator.equals("rocket_userspace") && row.m() == 1) {
            return "line-group";
        }
        if (row.stride() > row.n() && row.m() > 1) {
            return StrictChecks.UNEQUAL_NOTCHES;
        }
        if (!row.inRange()) {
            int cbuf = Arrays.stream(row.words())
                    .filter(word -> (word & 0xffff) == 0x1040)
                    .mapToInt(word -> (int) (word >>> 16))
                    .findFirst()
                    .orElseThrow();
            int data = cbuf & 15;
            if (data + (cbuf >> 4 & 15) != 12) {
                return StrictChecks.BANK_SUM;
            }
            long bytes = (long) row.m() * row.k() * row.workload().elementBytes();
            return (bytes + 32767) / 32768 > data ? StrictChecks.BANK_OVERFLOW : "";
        }
        return "";
    }

    @ParameterizedTest
    @ValueSource(strings = {"ork", "mtx512", "rocket_userspace"})
    void smallProgramsGiveTheGoldenFingerprints(String generator) {
        check(generator, false);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"ork", "mtx512", "rocket_userspace"})
    void largeProgramsGiveTheGoldenFingerprints(String generator) {
        check(generator, true);
    }

    @Test
    void otherPrecisionsAreUnsupported() {
        List<String> supported = new ArrayList<>();
        for (Row row : rows("rocket_userspace")) {
            boolean matmul = row.dtype().equals("int8") || row.dtype().equals("fp16");
            if (!matmul
                    && row.words().length > 0
                    && !new BareChip(Rk3588Options.standard())
                            .run(row.words(), new byte[0], new byte[0], 0)
                            .unsupported()) {
                supported.add(row.id());
            }
        }
        assertThat(supported).isEmpty();
    }
}
