package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** {@code rk probe} on the emulated board: each of the seed's experiments. */
class RkProbeTest {
    private final StringWriter out = new StringWriter();

    private int portal(String line) {
        out.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(new StringWriter(), true))
                .execute(line.split(" "));
    }

    private JsonNode probe(String line) {
        assertThat(portal("rk probe " + line + " --device emulated --json"))
                .as("%s: %s", line, out)
                .isZero();
        JsonNode node = new ObjectMapper().readTree(out.toString());
        assertThat(node.get("asExpected").booleanValue()).isTrue();
        assertThat(node.get("expected").size()).isPositive();
        assertThat(node.get("came").size()).isPositive();
        return node;
    }

    @ParameterizedTest
    @ValueSource(strings = {"static-id", "doorbell-id", "steer"})
    void programsRunInSubmitOrderAndAHaltEndsThem(String name) {
        probe(name);
        probe(name + " --profile halt-retires");
    }

    @Test
    void asManyProgramsRunAsAreCounted() {
        JsonNode values = probe("task-number").get("values");
        assertThat(values.get("declared1").intValue()).isEqualTo(1);
        assertThat(values.get("declared5").intValue()).isEqualTo(5);
        assertThat(values.get("declared16").intValue()).isEqualTo(16);
        assertThat(values.get("reserve12").intValue()).isEqualTo(8);
    }

    @ParameterizedTest
    @CsvSource({"halt-sticks,0,DRAIN", "halt-retires,1,HALT"})
    void theHaltProbeTellsTheProfilesApartAndChoosesHowToStop(String profile, int retires, String strategy) {
        JsonNode node = probe("halt --profile " + profile);
        assertThat(node.get("values").get("retires").intValue()).isEqualTo(retires);
        assertThat(node.get("came").toString()).contains("stopped by: " + strategy);
    }

    @Test
    void extendingAbortsTheJobAfterTenSecondsWithTheDriversLines() {
        JsonNode node = probe("extend");
        assertThat(node.get("values").get("errno").intValue()).isEqualTo(22);
        assertThat(node.get("values").get("waitedMillis").intValue()).isBetween(9_000, 11_000);
        assertThat(node.get("log").toString())
                .contains("RKNPU: job abort, flags: 0x7, ret: -22", "RKNPU: soft reset, num: 6");
    }

    @Test
    void spinningComputesNothingUnlessTheSpinHasAProgramOfItsOwn() {
        JsonNode node = probe("spin");
        assertThat(node.get("values").get("correct").intValue()).isZero();
        assertThat(node.get("values").get("dedicated").intValue()).isEqualTo(8);
        assertThat(node.get("log").toString()).contains("soft reset, num: 6");
    }

    @Test
    void aDoorbellOfLastColumnsIsCaughtByTheEmulatedChip() {
        JsonNode values = probe("fp16-order").get("values");
        assertThat(values.get("unwritten").intValue()).isPositive();
        assertThat(values.get("wrong").intValue()).isZero();
    }

    @Test
    void theLeversOfTheSeedArePrintedAsItsOwn() {
        JsonNode node = probe("fp16-levers");
        assertThat(node.get("seed").toString()).contains("about 85 %", "21/25", "8/15", "4/20", "1/4");
    }

    @Test
    void theScheduleRegistersAreTheSeedsAndTheSameOnBothPaths() {
        JsonNode node = probe("fp16-registers");
        assertThat(node.get("values").get("0x1040").intValue()).isEqualTo(162);
        assertThat(node.get("values").get("0x1010").intValue()).isEqualTo(48);
        assertThat(node.get("values").get("0x1044").intValue()).isEqualTo(16);
        assertThat(node.get("seed").toString()).contains("512 - 32 n", "320", "480");
    }

    @Test
    void anUnknownProbeIsAUsageErrorThatNamesThoseThatThereAre() {
        assertThat(portal("rk probe nonsense --device emulated")).isEqualTo(2);
    }

    @Test
    void withoutADeviceItIsTheEmulatedOne() {
        assertThat(portal("rk probe fp16-registers")).isZero();
        assertThat(out.toString()).contains("on emulated, halt-sticks");
    }

    @Test
    void theTextSaysWhatWasExpectedAndWhatCame() {
        assertThat(portal("rk probe static-id --device emulated")).isZero();
        assertThat(out.toString()).contains("expected", "came", "as expected");
    }
}
