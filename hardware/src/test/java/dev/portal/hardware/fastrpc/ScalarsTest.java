package dev.portal.hardware.fastrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.hardware.fastrpc.Golden.Row;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class ScalarsTest {
    private static final Map<String, IntUnaryOperator> FIELDS = Map.of(
            "attr", Scalars::attribute,
            "method", Scalars::method,
            "in_bufs", Scalars::inBuffers,
            "out_bufs", Scalars::outBuffers,
            "in_handles", Scalars::inHandles,
            "out_handles", Scalars::outHandles);

    @Test
    void everyFieldStandsWhereTheGoldenFileSays() {
        long seed = 41;
        RandomStream random = new RandomStream(seed);
        for (int round = 0; round < 1000; round++) {
            int word = random.nextInt();
            for (Row row : Golden.rows("scalars")) {
                int expected = word >>> row.part(0) & (1 << row.part(1)) - 1;
                int decoded = Objects.requireNonNull(FIELDS.get(row.name()), row.name())
                        .applyAsInt(word);
                assertThat(decoded)
                        .as("seed %d: %s of 0x%08x", seed, row.name(), word)
                        .isEqualTo(expected);
            }
            assertThat(Scalars.count(word))
                    .isEqualTo(Scalars.inBuffers(word)
                            + Scalars.outBuffers(word)
                            + Scalars.inHandles(word)
                            + Scalars.outHandles(word))
                    .isLessThanOrEqualTo(Scalars.MAX_ARGS);
            assertThat(Scalars.of(
                            Scalars.method(word),
                            Scalars.inBuffers(word),
                            Scalars.outBuffers(word),
                            Scalars.inHandles(word),
                            Scalars.outHandles(word)))
                    .isEqualTo(word & 0x1fff_ffff);
        }
    }

    @Test
    void aCountThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> Scalars.of(32, 0, 0)).hasMessageContaining("method 32");
        assertThatThrownBy(() -> Scalars.of(0, 256, 0)).hasMessageContaining("in buffers 256");
        assertThatThrownBy(() -> Scalars.of(0, 0, 0, 0, 16))
                .hasMessageContaining("out handles 16 in a scalars word; 0 to 15");
    }

    @Test
    void aCallIsDecodedByName() {
        assertThat(Scalars.describeCall(Fastrpc.HANDLE_REMOTECTL, RemotectlWire.OPEN_SCALARS, false))
                .isEqualTo("remotectl (method 0, 2 in, 2 out)");
        assertThat(Scalars.describeCall(0x35f08490, QnnWire.EXECUTE_SCALARS, true))
                .isEqualTo("portal_qnn 0x35f08490.execute (method 4, 1 in, 0 out)");
        assertThat(Scalars.describe(0x2000_0012)).isEqualTo("method 0, 0 in, 0 out, handles 1 in, 2 out, attribute 1");
    }
}
