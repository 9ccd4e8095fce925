package dev.portal.hardware.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegisterGeneratorTest {
    private static final String HEADER =
            "#block\toffset\tregister\tfield\tbits\taccess\ttype\tmeaning\tsource\tconfidence\n";
    private static final Path MODULE = module();

    @TempDir
    Path folder;

    private static Path module() {
        String root = System.getProperty("portal.root");
        return root == null ? Path.of("").toAbsolutePath() : Path.of(root, "hardware");
    }

    private record Run(int exit, String errors) {}

    private static Run generate(Path tables, Path output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        MODULE.resolve("src/main/generator/GenerateRegisters.java")
                                .toString(),
                        tables.toString(),
                        output.toString())
                .redirectErrorStream(true)
                .start();
        String errors = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), errors);
    }

    private Run generate(String table, String... rows) throws IOException, InterruptedException {
        Path tables = Files.createDirectories(folder.resolve("tables"));
        Files.writeString(tables.resolve(table), HEADER + String.join("\n", rows) + "\n");
        return generate(tables, folder);
    }

    @Test
    void theCheckedInJavaIsWhatTheTablesGenerate() throws Exception {
        assertThat(generate(MODULE.resolve("src/main/regs"), folder)).isEqualTo(new Run(0, ""));
        for (String block : List.of("Pc", "Cna", "Core", "Dpu", "DpuRdma")) {
            String file = block + "Registers.java";
            Path checkedIn =
                    MODULE.resolve("src/main/java/dev/portal/hardware/rk3588").resolve(file);
            assertThat(withoutSpace(Files.readString(checkedIn)))
                    .as("%s is stale: run GenerateRegisters as its comment says", file)
                    .isEqualTo(withoutSpace(Files.readString(folder.resolve(file))));
        }
    }

    /** The formatter owns white space, and breaks long comments. */
    private static String withoutSpace(String source) {
        return source.replaceAll("(?m)^\\s*\\* ", "").replaceAll("\\s+", "").replaceAll("/\\*\\*\\*?|\\*/", "");
    }

    @Test
    void overlappingFieldsAreReportedWithFileLineAndColumn() throws Exception {
        Run run = generate(
                "cna.tsv",
                "CNA\t0x1040\tCNA_X\tA\t7:4\trw\tuint\tm\ts\tdocumented",
                "CNA\t0x1040\tCNA_X\tB\t4:0\trw\tuint\tm\ts\tdocumented");
        assertThat(run).isEqualTo(new Run(1, "cna.tsv:3:20: overlaps A\n"));
    }

    @Test
    @Tag("slow")
    void anUnknownWordOffsetOrBitRangeIsReportedWhereItStands() throws Exception {
        assertThat(generate("cna.tsv", "CNA\t0x1041\tCNA_X\tA\t7:4\trw\tuint\tm\ts\tdocumented")
                        .errors())
                .isEqualTo("cna.tsv:2:5: offset 0x1041 is not a multiple of 4\n");
        assertThat(generate("cna.tsv", "CNA\t0x1040\tCNA_X\tA\t4:7\trw\tuint\tm\ts\tdocumented")
                        .errors())
                .isEqualTo("cna.tsv:2:20: bits 4:7 are not within 31:0, highest first\n");
        assertThat(generate("cna.tsv", "CNA\t0x1040\tCNA_X\tA\t7:4\trx\tuint\tm\ts\tdocumented")
                        .errors())
                .isEqualTo("cna.tsv:2:24: \"rx\" is none of [ro, rw, w1c]\n");
        assertThat(generate("cna.tsv", "CNA\t0x3040\tCNA_X\tA\t7:4\trw\tuint\tm\ts\tdocumented")
                        .errors())
                .contains("cna.tsv:2:5: offsets of CNA must rise, within its page");
    }
}
