package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** {@code rk chain} on the emulated board. */
class RkChainTest {
    private final StringWriter out = new StringWriter();

    private int portal(String line) {
        out.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(new StringWriter(), true))
                .execute(line.split(" "));
    }

    private JsonNode json(String line) {
        assertThat(portal(line + " --device emulated --json")).as(line).isZero();
        return new ObjectMapper().readTree(out.toString());
    }

    private static List<Integer> list(JsonNode node) {
        List<Integer> values = new ArrayList<>();
        node.forEach(value -> values.add(value.intValue()));
        return values;
    }

    private static List<Integer> upTo(int last) {
        return IntStream.rangeClosed(0, last).boxed().toList();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "16,1", "1,3", "2,3", "7,2", "64,3", "257,3", "1023,3", "1024,2"})
    void everyStepIsComputed(int steps, int cores) {
        JsonNode node = json("rk chain --k 512 --n 32 --steps " + steps + " --cores " + cores);
        assertThat(list(node.get("computed"))).isEqualTo(upTo(steps - 1));
        assertThat(list(node.get("correct"))).isEqualTo(upTo(steps - 1));
        assertThat(node.get("resets").intValue()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"halt-sticks", "halt-retires"})
    void aHaltedChainEndsAfterItsStepAndTheRestIsUntouched(String profile) {
        JsonNode node = json("rk chain --steps 16 --halt 8 --profile " + profile);
        assertThat(list(node.get("computed"))).isEqualTo(upTo(8));
        assertThat(list(node.get("correct"))).isEqualTo(upTo(8));
        assertThat(list(node.get("untouched")))
                .isEqualTo(IntStream.range(9, 16).boxed().toList());
    }

    /** The window of the seed's test: one before to three after. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, 5, 6, 7, 8})
    void theHaltIsWithinTheWindowWheneverItComes(int after) {
        JsonNode node = json("rk chain --steps 16 --halt 8 --after " + after);
        assertThat(list(node.get("correct"))).isEqualTo(list(node.get("computed")));
        assertThat(node.get("computed").size() - 1).isBetween(7, 11);
    }

    @Test
    void halfPrecisionRunsToItsEnd() {
        assertThat(json("rk chain --steps 5 --dtype fp16 --m 2 --n 256 --cores 3")
                        .get("correct")
                        .size())
                .isEqualTo(5);
    }

    @Test
    void theTextSaysWhatWasComputed() {
        assertThat(portal("rk chain --steps 16 --halt 8 --device emulated")).isZero();
        assertThat(out.toString()).contains("computed  0-8\n", "correct   0-8\n", "untouched 9-15\n", "model");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--steps 0",
                "--steps 1025",
                "--steps 4 --cores 4",
                "--steps 4 --halt 4",
                "--steps 4 --halt 1 --cores 2"
            })
    void usageErrorsAreTwo(String options) {
        assertThat(portal("rk chain --device emulated " + options)).isEqualTo(2);
    }

    @Test
    void whatOneProgramCannotDoIsRefused() {
        assertThat(portal("rk chain --device emulated --steps 2 --k 500")).isEqualTo(1);
    }
}
