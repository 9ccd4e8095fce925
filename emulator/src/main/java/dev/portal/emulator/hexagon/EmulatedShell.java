package dev.portal.emulator.hexagon;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A shell for the emulated DSP: what a file {@code fastrpc_shell_unsigned_3} looks like from outside (spec 2.2), with
 * nothing inside. ELF32, ET_DYN, machine 164, two PT_LOAD and one PT_DYNAMIC, the firmware's build id as text.
 */
public final class EmulatedShell {
    /** Where shells are looked for on a board. */
    public static final String PATH = "/usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3";

    private static final int SIZE = 64 * 1024;
    private static final int TEXT = 4096;
    private static final int DYNAMIC = 32 * 1024;
    private static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;

    private EmulatedShell() {}

    /**
     * The bytes of a shell.
     *
     * @param build the firmware that it belongs to, {@link HexagonOptions#firmwareBuild()}
     */
    public static byte[] of(String build) {
        ByteBuffer file = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        ElfHeader.put(file, ElfHeader.BYTES, 3, 0, 0);
        program(file, 0, PT_LOAD, 0, DYNAMIC, 5);
        program(file, 1, PT_LOAD, DYNAMIC, SIZE - DYNAMIC, 6);
        program(file, 2, PT_DYNAMIC, DYNAMIC, 64, 6);
        file.put(TEXT, ("QC_IMAGE_VERSION_STRING=" + build + "\0").getBytes(StandardCharsets.US_ASCII));
        return file.array();
    }

    private static void program(ByteBuffer file, int index, int type, int offset, int size, int flags) {
        int at = ElfHeader.BYTES + index * ElfHeader.PROGRAM_HEADER_BYTES;
        file.putInt(at, type).putInt(at + 4, offset).putInt(at + 8, offset).putInt(at + 12, offset);
        file.putInt(at + 16, size).putInt(at + 20, size).putInt(at + 24, flags).putInt(at + 28, 4096);
    }

    /** Whether bytes are a shell that the DSP would start, whatever the build. */
    static boolean isShell(byte[] bytes) {
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return ModelLibrary.isElf(bytes)
                && bytes.length >= ElfHeader.BYTES
                && bytes[4] == 1
                && bytes[5] == 1
                && file.getShort(16) == 3
                && file.getShort(18) == ElfHeader.HEXAGON;
    }

    /** Whether the build id stands in the shell. */
    static boolean isOfBuild(byte[] bytes, String build) {
        return new String(bytes, StandardCharsets.ISO_8859_1).contains(build);
    }
}
