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

/** The golden task sets are golden/scheduler/response-time.json: an independent analysis, checked by simulation. */
class AnalyzeCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final ObjectMapper json = new ObjectMapper();

    @TempDir
    private Path folder;

    private int portal(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    private int analyze(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("tasks.json"), text);
        return portal("analyze", file.toString());
    }

    @Test
    void theGoldenTaskSetsHaveTheirBounds() throws Exception {
        JsonNode golden = json.readTree(getClass().getResourceAsStream("/golden/response-time.json"));
        for (String list : new String[] {"cases", "illustrative"}) {
            JsonNode cases = golden.get(list);
            assertThat(cases).isNotEmpty();
            out.getBuffer().setLength(0);
            assertThat(analyze("{\"cases\":" + cases + "}")).isZero();
            JsonNode answered = json.readTree(out.toString()).get("cases");
            assertThat(answered).hasSize(cases.size());
            for (int i = 0; i < cases.size(); i++) {
                assertThat(answered.get(i).get("id")).isEqualTo(cases.get(i).get("id"));
                assertThat(answered.get(i).get("bound").toString())
                        .isEqualTo(cases.get(i).get("bound").toString());
            }
        }
    }

    @Test
    void mistakesAreNamedByPlaceAndValue() throws Exception {
        assertThat(analyze("{\"cases\":[{\"tasks\":[{\"period\":0,\"segments\":[1],\"priority\":1}]}]}"))
                .isEqualTo(1);
        assertThat(analyze("{\"cases\":[{\"tasks\":[{\"period\":5,\"segments\":[1.5],\"priority\":1}]}]}"))
                .isEqualTo(1);
        assertThat(analyze("{\"cases\":7}")).isEqualTo(1);
        assertThat(analyze("{\"cases\":[")).isEqualTo(1);
        assertThat(portal("analyze", folder.resolve("missing.json").toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("cases[0].tasks[0]: period 0 must be above 0"),
                        line -> assertThat(line).contains("cases[0].tasks[0].segments is 1.5"),
                        line -> assertThat(line).contains("has no list \"cases\""),
                        line -> assertThat(line).contains("is not JSON").contains("line 1"),
                        line -> assertThat(line).contains("missing.json: no such file"));
    }
}
