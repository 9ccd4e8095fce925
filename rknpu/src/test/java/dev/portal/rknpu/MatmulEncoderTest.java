package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.hardware.rk3588.Soc;
import dev.portal.rknpu.MatmulProgram.Form;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatmulEncoderTest {
    private static final MatmulEncoder ENCODER = new MatmulEncoder(Soc.RK3588);

    private static List<String> encode(MatmulProgram program, long a, long b, long c, long next) {
        long[] words = new long[program.form().words()];
        ENCODER.encode(program, a, b, c, next, MemorySegment.ofArray(words), 0);
        return hex(words);
    }

    private static List<String> encode(GoldenPrograms row, Form form) {
        return encode(row.program(form), row.a(), row.b(), row.c(), row.next());
    }

    private static List<String> hex(long[] words) {
        return LongStream.of(words).mapToObj("%016x"::formatted).toList();
    }

    @Test
    void everyRowMajorProgramInRangeIsReproducedWordForWord() {
        List<GoldenPrograms> rows = GoldenPrograms.read("ork.tsv").stream()
                .filter(GoldenPrograms::inRange)
                .toList();
        assertThat(rows)
                .hasSize(148)
                .allSatisfy(row ->
                        assertThat(encode(row, Form.ROW_MAJOR)).as(row.id()).isEqualTo(hex(row.words())));
    }

    @Test
    void outOfRangeRowsAreRefusedOrGetABankSplitTheChipAccepts() {
        List<GoldenPrograms> rows = GoldenPrograms.read("ork.tsv").stream()
                .filter(row -> !row.inRange())
                .toList();
        assertThat(rows).hasSize(70).allSatisfy(row -> {
            int needed = MatmulProgram.banksNeeded(row.shape());
            if (needed > (row.schedule() ? 11 : 1)) {
                assertThatThrownBy(() -> row.program(Form.ROW_MAJOR))
                        .isInstanceOf(ProgramRefusedException.class)
                        .hasMessageContaining("needs " + needed + " feature banks");
            } else {
                assertThat(row.program(Form.ROW_MAJOR).featureBanks()).isBetween(needed, 11);
            }
        });
    }

    @Test
    void everyNativeProgramIsReproducedWordForWordRefusalsIncluded() {
        List<GoldenPrograms> rows = GoldenPrograms.read("mtx512.tsv");
        assertThat(rows).hasSize(222).allSatisfy(row -> {
            if (row.returned() == 0) {
                assertThat(encode(row, Form.NATIVE)).as(row.id()).isEqualTo(hex(row.words()));
            } else {
                assertThatThrownBy(() -> row.program(Form.NATIVE))
                        .as(row.id())
                        .isInstanceOf(ProgramRefusedException.class);
            }
        });
    }

    @Test
    void aLinkCarriesTheAddressAndTheLengthOfAProgramOfTheSameForm() {
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 4, 32, 32);
        List<String> rowMajor = encode(MatmulProgram.rowMajor(shape), 0, 0, 0, 0x04000380);
        assertThat(rowMajor.subList(108, 112))
                .containsExactly("0101040003800010", "0101000000370014", "0041000000000000", "00810000000d0008");
        List<String> cubes = encode(MatmulProgram.nativeCube(shape), 0, 0, 0, 0xfffff000L);
        assertThat(cubes.subList(104, 106)).containsExactly("0101fffff0000010", "0101000000350014");
        assertThatThrownBy(() -> encode(MatmulProgram.rowMajor(shape), 0, 0, 0, 0x04000388))
                .hasMessageContaining("0x4000388")
                .hasMessageContaining("16 bytes");
    }

    @Test
    void theBankSplitOfWideRowsCountsEntriesAndRoundsTo64Rows() {
        MatmulProgram small = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 65, 1024, 32));
        assertThat(small.featureBanks()).isEqualTo(4);
        MatmulProgram odd = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 64, 1056, 32));
        assertThat(odd.featureBanks()).isEqualTo(3);
    }

    @Test
    void outputsBeyondTheGoldenOnesFollowTheDeltasOfTheSpecification() {
        MatmulShape fp32 = new MatmulShape(MatmulType.INT8_FP32, 2, 64, 64);
        assertThat(encode(MatmulProgram.rowMajor(fp32), 0, 0, 0, 0))
                .contains("1001a00000004010", "1001000007fc4050", "10010000008040c0");
        MatmulShape int16 = new MatmulShape(MatmulType.INT8_INT16, 2, 64, 64);
        assertThat(encode(MatmulProgram.rowMajor(int16), 0, 0, 0, 0))
                .contains("1001200000004010", "10010000036e4050", "10010000004040c0", "1001000700074038");
        MatmulShape fp16 = new MatmulShape(MatmulType.FP16_FP16, 2, 64, 64);
        assertThat(encode(MatmulProgram.rowMajor(fp16), 0, 0, 0, 0))
                .contains("1001480000024010", "1001000001264050", "10010000002040c0", "1001000100014084");
        MatmulProgram negative = new MatmulProgram(
                new MatmulShape(MatmulType.INT8_INT8, 1, 32, 32), Form.ROW_MAJOR, true, 32, -32768, 63);
        assertThat(encode(negative, 0, 0, 0, 0)).contains("1001000080004084", "10010000003f4088");
    }

    @ParameterizedTest
    @CsvSource({
        "INT8_INT32, 1, 48, 32, K = 48 is not a multiple of 32",
        "INT8_INT32, 1, 32, 48, N = 48 is not a multiple of 32",
        "FP16_FP32, 1, 32, 24, N = 24 is not a multiple of 16",
        "INT8_INT32, 1, 32, 8224, N = 8224 is above 8192",
        "INT8_INT32, 2048, 32, 32, M = 2048 is above 2047",
        "INT8_INT32, 1, 16416, 32, K = 16416 is above 16384",
        "INT8_INT32, 705, 512, 32, A needs 12 feature banks",
        "FP16_FP32, 176, 1024, 32, A needs 11 feature banks",
    })
    void whatOneProgramCannotDoIsRefusedWithTheNumber(MatmulType type, int m, int k, int n, String reason) {
        MatmulShape shape = new MatmulShape(type, m, k, n);
        if (reason.contains("11 feature")) {
            assertThat(MatmulProgram.rowMajor(shape).featureBanks()).isEqualTo(11);
        } else {
            assertThatThrownBy(() -> MatmulProgram.rowMajor(shape))
                    .isInstanceOf(ProgramRefusedException.class)
                    .hasMessageContaining(reason);
        }
    }

    @Test
    void otherRefusalsNameTheirNumbersToo() {
        MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 2, 64, 64);
        assertThatThrownBy(() -> MatmulProgram.nativeCube(shape)).hasMessageContaining("M = 2 is neither 1 nor");
        assertThatThrownBy(() -> new MatmulProgram(shape, Form.ROW_MAJOR, true, 60, 0, 0))
                .hasMessageContaining("row stride of C = 60");
        assertThatThrownBy(() -> new MatmulProgram(shape, Form.ROW_MAJOR, true, 66, 0, 0))
                .hasMessageContaining("row stride of C = 66");
        assertThatThrownBy(() -> new MatmulProgram(shape, Form.ROW_MAJOR, true, 64, 3, 0))
                .hasMessageContaining("multiplier 3");
        MatmulShape requantised = new MatmulShape(MatmulType.INT8_INT8, 2, 64, 64);
        assertThatThrownBy(() -> new MatmulProgram(requantised, Form.ROW_MAJOR, true, 64, 40_000, 0))
                .hasMessageContaining("multiplier 40000");
        assertThatThrownBy(() -> new MatmulProgram(requantised, Form.ROW_MAJOR, true, 64, 1, 64))
                .hasMessageContaining("shift 64");
        MatmulShape tall = new MatmulShape(MatmulType.INT8_INT32, 1024, 32, 32);
        assertThatThrownBy(() -> MatmulProgram.nativeCube(tall))
                .hasMessageContaining("1025 feature grains are above 1023");
        assertThat(MatmulProgram.rowMajor(tall).featureGrains()).isEqualTo(1023);
        assertThatThrownBy(() -> encode(MatmulProgram.rowMajor(shape), 1L << 32, 0, 0, 0))
                .hasMessageContaining("A at 0x100000000");
        assertThatThrownBy(() -> new MatmulShape(MatmulType.INT8_INT32, 0, 32, 32))
                .hasMessageContaining("0 x 32 x 32");
    }

    @Test
    void aChipWithOtherRegistersIsRefusedByName() {
        assertThatThrownBy(() -> new MatmulEncoder(Soc.RK3576))
                .isInstanceOf(ProgramRefusedException.class)
                .hasMessageContaining("rk3576")
                .hasMessageContaining("write nothing");
    }
}
