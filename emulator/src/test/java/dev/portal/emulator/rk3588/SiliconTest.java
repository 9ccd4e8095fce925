package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Programs and results that other people captured on boards; the files are read in place and never copied. */
class SiliconTest {
    private static final HexFormat HEX = HexFormat.of();

    private static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\\s*\"([^\"]*)\"").matcher(json);
        assertThat(found.find()).as(name).isTrue();
        return found.group(1);
    }

    private static List<String> list(String json, String name) {
        Matcher found =
                Pattern.compile("\"" + name + "\":\\s*\\[([^\\]\\[]*)\\]").matcher(json);
        assertThat(found.find()).as(name).isTrue();
        return Arrays.stream(found.group(1).split(","))
                .map(item -> item.trim().replace("\"", ""))
                .toList();
    }

    /** Rows of a list of lists of integers. */
    private static int[][] table(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\\s*\\[(\\s*\\[.*?\\])\\s*\\]", Pattern.DOTALL)
                .matcher(json);
        assertThat(found.find()).as(name).isTrue();
        return Pattern.compile("\\[([^\\]]*)\\]")
                .matcher(found.group(1))
                .results()
                .map(row -> Arrays.stream(row.group(1).split(","))
                        .mapToInt(number -> Integer.parseInt(number.trim()))
                        .toArray())
                .toArray(int[][]::new);
    }

    private static long[] words(List<String> hex) {
        return hex.stream().mapToLong(word -> Long.parseUnsignedLong(word, 16)).toArray();
    }

    private static BareChip.Outcome run(long[] words, byte[] a, byte[] b, int resultBytes) {
        BareChip.Outcome outcome = new BareChip(Rk3588Options.standard()).run(words, a, b, resultBytes);
        assertThat(outcome.fault()).isEmpty();
        return outcome;
    }

    @Test
    void int8FourRowsGiveTheCapturedBytes() {
        String json = Golden.text("silicon/matmul_int8_4x32x32.json");
        byte[] c = HEX.parseHex(field(json, "C_bytes_hex"));
        BareChip.Outcome outcome = run(
                words(list(json, "words")),
                HEX.parseHex(field(json, "A_bytes_hex")),
                HEX.parseHex(field(json, "B_bytes_hex")),
                c.length);
        assertThat(c).hasSize(4 * 128);
        assertThat(outcome.results()).isEqualTo(c);
    }

    @Test
    void fp16VendorProgramOfAChainGivesTheCapturedRow() {
        String json = Golden.text("silicon/matmul_fp16_8x32x64.json");
        byte[] a = new byte[8 * 32 * 2];
        int value = Integer.parseInt(field(json, "A_value_hex"), 16);
        for (int i = 0; i < a.length; i += 2) {
            a[i] = (byte) value;
            a[i + 1] = (byte) (value >> 8);
        }
        List<String> row = list(json, "C_row_hex");
        BareChip.Outcome outcome =
                run(words(list(json, "words")), a, HEX.parseHex(field(json, "B_bytes_hex")), 8 * 64 * 2);
        for (int m = 0; m < 8; m++) {
            for (int n = 0; n < 64; n++) {
                int at = n / 8 * 128 + m * 16 + n % 8 * 2;
                String got = "%02x%02x".formatted(outcome.results()[at + 1], outcome.results()[at]);
                assertThat(got).as("row %d column %d", m, n).isEqualTo(row.get(n));
            }
        }
    }

    @Test
    void fp16WithPaddedChannelsGivesThePrintedResults() {
        String json = Golden.text("silicon/matmul_fp16_4x36x16.json");
        String row = Golden.lines("rk3588/mtx512.tsv").stream()
                .filter(line -> line.startsWith("mtx_fp16_fp32_4x64x16\t"))
                .findFirst()
                .orElseThrow();
        long[] words = words(List.of(row.split("\t")[17].split(" ")));
        int[][] a = table(json, "A");
        int[][] b = table(json, "B_n_by_k");
        byte[] features = new byte[4 * 64 * 2];
        byte[] weights = new byte[16 * 64 * 2];
        for (int k = 0; k < 36; k++) {
            for (int m = 0; m < 4; m++) {
                half(features, k / 8 * 64 + m * 16 + k % 8 * 2, a[m][k]);
            }
            for (int n = 0; n < 16; n++) {
                half(weights, (k / 32 * 512 + n * 32 + k % 32) * 2, b[n][k]);
            }
        }
        BareChip.Outcome outcome = run(words, features, weights, 4 * 16 * 4);
        int[][] c = table(json, "C_first_15_columns");
        for (int m = 0; m < 4; m++) {
            for (int n = 0; n < 15; n++) {
                int at = n / 4 * 64 + m * 16 + n % 4 * 4;
                int bits = (outcome.results()[at + 3] & 0xff) << 24
                        | (outcome.results()[at + 2] & 0xff) << 16
                        | (outcome.results()[at + 1] & 0xff) << 8
                        | (outcome.results()[at] & 0xff);
                assertThat(Float.intBitsToFloat(bits)).isEqualTo((float) c[m][n]);
            }
        }
    }

    private static void half(byte[] into, int at, int value) {
        short bits = Float.floatToFloat16(value);
        into[at] = (byte) bits;
        into[at + 1] = (byte) (bits >> 8);
    }

    @Test
    void theElementwiseMultiplierGivesTheCapturedProducts() {
        List<String> lines = Golden.lines("silicon/ew_mul_fp16_64.tsv");
        assertThat(lines).hasSize(64);
        for (String line : lines) {
            String[] f = line.split("\t");
            short product = OutputStage.multiplyHalf(bits(f[1]), bits(f[2]));
            assertThat("%04x".formatted(product)).as(line).isEqualTo(f[3]);
        }
    }

    private static short bits(String hex) {
        return (short) Integer.parseInt(hex, 16);
    }

    /** The layer itself is not modelled; its accumulators are made here, the converter is the model's. */
    @Test
    void theOutputConverterGivesTheCapturedDepthwiseLayer() {
        String json = Golden.text("silicon/conv_dw_int8_64x8x8.json");
        byte[] input = HEX.parseHex(field(json, "input_hex"));
        byte[] weights = HEX.parseHex(field(json, "weights_hex"));
        byte[] bias = HEX.parseHex(field(json, "bias_hex"));
        byte[] output = HEX.parseHex(field(json, "output_hex"));
        int wrong = 0;
        for (int c = 0; c < 64; c++) {
            for (int y = 0; y < 8; y++) {
                for (int x = 0; x < 8; x++) {
                    long acc = word(bias, c);
                    for (int tap = 0; tap < 9; tap++) {
                        acc += (long) pixel(input, c, y + tap / 3 - 1, x + tap % 3 - 1)
                                * (weights[tap * 64 + c] + 0x80);
                    }
                    int got = OutputStage.saturate(OutputStage.scale(acc, 17675, 22, false, -123), 8);
                    wrong += got == output[c / 16 * 1024 + y * 128 + x * 16 + c % 16] ? 0 : 1;
                }
            }
        }
        assertThat(wrong).as("of 4096 results").isZero();
    }

    private static int word(byte[] bytes, int index) {
        return (bytes[4 * index + 3] & 0xff) << 24
                | (bytes[4 * index + 2] & 0xff) << 16
                | (bytes[4 * index + 1] & 0xff) << 8
                | (bytes[4 * index] & 0xff);
    }

    private static int pixel(byte[] input, int c, int y, int x) {
        if (y < 0 || y > 7 || x < 0 || x > 7) {
            return c >= 32 || c % 2 == 0 ? 0x7e : 0;
        }
        return input[c / 16 * 1024 + y * 128 + x * 16 + c % 16];
    }

    /** 146 trailers: the length rule, and terminal words whose bits 17:16 are set (spec 3.2). */
    @Test
    void everyVendorTrailerFollowsTheLengthRule() {
        int checked = 0;
        for (String line : Golden.lines("silicon/vendor_chains.tsv")) {
            String[] f = line.split("\t", -1);
            int value = Integer.decode(f[7]);
            int low = value & 0xffff;
            if (f[5].equals("-")) {
                assertThat(low).as(line).isZero();
            } else {
                int words = Integer.parseInt(f[6]) + 4;
                assertThat(ProgramFetch.words(low)).as(line).isBetween(words, words + 1);
            }
            checked++;
        }
        assertThat(checked).isEqualTo(146);
    }
}
