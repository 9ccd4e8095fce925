package dev.portal.hardware.rk3588;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BitFieldTest {
    private final BitField grains = CnaRegisters.CNA_CONV_CON2_FEATURE_GRAINS;

    @Test
    void valuesGoToTheirBitsAndComeBack() {
        assertThat(grains.encode(1023)).isEqualTo(0x3ff0);
        assertThat(grains.decode(0xffff_ffff)).isEqualTo(1023);
        BitField whole = CnaRegisters.CNA_WEIGHT_SIZE0_WEIGHT_BYTES;
        assertThat(whole.encode(0xffff_fffeL)).isEqualTo(-2);
        assertThat(whole.mask()).isEqualTo(-1);
    }

    @Test
    void aValueThatDoesNotFitNamesFieldBitsValueAndLimit() {
        assertThatThrownBy(() -> grains.encode(1024))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("CNA_CONV_CON2.FEATURE_GRAINS (bits 13:4) cannot hold 1024; its limit is 1023");
        assertThatThrownBy(() -> grains.encode(-1)).hasMessageContaining("cannot hold -1");
    }

    @Test
    void signedValuesAreTwosComplementInTheirBits() {
        BitField stride = CnaRegisters.CNA_DMA_CON2_SURF_STRIDE;
        assertThat(stride.encodeSigned(-3)).isEqualTo(0x0fff_fffd);
        assertThat(stride.decodeSigned(0x0fff_fffd)).isEqualTo(-3);
        assertThatThrownBy(() -> stride.encodeSigned(1 << 27)).hasMessageContaining("134217727");
    }
}
