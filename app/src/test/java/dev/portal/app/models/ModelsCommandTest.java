package dev.portal.app.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

final class ModelsCommandTest {
    /** SHA-256 of the three bytes abc: FIPS 180-2, example B.1. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir
    private Path home;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void listSaysWhatIsMissingAndHowToBringIt() throws Exception {
        assertThat(run("list")).isZero();
        assertThat(out.toString())
                .containsPattern("voice +vad +missing +1 KiB +ba7816bf8f01 +npm voices 1.0.0 +MIT")
                .contains("./portal models fetch");
    }

    @Test
    void jsonHasChecksumLicenceOriginAndState() throws Exception {
        Files.createDirectories(home.resolve("models"));
        Files.writeString(home.resolve("models/voice"), "abc");
        assertThat(run("list", "--json", "--verify")).isZero();
        JsonNode model =
                new ObjectMapper().readTree(out.toString()).get("models").get(0);
        assertThat(model.get("state").asString()).isEqualTo("installed");
        JsonNode file = model.get("files").get(0);
        assertThat(file.get("sha256").asString()).isEqualTo(ABC);
        assertThat(file.get("licence").asString()).isEqualTo("MIT");
        assertThat(file.get("package").asString()).isEqualTo("voices");
        assertThat(file.get("path").asString())
                .isEqualTo(home.resolve("models/voice").toString());
    }

    @Test
    void verifyNoticesBytesThatSizeAloneDoesNot() throws Exception {
        Files.createDirectories(home.resolve("models"));
        Files.writeString(home.resolve("models/voice"), "abd");
        run("list");
        assertThat(out.toString()).contains("installed").doesNotContain("damaged");
        run("list", "--verify");
        assertThat(out.toString()).contains("damaged");
    }

    @Test
    void anUnknownEntryIsAUsageErrorThatListsTheKnown() throws Exception {
        assertThat(run("fetch", "nothing")).isEqualTo(2);
        assertThat(err.toString()).contains("no entry 'nothing'", "there are voice");
    }

    @Test
    void anUnknownArchitectureAndABadAcceptanceAreUsageErrors() throws Exception {
        assertThat(run("list", "--arch", "sparc")).isEqualTo(2);
        assertThat(run("fetch", "--accept", "libvoice1=2")).isEqualTo(2);
        assertThat(err.toString()).contains("it is x86_64 or aarch64", "is not NAME=VERSION@SHA256");
    }

    @Test
    void aMachineWithoutTheProgramEndsWithThreeAndOneLine() throws Exception {
        assertThat(run("fetch")).isEqualTo(3);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("portal: npm is not installed;");
    }

    private int run(String... arguments) throws Exception {
        String row = String.join(
                "\t", "voice", "vad", "any", "npm", "voices", "1.0.0", "MIT", "v", "models/voice", "3", ABC);
        Machine machine = new Machine(home, home, "x86_64", List.of(), List.of(), false);
        ModelsCommand command = new ModelsCommand(machine, Catalogue.parse(new StringReader(row), "test"));
        return new CommandLine(command)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
