package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expected fingerprints: {@code golden/rk3588/matmul_results.tsv}, made with numpy. */
class RkMatmulTest {
    private final StringWriter out = new StringWriter();

    @TempDir
    private Path folder;

    private int portal(String... args) {
        out.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(new StringWriter(), true))
                .execute(args);
    }

    @Test
    void aProductIsComparedWithTheProcessor() {
        assertThat(portal(
                        "rk",
                        "matmul",
                        "--dtype",
                        "int8",
                        "--m",
                        "1",
                        "--k",
                        "32",
                        "--n",
                        "32",
                        "--device",
                        "emulated"))
                .isZero();
        assertThat(out.toString()).isEqualToIgnoringNewLines("fnv1a64=2ceac70109189b68 mismatches=0\n");
    }

    @Test
    void aBatchAnswersEachRow() throws Exception {
        Path rows = Files.writeString(folder.resolve("rows"), """
            #dtype\tM\tK\tN\tout\tfnv1a64 of row-major C
            int8\t1\t32\t64\tint32\tx
            int8\t1\t32\t32\tint8:mult=19661,shift=28,half-even\tx
            int4\t1\t32\t32\tint16\tx
            """);
        assertThat(portal("rk", "matmul", "--batch", rows.toString(), "--device", "emulated", "--cores", "3"))
                .isZero();
        assertThat(out.toString().lines().limit(2))
                .containsExactly(
                        "int8\t1\t32\t64\tint32\tec43056bd0800068",
                        "int8\t1\t32\t32\tint8:mult=19661,shift=28,half-even\tb8d891ee07d3c4f1");
        assertThat(out.toString().lines().skip(2).findFirst().orElseThrow())
                .startsWith("int4\t1\t32\t32\tint16\tfault\t");
    }

    @Test
    void aProductThatNoArrayHoldsIsRefusedByItsSize() throws Exception {
        Path rows = Files.writeString(folder.resolve("rows"), "int8\t70000\t70000\t70000\tint32\n");
        assertThat(portal("rk", "matmul", "--json", "--batch", rows.toString(), "--device", "emulated"))
                .isZero();
        assertThat(out.toString())
                .contains("\"M\":\"70000\"")
                .contains("\"fault\":\"int8 70000x70000x70000 to int32 has an operand or result of 19600000000 bytes");
    }

    @Test
    void aDeviceThatIsNoneIsUsage() {
        assertThat(portal("rk", "matmul", "--dtype", "int8", "--m", "1", "--k", "1", "--n", "1", "--device", "board"))
                .isEqualTo(2);
    }

    @Test
    void usageErrorsAreTwo() {
        assertThat(portal("rk", "matmul", "--dtype", "int8", "--device", "emulated"))
                .isEqualTo(2);
        assertThat(portal("rk", "matmul", "--cores", "4", "--dtype", "int8")).isEqualTo(2);
    }
}
