package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RkCommandsTest {
    private static final String[] P1 = {
        "rk",
        "encode",
        "--dtype",
        "int8",
        "--m",
        "1",
        "--k",
        "512",
        "--n",
        "32",
        "--a",
        "0x1000000",
        "--b",
        "0x2000000",
        "--c",
        "0x3000000"
    };

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    private int portal(String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    private int p1With(String... more) {
        String[] args = Arrays.copyOf(P1, P1.length + more.length);
        System.arraycopy(more, 0, args, P1.length, more.length);
        return portal(args);
    }

    private String file(String text) throws Exception {
        return Files.writeString(folder.resolve("file"), text).toString();
    }

    @Test
    void encodePrintsOneWordALine() {
        assertThat(p1With()).isZero();
        List<String> words = out.toString().lines().toList();
        assertThat(words).hasSize(112).first().isEqualTo("0201000000b11040");
        assertThat(words).last().isEqualTo("00810000000d0008");
        assertThat(p1With("--form", "native", "--next", "0x04000380")).isZero();
        assertThat(out.toString().lines().toList()).hasSize(108).contains("0101040003800010", "0101000000350014");
        assertThat(p1With("--json")).isZero();
        assertThat(out.toString()).startsWith("{\"words\":[\"0201000000b11040\"");
    }

    @Test
    void aRefusalGivesTheNumberAndExitCodeOne() {
        assertThat(p1With("--k", "48")).isEqualTo(2);
        String[] odd = P1.clone();
        odd[7] = "48";
        assertThat(portal(odd)).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("portal: refused: K = 48 is not a multiple of 32, the depth of a weight tile;"
                        + " pad A and B with zeros, or use Matmul, which does\n");
        assertThat(out.toString()).isEmpty();
        assertThat(p1With("--out", "fp16")).isEqualTo(1);
        assertThat(err.toString()).contains("unsupported: int8 to fp16; there are int8 to int32");
    }

    @Test
    void wrongUsageIsExitCodeTwo() {
        assertThat(portal("rk", "encode", "--dtype", "int8")).isEqualTo(2);
        assertThat(err.toString()).contains("missing --m");
        assertThat(p1With("--form", "diagonal")).isEqualTo(2);
        assertThat(p1With("--schedule", "maybe")).isEqualTo(2);
        assertThat(p1With("--next", "there")).isEqualTo(2);
    }

    @Test
    void batchRowsAnswerInOrderWithWordsOrRefusals() throws Exception {
        String rows = """
            one\tint8\tint32\t1\t512\t32\t1\t0\t0\t0\t0x01000000\t0x02000000\t0x03000000\t0x0\t0\t108\t-
            two\tint8\tint8\t4\t512\t64\t1\t256\t5\t7\t0x01000000\t0x02000000\t0x03000000\t0\textra

            three\tint4\traw\t4\t512\t64\t-\t0\t0\t0\t0x01000000\t0x02000000\t0x03000000\t0
            four\tfp16\tfp32\t4\tx\t64\t-\t0\t0\t0\t0x01000000\t0x02000000\t0x03000000\t0
            """;
        assertThat(portal("rk", "encode", "--batch", file(rows))).isZero();
        List<String> lines = out.toString().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0))
                .startsWith("one\t0201000000b11040 0201000000001104 ")
                .endsWith(" 00810000000d0008");
        assertThat(lines.get(1))
                .startsWith("two\t")
                .contains("1001000f00034038", "1001000000054084", "1001000000074088");
        assertThat(lines.get(2)).startsWith("three\trefused\tunsupported: int4 to raw");
        assertThat(lines.get(3)).isEqualTo("four\trefused\tline 5: K = \"x\" is not a whole number");
    }

    @Test
    void aHeaderLineNamesTheColumnsInAnyOrder() throws Exception {
        String rows = "# a remark\n#N\tK\tM\tout\tdtype\tid\n16\t32\t4\tfp32\tfp16\ta\n";
        assertThat(portal("rk", "encode", "--form", "native", "--batch", file(rows)))
                .isZero();
        assertThat(out.toString()).startsWith("a\t10010000000e4004 020100000120100c ");
    }

    @Test
    void batchesAsJsonAreAnObjectARow() throws Exception {
        String rows = "one\tint8\tint32\t1\t512\t32\ntwo\tint8\tint32\t1\t500\t32\n";
        assertThat(portal("rk", "encode", "--json", "--batch", file(rows))).isZero();
        assertThat(out.toString().lines().toList())
                .satisfiesExactly(
                        one -> assertThat(one).startsWith("{\"id\":\"one\",\"words\":[\"0201000000b11040\","),
                        two -> assertThat(two)
                                .startsWith("{\"id\":\"two\",\"refused\":\"K = 500 is not a multiple of 32"));
        p1With();
        String program = "#id\twords\nx\t" + out.toString().strip().replace('\n', ' ');
        assertThat(portal("rk", "check", "--json", "--batch", file(program))).isZero();
        assertThat(out.toString()).isEqualTo("{\"ok\":true,\"problems\":[],\"id\":\"x\"}\n");
    }

    @Test
    void decodePrintsRegistersAndMarksDamage() throws Exception {
        assertThat(portal("rk", "decode", file("0201000000b11040 # banks\n0x0201000000001048\n")))
                .isZero();
        assertThat(out.toString())
                .contains("CNA_CBUF_CON0                0x000000b1  WEIGHT_BANK=11 DATA_BANK=1")
                .contains("unknown register");
        assertThat(portal("rk", "decode", "--json", file("0201000000b11040"))).isZero();
        assertThat(out.toString()).contains("\"name\":\"CNA_CBUF_CON0\"");
        assertThat(portal("rk", "decode", file("0201000000b11040\n  frog"))).isEqualTo(1);
        assertThat(err.toString()).contains(":2:3: \"frog\" is not a word of up to 16 hexadecimal digits");
    }

    @Test
    void checkPassesWhatEncodePrintsAndNamesTheWordThatIsWrong() throws Exception {
        p1With();
        String words = out.toString();
        assertThat(portal("rk", "check", file(words))).isZero();
        assertThat(out.toString()).isEqualTo("ok\n");
        assertThat(portal("rk", "check", file(words.replace("0201000000081044", "0201000000091044"))))
                .isEqualTo(1);
        assertThat(out.toString()).isEqualTo("word 16: CNA_CBUF_CON1: entries a row 9, expected 8\n");
        String row = words.strip().replace('\n', ' ');
        String rows = "#id\twords...\ngood\t" + row + "\nbad\t" + row.replace("0041000000000000 ", "0000000000000000 ");
        assertThat(portal("rk", "check", "--batch", file(rows))).isEqualTo(1);
        assertThat(out.toString())
                .isEqualTo("good\tok\nbad\tfault\tword 110: the marker is missing before the enable word\n");
    }
}
