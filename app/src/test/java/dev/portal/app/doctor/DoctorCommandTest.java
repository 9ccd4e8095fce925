package dev.portal.app.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.app.models.Machine;
import dev.portal.app.models.ModelStore;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

final class DoctorCommandTest {
    @TempDir
    private Path home;

    private final StringWriter out = new StringWriter();

    @Test
    void missingModelsEndWithThreeAndTheCommandThatBringsThem() {
        assertThat(run()).isEqualTo(3);
        assertThat(out.toString())
                .containsPattern("missing +models +not installed: silero-vad-v6, ")
                .containsPattern("fix: ./portal models fetch\n");
    }

    @Test
    void everyFindingOfTheJsonFormHasLevelTopicAndText() {
        assertThat(run("--json")).isEqualTo(3);
        JsonNode root = new ObjectMapper().readTree(out.toString());
        assertThat(root.get("healthy").booleanValue()).isFalse();
        assertThat(root.get("findings")).isNotEmpty().allSatisfy(finding -> {
            assertThat(finding.get("level").asString()).isIn("ok", "note", "warning", "missing");
            assertThat(finding.get("topic").asString()).isNotBlank();
            assertThat(finding.get("text").asString()).isNotBlank();
            assertThat(finding.has("fix")).isTrue();
        });
    }

    private int run(String... arguments) {
        Machine machine = new Machine(home, home, "x86_64", List.of(), List.of(), false);
        return new CommandLine(new DoctorCommand(
                        new FakeHost(),
                        ModelStore.of(machine),
                        new RknpuChecks(new EmulatedKernel(List.of()), new VirtualClock()),
                        new HexagonChecks(
                                new EmulatedKernel(List.of()), new EmulatedKernel(List.of()), new VirtualClock())))
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
    }
}
