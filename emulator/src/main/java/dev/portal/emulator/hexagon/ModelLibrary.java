package dev.portal.emulator.hexagon;

import dev.portal.hardware.fastrpc.QnnWire;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The model library of the scheduling seed: a shared object for Hexagon with an entry {@code composeGraphs} (spec 3.2,
 * 7.6). Here the entry is not code: its symbol names a {@link ContextBinary}, whose graphs it registers.
 *
 * <p>ELF32, little-endian, ET_DYN, machine 164, with a symbol table that names the entry; QNN's own name for it, {@code
 * QnnModel_composeGraphs}, is taken too.
 */
public final class ModelLibrary {
    private static final int ELF_MAGIC = 0x464c457f;
    private static final int HEADER = 52;
    private static final int SECTION = 40;
    private static final int SYMBOL = 16;
    private static final int DYNAMIC_SYMBOLS = 11;
    private static final List<String> ENTRIES = List.of("composeGraphs", "QnnModel_composeGraphs");

    private ModelLibrary() {}

    /** Whether the bytes begin as an ELF file does. */
    static boolean isElf(byte[] bytes) {
        return bytes.length >= 4
                && ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt() == ELF_MAGIC;
    }

    /** A library that registers these graphs. */
    public static byte[] of(List<GraphImage> graphs) {
        return of(graphs, ENTRIES.getFirst());
    }

    static byte[] of(List<GraphImage> graphs, String entry) {
        byte[] container = ContextBinary.of(graphs);
        byte[] names = ("\0" + entry + "\0").getBytes(StandardCharsets.US_ASCII);
        int symbols = HEADER;
        int strings = symbols + 2 * SYMBOL;
        int body = (strings + names.length + 15) / 16 * 16;
        int sections = (body + container.length + 15) / 16 * 16;
        ByteBuffer file = ByteBuffer.allocate(sections + 3 * SECTION).order(ByteOrder.LITTLE_ENDIAN);
        ElfHeader.put(file, 0, 0, sections, 3);
        file.position(symbols + SYMBOL);
        file.putInt(1).putInt(body).putInt(container.length).put((byte) 0x12).put((byte) 0);
        file.putShort((short) 1);
        file.put(strings, names).put(body, container);
        section(file, sections + SECTION, DYNAMIC_SYMBOLS, symbols, 2 * SYMBOL, 2);
        section(file, sections + 2 * SECTION, 3, strings, names.length, 0);
        return file.array();
    }

    private static void section(ByteBuffer file, int at, int type, int offset, int size, int link) {
        file.putInt(at + 4, type).putInt(at + 16, offset).putInt(at + 20, size).putInt(at + 24, link);
    }

    /**
     * Loads a library and lets its entry register its graphs.
     *
     * @throws GraphException 1008 for another machine, 1009 for a file that cannot be loaded or has no entry
     */
    static List<GraphImage> load(byte[] bytes) throws GraphException {
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < HEADER) {
            throw unloadable("its header is cut off");
        }
        if (bytes[4] != 1 || bytes[5] != 1 || file.getShort(16) != 3 || file.getShort(18) != ElfHeader.HEXAGON) {
            throw new GraphException(
                    QnnWire.QNN_INCOMPATIBLE_BINARIES, "not a shared object for Hexagon: machine " + file.getShort(18));
        }
        int sections = file.getInt(32);
        int count = file.getShort(48) & 0xffff;
        if (sections < 0 || sections > bytes.length - (long) count * SECTION) {
            throw unloadable("its sections lie outside");
        }
        for (int i = 0; i < count; i++) {
            int at = sections + i * SECTION;
            if (file.getInt(at + 4) == DYNAMIC_SYMBOLS) {
                int link = file.getInt(at + 24);
                if (link < 0 || link >= count) {
                    throw unloadable("its symbols have no names");
                }
                return compose(file, bytes, at, sections + link * SECTION);
            }
        }
        throw unloadable("it has no symbols");
    }

    private static List<GraphImage> compose(ByteBuffer file, byte[] bytes, int symbols, int strings)
            throws GraphException {
        int start = file.getInt(symbols + 16);
        int size = file.getInt(symbols + 20);
        int names = file.getInt(strings + 16);
        int namesSize = file.getInt(strings + 20);
        if (outside(start, size, bytes) || outside(names, namesSize, bytes)) {
            throw unloadable("its symbols lie outside");
        }
        for (int at = start; at + SYMBOL <= start + size; at += SYMBOL) {
            int name = file.getInt(at);
            if (name >= 0 && name < namesSize && ENTRIES.contains(text(bytes, names + name, names + namesSize))) {
                int value = file.getInt(at + 4);
                int length = file.getInt(at + 8);
                if (outside(value, length, bytes)) {
                    throw unloadable("its entry lies outside");
                }
                byte[] container = new byte[length];
                file.get(value, container);
                return ContextBinary.read(container);
            }
        }
        throw unloadable("it has no entry composeGraphs");
    }

    private static boolean outside(int offset, int size, byte[] bytes) {
        return offset < 0 || size < 0 || offset > bytes.length - size;
    }

    private static String text(byte[] bytes, int from, int limit) {
        var out = new ByteArrayOutputStream();
        for (int i = from; i < limit && bytes[i] != 0; i++) {
            out.write(bytes[i]);
        }
        return out.toString(StandardCharsets.US_ASCII);
    }

    private static GraphException unloadable(String why) {
        return new GraphException(QnnWire.QNN_LOADING_BINARIES, "the model library cannot be loaded: " + why);
    }
}
