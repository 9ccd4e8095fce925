package dev.portal.rknpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.ProgramChecker;
import dev.portal.hardware.rk3588.ProgramDecoder;
import dev.portal.hardware.rk3588.Soc;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The strict check against programs that work, and against single faults in one of them. */
class GoldenProgramCheckTest {
    private static final GoldenPrograms SOUND = GoldenPrograms.read("ork.tsv").stream()
            .filter(row -> row.id().equals("ork_int8_int32_4x512x64_s1"))
            .findFirst()
            .orElseThrow();

    private static List<String> check(long[] words) {
        return ProgramChecker.check(words).stream().map(Object::toString).toList();
    }

    private static List<String> checkWith(int index, long word) {
        long[] words = SOUND.words().clone();
        words[index] = word;
        return check(words);
    }

    private static List<String> checkWithValue(int index, int value) {
        return checkWith(index, (SOUND.words()[index] & 0xffff_0000_0000_ffffL) | (value & 0xffff_ffffL) << 16);
    }

    @Test
    void everyRowMajorProgramInRangePassesExceptUnequalNotchesOverSeveralRows() {
        for (GoldenPrograms row : GoldenPrograms.read("ork.tsv")) {
            if (!row.inRange()) {
                continue;
            }
            if (row.stride() != 0 && row.shape().m() > 1) {
                assertThat(check(row.words()))
                        .as(row.id())
                        .singleElement()
                        .asString()
                        .contains("notch halves");
            } else {
                assertThat(check(row.words())).as(row.id()).isEmpty();
            }
        }
    }

    @Test
    void everyNativeProgramPassesExceptWhereItsOwnRuleGivesTooFewBanks() {
        for (GoldenPrograms row : GoldenPrograms.read("mtx512.tsv")) {
            if (row.returned() != 0) {
                continue;
            }
            int needed = MatmulProgram.banksNeeded(row.shape());
            if (needed > row.program(MatmulProgram.Form.NATIVE).featureBanks()) {
                assertThat(check(row.words()))
                        .as(row.id())
                        .singleElement()
                        .asString()
                        .endsWith("need " + needed);
            } else {
                assertThat(check(row.words())).as(row.id()).isEmpty();
            }
        }
    }

    @Test
    void noGoldenProgramHasAnUnknownRegisterOrBit() {
        for (String file : List.of("ork.tsv", "mtx512.tsv")) {
            for (GoldenPrograms row : GoldenPrograms.read(file)) {
                assertThat(ProgramDecoder.print(row.words())).as(row.id()).doesNotContainIgnoringCase("unknown_");
            }
        }
    }

    @Test
    void aWrongBankSplitIsFoundInEitherCopy() {
        assertThat(checkWithValue(15, 0x11))
                .anySatisfy(problem -> assertThat(problem)
                        .isEqualTo(
                                "word 15: CNA_CBUF_CON0: 1 feature and 1 weight banks: both at least 1, 12 together"));
        assertThat(checkWithValue(0, 0xa2)).containsExactly("word 15: CNA_CBUF_CON0 = 0xb1 but word 0 wrote 0xa2");
        MatmulProgram tall = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 65, 512, 64));
        long[] tooFew = new long[tall.form().words()];
        new MatmulEncoder(Soc.RK3588).encode(tall, 0, 0, 0, 0, MemorySegment.ofArray(tooFew), 0);
        assertThat(check(tooFew)).isEmpty();
        tooFew[0] = 0x0201000000b11040L;
        tooFew[15] = 0x0201000000b11040L;
        assertThat(check(tooFew))
                .containsExactly("word 15: CNA_CBUF_CON0: 1 feature banks, but 65 rows of 8 entries need 2");
        assertThat(checkWithValue(15, 0x1b1))
                .anySatisfy(problem -> assertThat(problem).contains("FC_DATA_BANK"));
    }

    @Test
    void sizesThatDisagreeAreFoundAtTheirWord() {
        assertThat(checkWithValue(12, 1)).singleElement().asString().startsWith("word 12: CNA_WEIGHT_SIZE0");
        assertThat(checkWithValue(13, 1))
                .anySatisfy(problem -> assertThat(problem).startsWith("word 13:"));
        assertThat(checkWithValue(16, 7))
                .singleElement()
                .asString()
                .isEqualTo("word 16: CNA_CBUF_CON1: entries a row 7, expected 8");
        assertThat(checkWithValue(30, 0x10005)).singleElement().asString().startsWith("word 30: CNA_FC_DATA_SIZE0");
        assertThat(checkWithValue(31, 64)).singleElement().asString().startsWith("word 31: CNA_FC_DATA_SIZE1");
        assertThat(checkWithValue(55, 31)).singleElement().asString().startsWith("word 55: CORE_DATAOUT_SIZE_1");
        assertThat(checkWithValue(94, 0x40)).singleElement().asString().startsWith("word 94: DPU_SURFACE_ADD");
        assertThat(checkWithValue(65, 0x70008)).singleElement().asString().contains("notch halves 7 and 8");
        assertThat(checkWithValue(71, 0x36e))
                .anySatisfy(problem -> assertThat(problem).contains("it must be 7"));
    }

    @Test
    void foreignWordsAndABrokenTrailerAreFoundAtTheirWord() {
        assertThat(checkWith(20, 0x0201000000001048L)).containsExactly("word 20: unknown register 0x1048 of CNA");
        assertThat(checkWith(20, 0x7777000000001048L)).containsExactly("word 20: unknown target 0x7777");
        assertThat(checkWith(20, 0x0201000000041004L))
                .singleElement()
                .asString()
                .contains("CNA_S_POINTER");
        assertThat(checkWith(110, 0)).containsExactly("word 110: the marker is missing before the enable word");
        assertThat(checkWith(108, 0x0101040003800010L))
                .singleElement()
                .asString()
                .startsWith("word 109: a link address with length 0");
        assertThat(checkWith(109, 0x0101000000370014L))
                .singleElement()
                .asString()
                .startsWith("word 109: length 55 without a link address");
        assertThat(checkWith(109, 0x0101000200000014L)).isEmpty();
        assertThat(checkWith(111, 0x00810000001d0008L))
                .singleElement()
                .asString()
                .contains("DPU_RDMA is enabled");
        long[] odd = Arrays.copyOfRange(SOUND.words(), 1, 112);
        assertThat(check(odd)).singleElement().asString().startsWith("word 110: 111 words");
        long[] cut = Arrays.copyOf(SOUND.words(), 100);
        assertThat(check(cut)).containsExactly("word 99: the program has no enable word: nothing starts");
        assertThat(check(new long[0])).containsExactly("word 0: no words");
    }
}
