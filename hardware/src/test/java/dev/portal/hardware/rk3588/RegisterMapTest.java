package dev.portal.hardware.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RegisterMapTest {
    @Test
    void everyRegisterHasItsOwnOffsetInThePageOfItsBlock() {
        Set<Integer> offsets = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (Register register : RegisterMap.all()) {
            assertThat(offsets.add(register.offset())).as(register.name()).isTrue();
            assertThat(names.add(register.name())).as(register.name()).isTrue();
            assertThat(Block.ofOffset(register.offset())).hasValue(register.block());
            assertThat(RegisterMap.at(register.offset())).hasValue(register);
        }
        assertThat(RegisterMap.at(0x1048)).isEmpty();
        assertThat(RegisterMap.at(0x1041)).isEmpty();
        assertThat(RegisterMap.at(0xfffc)).isEmpty();
        assertThat(RegisterMap.at(-4)).isEmpty();
    }

    @Test
    void theEnableBitIsThePageNumberMinusOne() {
        assertThat(Block.CNA.enableBit() | Block.CORE.enableBit() | Block.DPU.enableBit())
                .isEqualTo(0x0d);
        assertThat(Block.DPU_RDMA.enableBit()).isEqualTo(0x10);
        assertThat(Block.PPU.enableBit() | Block.PPU_RDMA.enableBit()).isEqualTo(0x60);
        assertThat(Block.ofTarget(0x1001)).hasValue(Block.DPU);
        assertThat(Block.ofTarget(0x0041)).isEmpty();
    }
}
