package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Rows made up here in the form of the evidence; the real ones are the emulator's tests' affair. */
class RkTimingTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    private int portal(String... args) {
        out.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    private void evidence() throws Exception {
        Files.writeString(folder.resolve("timing.tsv"), """
                #shape_MxKxN\tdtype\tcores\tclock_MHz\tus\tlevel\tconditions\tsource
                512x2048x2048\tfp16\t1\t1000\t6003\thw\t1 submits\tnobody
                1x2048x128\tint8\t1\t1000\t160\twall\tblocking\tnobody
                64x256x256\tfp16\t1\t1000\t90\thw\tparked\tnobody
                64x64x64\tfp16\t1\t1000\t160\tlibrary\tpacking\tnobody
                """);
        Files.writeString(folder.resolve("timing_model.tsv"), """
                #level\trow\tdtype\tcores\tmeasured_us
                hw\t512x2048x2048\tfp16\t1\t6003.0
                """);
    }

    @Test
    void fittedRowsAndPredictionsArePrintedApartWithTheirError() throws Exception {
        evidence();
        assertThat(portal("rk", "timing", "--evidence", folder.toString())).isZero();
        assertThat(out.toString())
                .contains("fitted, commit to interrupt: 1 rows, typical factor 1.00, worst 1.00")
                .contains("predicted, around one blocking call: 1 rows, typical factor 2.00, worst 2.00")
                .containsPattern("outside the model .*: 1 rows")
                .contains("1 other rows");
        assertThat(portal("rk", "timing", "--json", "--evidence", folder.toString()))
                .isZero();
        JsonNode node = new ObjectMapper().readTree(out.toString());
        assertThat(node.get("fitted").get("hw").get("rows")).hasSize(1);
        assertThat(node.get("predicted")
                        .get("wall")
                        .get("rows")
                        .get(0)
                        .get("silicon_us")
                        .doubleValue())
                .isEqualTo(160);
        assertThat(node.get("not_comparable").intValue()).isEqualTo(1);
    }

    @Test
    void withoutTheMeasurementsItIsNotAvailableHere() {
        assertThat(portal("rk", "timing", "--evidence", folder.toString())).isEqualTo(3);
        assertThat(err.toString()).contains("the measurements of boards are not here", "--evidence");
    }
}
