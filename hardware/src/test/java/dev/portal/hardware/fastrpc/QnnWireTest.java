package dev.portal.hardware.fastrpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.fastrpc.Golden.Row;
import dev.portal.hardware.fastrpc.QnnWire.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QnnWireTest {
    private static final Map<String, Integer> OFFSETS = Map.ofEntries(
            Map.entry("model_load prim_in.model_so_dsp_addr", QnnWire.LOAD_ADDRESS),
            Map.entry("model_load prim_in.model_so_size", QnnWire.LOAD_SIZE),
            Map.entry("model_load prim_rout.model_handle", QnnWire.LOAD_OUT_HANDLE),
            Map.entry("model_load prim_rout.n_graphs", QnnWire.LOAD_OUT_GRAPHS),
            Map.entry("set_input prim_in.model_handle", QnnWire.TENSOR_MODEL),
            Map.entry("set_input prim_in.graph_idx", QnnWire.TENSOR_GRAPH),
            Map.entry("set_input prim_in.tensor_idx", QnnWire.TENSOR_INDEX),
            Map.entry("set_input prim_in.data_dsp_addr", QnnWire.TENSOR_ADDRESS),
            Map.entry("set_input prim_in.data_size", QnnWire.TENSOR_SIZE),
            Map.entry("execute prim_in.model_handle", QnnWire.EXECUTE_MODEL),
            Map.entry("execute prim_in.graph_idx", QnnWire.EXECUTE_GRAPH),
            Map.entry("get_output prim_in.model_handle", QnnWire.TENSOR_MODEL),
            Map.entry("get_output prim_in.graph_idx", QnnWire.TENSOR_GRAPH),
            Map.entry("get_output prim_in.tensor_idx", QnnWire.TENSOR_INDEX),
            Map.entry("get_output prim_in.data_dsp_addr", QnnWire.TENSOR_ADDRESS),
            Map.entry("get_output prim_in.data_size", QnnWire.TENSOR_SIZE),
            Map.entry("model_unload prim_in.model_handle", QnnWire.UNLOAD_MODEL));

    @Test
    void everyMethodHasTheGoldenNumberScalarsAndOffsets() {
        for (Row row : Golden.rows("qnn")) {
            if (row.name().startsWith("max_")) {
                continue;
            }
            Method method = Method.valueOf(row.name().toUpperCase(java.util.Locale.ROOT));
            int ours = switch (row.what()) {
                case "method" -> method.number();
                case "sc" -> method.scalars();
                case "prim_in_size" -> method.inBytes();
                case "prim_rout_size" -> method.outBytes();
                default -> Objects.requireNonNull(OFFSETS.get(row.name() + " " + row.what()), row.toString());
            };
            assertThat(ours).as(row.toString()).isEqualTo(row.number());
        }
    }

    @Test
    void theLimitsAreTheSeeds() {
        assertThat(Golden.rows("qnn").stream()
                        .filter(row -> row.name().startsWith("max_"))
                        .map(Row::number))
                .containsExactly(QnnWire.MAX_MODELS, QnnWire.MAX_GRAPHS_PER_MODEL);
    }

    @Test
    void aMethodIsFoundByNumber() {
        assertThat(Method.of(QnnWire.GET_OUTPUT)).contains(Method.GET_OUTPUT);
        assertThat(Method.of(0)).isEqualTo(Optional.empty());
        assertThat(Method.MODEL_UNLOAD.idlName()).isEqualTo("model_unload");
    }
}
