package dev.portal.hardware.rk3588;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.hardware.rk3588.ProgramDecoder.Kind;
import org.junit.jupiter.api.Test;

class ProgramDecoderTest {
    @Test
    void aCommandGoesToItsPlacesAndBack() {
        RegisterCommand command = new RegisterCommand(0x0201, 0x1020, 0x00010004);
        assertThat(command.encode()).isEqualTo(0x0201000100041020L);
        assertThat(RegisterCommand.decode(0x0201000100041020L)).isEqualTo(command);
        assertThat(RegisterCommand.word(Block.DPU, 0x4020, 0xfffea000)).isEqualTo(0x1001fffea0004020L);
        assertThatThrownBy(() -> new RegisterCommand(0x10000, 0, 0)).hasMessageContaining("0x10000");
    }

    @Test
    void lengthsCountPairsOfWords() {
        assertThat(RegisterCommand.encodedLength(108, 2)).isEqualTo(0x37);
        assertThat(RegisterCommand.encodedLength(104, 2)).isEqualTo(53);
        assertThat(RegisterCommand.encodedLength(65, 2)).isEqualTo(34);
        assertThat(RegisterCommand.encodedLength(108, 1)).isEqualTo(111);
    }

    @Test
    void wordsAreShownAsNamedRegistersAndFields() {
        long[] words = {
            0x0201000000b11040L, 0x020101ff02001024L, 0x1001a80000024010L, 0x02010ffffffd1080L, 0x1001000f000f403cL
        };
        assertThat(ProgramDecoder.print(words)).isEqualTo("""
               0  0201000000b11040  CNA_CBUF_CON0                0x000000b1  WEIGHT_BANK=11 DATA_BANK=1
               1  020101ff02001024  CNA_DATA_SIZE1               0x01ff0200  DATAIN_CHANNEL_REAL=511 (512) DATAIN_CHANNEL=512
               2  1001a80000024010  DPU_DATA_FORMAT              0xa8000002  OUT_PRECISION=FP32 IN_PRECISION=FP16 PROC_PRECISION=FP16
               3  02010ffffffd1080  CNA_DMA_CON2                 0x0ffffffd  SURF_STRIDE=-3
               4  1001000f000f403c  DPU_DATA_CUBE_CHANNEL        0x000f000f  ORIG_CHANNEL=15 (16) CHANNEL=15 (16)
            """);
    }

    @Test
    void theTrailerIsShownAsLinkMarkerAndEnable() {
        var chained = ProgramDecoder.decode(
                new long[] {0x0101040003800010L, 0x0101000000370014L, 0x0041000000000000L, 0x00810000000d0008L});
        assertThat(chained)
                .extracting(ProgramDecoder.Line::kind)
                .containsExactly(Kind.LINK_ADDRESS, Kind.LINK_LENGTH, Kind.MARKER, Kind.ENABLE);
        assertThat(chained.get(0).fields()).startsWith("link to the program at 0x4000380");
        assertThat(chained.get(1).fields()).startsWith("link to a program of 112 words");
        assertThat(chained.get(3).fields()).isEqualTo("OP_EN_DPU=1 OP_EN_CORE=1 OP_EN_CNA=1");
    }

    @Test
    void aTerminalLengthIsMaskedSinceVendorsSetTheBitsAbove() {
        var line = ProgramDecoder.decode(new long[] {0x0101000200000014L}).getFirst();
        assertThat(line.fields()).isEqualTo("terminal: no program follows CORES_MINUS_1=2 (3)");
    }

    @Test
    void damageIsMarkedAndDoesNotStopTheDecoder() {
        var lines = ProgramDecoder.decode(new long[] {
            0xffffffffffffffffL, 0x0201000000001048L, 0x0801000000b11040L, 0x0201800000b11040L, 0, 0x0041000000010000L
        });
        assertThat(lines)
                .extracting(ProgramDecoder.Line::kind)
                .containsExactly(Kind.UNKNOWN, Kind.UNKNOWN, Kind.UNKNOWN, Kind.WRITE, Kind.FILLER, Kind.MARKER);
        assertThat(lines.get(0).fields()).isEqualTo("unknown target 0xffff");
        assertThat(lines.get(1).fields()).isEqualTo("unknown register");
        assertThat(lines.get(2).fields()).isEqualTo("addressed to CORE");
        assertThat(lines.get(3).fields()).isEqualTo("WEIGHT_BANK=11 DATA_BANK=1 UNKNOWN_31=1");
        assertThat(lines.get(5).fields()).isEqualTo("not zero: unknown");
    }
}
