package dev.portal.emulator.hexagon;

import java.nio.ByteBuffer;

/** The first 52 bytes of a shared object for Hexagon (spec 2.2). */
final class ElfHeader {
    /** The machine. */
    static final int HEXAGON = 164;

    static final int BYTES = 52;
    static final int PROGRAM_HEADER_BYTES = 32;

    private static final int V68 = 0x68;

    private ElfHeader() {}

    /** ELF32, little-endian, ET_DYN. */
    static void put(ByteBuffer file, int programHeaders, int programCount, int sections, int sectionCount) {
        file.put(0, new byte[] {0x7f, 'E', 'L', 'F', 1, 1, 1});
        file.putShort(16, (short) 3).putShort(18, (short) HEXAGON).putInt(20, 1);
        file.putInt(28, programHeaders).putInt(32, sections).putInt(36, V68);
        file.putShort(40, (short) BYTES).putShort(42, (short) PROGRAM_HEADER_BYTES);
        file.putShort(44, (short) programCount).putShort(46, (short) 40).putShort(48, (short) sectionCount);
    }
}
