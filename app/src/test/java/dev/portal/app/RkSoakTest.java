package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class RkSoakTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int portal(String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    private int soak(String... more) {
        String[] args = new String[more.length + 10];
        String[] head = {"rk", "soak", "--seed", "7", "--max-m", "20", "--max-k", "300", "--max-n", "300"};
        System.arraycopy(head, 0, args, 0, head.length);
        System.arraycopy(more, 0, args, head.length, more.length);
        return portal(args);
    }

    @Test
    void aSoakPrintsItsSeedWhatItFoundAndHowToRepeatIt() {
        assertThat(soak("--shapes", "40", "--device", "emulated")).isZero();
        assertThat(out.toString())
                .startsWith("seed 7, 40 products on emulated\n")
                .containsPattern("int8 +\\d+ products, 0 of \\d+ elements wrong")
                .containsPattern("fp16 +\\d+ products, 0 of \\d+ elements wrong")
                .contains("nothing leaked\n")
                .endsWith("rerun: ./portal rk soak --seed 7 --shapes 40 --max-m 20 --max-k 300 --max-n 300"
                        + " --device emulated\n");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void asJsonItIsOneObjectAndTheSameRun() {
        assertThat(soak("--shapes", "12", "--json")).isZero();
        assertThat(err.toString()).contains("on the emulated RK3588; --device auto takes this machine's NPU");
        JsonNode node = new ObjectMapper().readTree(out.toString());
        assertThat(node.get("ok").booleanValue()).isTrue();
        assertThat(node.get("seed").intValue()).isEqualTo(7);
        assertThat(node.get("device").asString()).isEqualTo("emulated");
        assertThat(node.get("leaked").asString()).isEmpty();
        assertThat(node.get("int8").get("products").intValue()
                        + node.get("fp16").get("products").intValue())
                .isEqualTo(12);
        long macs = node.get("macs").longValue();
        assertThat(soak("--shapes", "11", "--first", "1", "--json")).isZero();
        long without = new ObjectMapper().readTree(out.toString()).get("macs").longValue();
        assertThat(without).isLessThan(macs).isPositive();
    }

    @Test
    void wrongUsageIsTwo() {
        assertThat(soak("--shapes", "0")).isEqualTo(2);
        assertThat(soak("--first", "-1")).isEqualTo(2);
        assertThat(portal("rk", "soak", "--seed", "x")).isEqualTo(2);
    }

    @Test
    void siliconThatIsNotThereIsThreeAndNeverTheEmulatedChip() {
        assertThat(portal("rk", "soak", "--device", "/dev/dri/nothing")).isEqualTo(3);
        assertThat(err.toString()).contains("portal: /dev/dri/nothing: cannot be opened");
        assumeThat(Files.exists(Path.of("/dev/dri")) || Files.exists(Path.of("/dev/accel")))
                .as("a machine with graphics nodes may have an NPU, too")
                .isFalse();
        for (String command : new String[] {"soak", "matmul"}) {
            String[] args = command.equals("soak")
                    ? new String[] {"rk", "soak", "--device", "auto"}
                    : new String[] {
                        "rk", "matmul", "--dtype", "int8", "--m", "1", "--k", "32", "--n", "32", "--device", "auto"
                    };
            assertThat(portal(args)).isEqualTo(3);
            assertThat(out.toString()).isEmpty();
            assertThat(err.toString()).contains("no node of the driver rknpu", "--device emulated");
        }
    }
}
