package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.fastrpc.Scalars;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** The payload of a message, byte by byte (spec 1.7). */
class PayloadTest {
    private static final long BASE = 0x19_0000_1000L;

    private static long u64(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    private static int u32(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset);
    }

    private static MemorySegment laidOut(Payload payload) {
        MemorySegment memory = MemorySegment.ofArray(new byte[(int) payload.measure()]);
        payload.layOut(memory, BASE, argument -> 0x2010);
        return memory;
    }

    @Test
    void inlineBuffersStandBehindTheTablesEachAlignedTo128() {
        CallArgument[] arguments = {
            CallArgument.ofProcess(0x10_0000, 12, -1), CallArgument.ofProcess(0x20_0000, 8, 0),
        };
        Payload payload = new Payload(arguments, Scalars.of(2, 1, 1));
        MemorySegment memory = laidOut(payload);
        // 40 * 2 + 128 + 256 = 464, so the first block begins at 512 and the second at 640.
        assertThat(memory.byteSize()).isEqualTo(648);
        assertThat(u64(memory, 0)).isEqualTo(BASE + 512);
        assertThat(u64(memory, 8)).isEqualTo(12);
        assertThat(u64(memory, 16)).isEqualTo(BASE + 640);
        assertThat(u32(memory, 32)).as("num").isOne();
        assertThat(u32(memory, 36)).as("pgidx").isZero();
        assertThat(u32(memory, 44)).isOne();
        assertThat(u64(memory, 48)).as("page").isEqualTo(BASE);
        assertThat(u64(memory, 56)).isEqualTo(4096);
    }

    @Test
    void overlappingBuffersAreOneRangeAndEachByteStandsOnce() {
        CallArgument[] arguments = {
            CallArgument.ofProcess(0x10_0040, 64, -1),
            CallArgument.ofProcess(0x10_0000, 100, -1),
            CallArgument.ofProcess(0x10_0000, 100, -1),
        };
        Payload payload = new Payload(arguments, Scalars.of(2, 2, 1));
        MemorySegment memory = laidOut(payload);
        long first = u64(memory, 16);
        assertThat(u64(memory, 32)).as("the same memory twice").isEqualTo(first);
        assertThat(u64(memory, 0)).as("64 bytes into it").isEqualTo(first + 64);
        assertThat(memory.byteSize()).isEqualTo(first - BASE + 128);
    }

    @Test
    void aBufferByDescriptorIsOnItsPagesAndTakesNoRoom() {
        DmaBuf buffer = new DmaBuf(1, 65536, false, null);
        CallArgument[] arguments = {CallArgument.ofProcess(0x7f00_0000_2010L, 0x2000, 5)};
        arguments[0].map = new BufferMap(5, buffer, 65536, 0x40_0000);
        Payload payload = new Payload(arguments, Scalars.of(2, 1, 0));
        MemorySegment memory = laidOut(payload);
        assertThat(memory.byteSize()).isEqualTo(512);
        assertThat(u64(memory, 0)).as("the process's address").isEqualTo(0x7f00_0000_2010L);
        assertThat(u64(memory, 24)).isEqualTo(0x40_2000);
        assertThat(u64(memory, 32)).as("it touches three pages").isEqualTo(3 * 4096);
        buffer.free();
    }

    @Test
    void anEmptyBufferHasNoPagesAndAHandleItsOwnForm() {
        CallArgument[] arguments = {
            CallArgument.ofProcess(0x10_0000, 0, -1), CallArgument.ofProcess(0x30, 0x1000, 9),
        };
        Payload payload = new Payload(arguments, Scalars.of(2, 1, 0, 1, 0));
        MemorySegment memory = laidOut(payload);
        assertThat(u64(memory, 0)).isZero();
        assertThat(u32(memory, 32)).isZero();
        assertThat(u32(memory, 16)).as("fd").isEqualTo(9);
        assertThat(u32(memory, 20)).as("offset").isEqualTo(0x30);
        assertThat(u32(memory, 24)).as("length").isEqualTo(0x1000);
    }

    @Test
    void lengthsThatNoMemoryHoldsAreSaidToBeTooMuch() {
        CallArgument[] arguments = {
            CallArgument.ofProcess(0x10_0000, Long.MAX_VALUE, -1), CallArgument.ofProcess(0x20_0000, -1, -1),
        };
        assertThat(new Payload(arguments, Scalars.of(2, 2, 0)).measure()).isGreaterThan(1L << 40);
    }
}
