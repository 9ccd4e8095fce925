package dev.portal.hexagon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** The check vectors of the packing rules (golden/hexagon/fastrpc-abi.json, qaic_verified_examples). */
class ArgumentPackerTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(64, 8).fill((byte) 0xa5);
    private final ArgumentPacker packer = new ArgumentPacker().into(memory);

    @Test
    void eachPrimitiveIsAtItsNaturalAlignment() {
        packer.u32(1).u32(2).u32(3).u64(4).u64(5);
        assertThat(packer.size()).isEqualTo(32);
        assertThat(memory.get(ValueLayout.JAVA_INT, 8)).isEqualTo(3);
        assertThat(memory.get(ValueLayout.JAVA_INT, 12)).as("padding is zero").isZero();
        assertThat(memory.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(4);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 24)).isEqualTo(5);
    }

    @Test
    void nothingIsPaddedAtTheEnd() {
        assertThat(packer.u64(1).u32(2).size()).isEqualTo(12);
        assertThat(packer.into(memory).u32(1).u32(2).u32(3).size()).isEqualTo(12);
        assertThat(packer.into(memory).u8((byte) 1).u16((short) 2).u32(3).size())
                .isEqualTo(8);
    }

    @Test
    void theCallsOfPortalQnnHaveTheirDocumentedSizes() {
        assertThat(packer.into(memory).u64(1).u32(2).size()).isEqualTo(QnnWire.LOAD_IN_BYTES);
        packer.into(memory).u32(0x101).u32(2).u32(3).u64(0xbfff_0000L).u32(4096);
        assertThat(packer.size()).isEqualTo(QnnWire.TENSOR_IN_BYTES);
        assertThat(memory.get(ValueLayout.JAVA_LONG, QnnWire.TENSOR_ADDRESS)).isEqualTo(0xbfff_0000L);
        assertThat(memory.get(ValueLayout.JAVA_INT, QnnWire.TENSOR_SIZE)).isEqualTo(4096);
        assertThat(packer.into(memory).u32(1).u64(2).size()).isEqualTo(QnnWire.CONTROL_IN_BYTES);
    }

    @Test
    void nothingIsWrittenOutsideOfTheMemory() {
        ArgumentPacker small = new ArgumentPacker().into(memory.asSlice(0, 12));
        small.u32(1).u32(2).u32(3);
        assertThatThrownBy(() -> small.u32(4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> small.u64(4)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aFrameWithPrimitivesAndNoBufferForThemIsRefused() {
        assertThatThrownBy(() -> new CallFrame("x.y", Scalars.of(2, 0, 0), 8, 0))
                .hasMessageContaining("x.y has packed primitives in and no in buffer");
        assertThatThrownBy(() -> new CallFrame("x.y", Scalars.of(2, 1, 0), 8, 4))
                .hasMessageContaining("no out buffer");
        CallFrame frame = new CallFrame("x.y", Scalars.of(2, 1, 1), 8, 4);
        assertThatThrownBy(() -> frame.inline(2, memory)).hasMessageContaining("has no buffer argument 2");
    }
}
