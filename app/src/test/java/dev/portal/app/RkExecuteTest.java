package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expected fingerprints: {@code golden/rk3588/matmul_results.tsv}, made with numpy. */
class RkExecuteTest {
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

    private String encoded(String... args) {
        assertThat(portal(args)).isZero();
        return out.toString();
    }

    private String file(String text) throws Exception {
        return Files.writeString(folder.resolve("program"), text).toString();
    }

    private String row(int m, int k, int n) {
        return encoded(
                "rk",
                "encode",
                "--dtype",
                "int8",
                "--m",
                "" + m,
                "--k",
                "" + k,
                "--n",
                "" + n,
                "--a",
                "0x1000000",
                "--b",
                "0x2000000",
                "--c",
                "0x3000000");
    }

    @Test
    void aGivenProgramPrintsTheFingerprintOfItsResult() throws Exception {
        String program = file(row(1, 32, 32));
        assertThat(portal("rk", "execute", program, "--form", "row-major")).isZero();
        assertThat(out.toString()).isEqualToIgnoringNewLines("fnv1a64=2ceac70109189b68\n");
        assertThat(portal("rk", "execute", program, "--json")).isZero();
        assertThat(out.toString()).contains("\"fnv1a64\":\"2ceac70109189b68\"");
    }

    @Test
    void aBatchAnswersEachRowWithFingerprintOrFault() throws Exception {
        String words = row(1, 32, 64).strip().replaceAll("\\s+", " ");
        String batch = file("#id\tdtype\tout\tM\tK\tN\twords\n"
                + "good\tint8\tint32\t1\t32\t64\t" + words + "\n"
                + "banks\tint8\tint32\t1\t32\t64\t" + words.replace("0201000000b11040", "0201000000bf1040") + "\n"
                + "bf16\tint8\tint32\t1\t32\t64\t" + words.replace("020120000000100c", "0201200001b0100c") + "\n"
                + "refused\tint8\tint32\t1\t32\t64\t\n");
        assertThat(portal("rk", "execute", "--batch", batch, "--form", "row-major"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "good\tec43056bd0800068",
                        "banks\tfault\tbank-sum: 0x1040 gives 15 banks to features and 11 to weights; both must be at"
                                + " least 1 and sum to 12",
                        "bf16\tfault\tunsupported",
                        "refused\tfault\tno words");
    }

    @Test
    void columnsBehindTheWordsAreIgnoredAlsoWhenTheyLookLikeOne() throws Exception {
        String words = row(1, 32, 64).strip().replaceAll("\\s+", " ");
        String batch = file("good\tint8\tint32\t1\t32\t64\t" + words + "\tec43056bd0800068\tremark\r\n");
        assertThat(portal("rk", "execute", "--batch", batch)).isZero();
        assertThat(out.toString()).isEqualToIgnoringNewLines("good\tec43056bd0800068\n");
    }

    @Test
    void usageErrorsAreTwoAndFaultsAreOne() throws Exception {
        assertThat(portal("rk", "execute", file(row(1, 32, 32)), "--form", "diagonal"))
                .isEqualTo(2);
        assertThat(portal("rk", "execute", file("0041000000000000\n"))).isEqualTo(1);
        assertThat(portal("rk", "execute")).isEqualTo(2);
    }
}
