package dev.portal.llm.gguf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An open GGUF file of version 2 or 3. The whole file is mapped read-only; reading its header costs memory for keys and
 * tensor names alone, whatever the header claims.
 *
 * <p>Safe for use by several threads. Closing unmaps the file: nothing may read a tensor then. The file must not be cut
 * short by anybody while it is open.
 */
public final class GgufFile implements AutoCloseable {
    static final int UINT32 = 4;
    static final int INT32 = 5;
    static final int FLOAT32 = 6;
    static final int BOOL = 7;
    static final int TEXT = 8;
    static final int ARRAY = 9;
    /** A vocabulary has a few hundred thousand entries. */
    static final long MOST_ELEMENTS = 1 << 24;

    private static final int MAGIC = 0x46554747;
    private static final int[] BYTES_OF_TYPE = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    /** More keys or tensors than any model has; a bound for the memory that a broken header can ask for. */
    private static final int MOST_ENTRIES = 1 << 16;

    private static final int MOST_DIMENSIONS = 4;

    private final @Nullable Arena arena;
    private final GgufMetadata metadata;
    private final Map<String, GgufTensor> tensors;

    private GgufFile(@Nullable Arena arena, GgufMetadata metadata, Map<String, GgufTensor> tensors) {
        this.arena = arena;
        this.metadata = metadata;
        this.tensors = tensors;
    }

    /**
     * Maps a file and reads its header.
     *
     * @throws IOException when it cannot be opened or mapped
     * @throws GgufException when it is broken or foreign; the message names file and key or tensor
     */
    @SuppressWarnings("MustBeClosedChecker") // the file owns the arena
    public static GgufFile open(Path file) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            return read(all, arena);
        } catch (GgufException e) {
            arena.close();
            throw new GgufException(file.getFileName() + ": " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /**
     * Reads the header of a file that is in memory. The segment stays the caller's.
     *
     * @throws GgufException when it is broken or foreign
     */
    public static GgufFile of(MemorySegment bytes) {
        return read(bytes.asReadOnly(), null);
    }

    public GgufMetadata metadata() {
        return metadata;
    }

    /** All tensors by name, in the order of the file. */
    public Map<String, GgufTensor> tensors() {
        return tensors;
    }

    public Optional<GgufTensor> find(String name) {
        return Optional.ofNullable(tensors.get(name));
    }

    /**
     * The tensor with this name and these sizes, fastest first.
     *
     * @throws GgufException when it is missing or has other sizes
     */
    public GgufTensor tensor(String name, long... sizes) {
        GgufTensor tensor = tensors.get(name);
        if (tensor == null) {
            throw new GgufException("tensor '" + name + "' is missing; the file is no complete language model");
        }
        List<Long> wanted = new ArrayList<>();
        for (long size : sizes) {
            wanted.add(size);
        }
        if (!tensor.sizes().equals(wanted)) {
            throw new GgufException(
                    "tensor '" + name + "' has the sizes " + tensor.sizes() + "; the file's keys ask for " + wanted);
        }
        return tensor;
    }

    @Override
    public void close() {
        if (arena != null) {
            arena.close();
        }
    }

    private static GgufFile read(MemorySegment all, @Nullable Arena arena) {
        Cursor cursor = new Cursor(all);
        if (cursor.remaining() < 4 || cursor.int32("the magic number") != MAGIC) {
            throw new GgufException("not a GGUF file: it does not begin with the letters GGUF");
        }
        int version = cursor.int32("the version");
        if (version < 2 || version > 3) {
            String swapped = Integer.reverseBytes(version) <= 3 && version != 1 ? " (a big-endian file)" : "";
            throw new GgufException("GGUF version " + version + swapped + " is not read here; versions 2 and 3 are");
        }
        long tensorCount = entries(cursor.count("the number of tensors", 24), "tensors");
        long keyCount = entries(cursor.count("the number of keys", 13), "keys");
        Map<String, GgufValue> values = new LinkedHashMap<>();
        for (long i = 0; i < keyCount; i++) {
            String key = cursor.text("the name of key " + i);
            String what = "key '" + key + "'";
            if (values.put(key, value(cursor, cursor.int32(what), what)) != null) {
                throw new GgufException(what + " is there twice");
            }
        }
        GgufMetadata metadata = new GgufMetadata(values);
        return new GgufFile(arena, metadata, tensors(cursor, (int) tensorCount, metadata, all));
    }

    private static long entries(long count, String what) {
        if (count > MOST_ENTRIES) {
            throw new GgufException(
                    "the header claims " + count + " " + what + "; no model has more than " + MOST_ENTRIES);
        }
        return count;
    }

    private static GgufValue value(Cursor cursor, int type, String what) {
        return switch (type) {
            case 0 -> new GgufValue.Whole(cursor.int8(what) & 0xff);
            case 1 -> new GgufValue.Whole(cursor.int8(what));
            case 2 -> new GgufValue.Whole((cursor.int8(what) & 0xff) | (cursor.int8(what) & 0xff) << 8);
            case 3 -> new GgufValue.Whole((short) ((cursor.int8(what) & 0xff) | cursor.int8(what) << 8));
            case UINT32 -> new GgufValue.Whole(cursor.int32(what) & 0xffff_ffffL);
            case INT32 -> new GgufValue.Whole(cursor.int32(what));
            case FLOAT32 -> new GgufValue.Real(Float.intBitsToFloat(cursor.int32(what)));
            case BOOL -> new GgufValue.Flag(cursor.int8(what) != 0);
            case TEXT -> new GgufValue.Text(cursor.text(what));
            case ARRAY -> array(cursor, what);
            case 10 -> {
                long value = cursor.int64(what);
                if (value < 0) {
                    throw new GgufException(what + " is " + Long.toUnsignedString(value) + ", too large to be meant");
                }
                yield new GgufValue.Whole(value);
            }
            case 11 -> new GgufValue.Whole(cursor.int64(what));
            case 12 -> new GgufValue.Real(Double.longBitsToDouble(cursor.int64(what)));
            default -> throw new GgufException(what + " has value type " + type + "; GGUF knows 0 to 12");
        };
    }

    private static GgufValue.Array array(Cursor cursor, String what) {
        int type = cursor.int32(what);
        if (type == ARRAY) {
            throw new GgufException(what + " is an array of arrays, which no model that is read here has");
        }
        if (type < 0 || type >= BYTES_OF_TYPE.length) {
            throw new GgufException(what + " is an array of value type " + type + "; GGUF knows 0 to 12");
        }
        if (type != TEXT) {
            long count = cursor.count("the length of " + what, BYTES_OF_TYPE[type]);
            return new GgufValue.Array(type, count, cursor.skip(count * BYTES_OF_TYPE[type], what));
        }
        long count = cursor.count("the length of " + what, 8);
        Cursor start = new Cursor(cursor.rest());
        for (long i = 0; i < count; i++) {
            start.skipText("an element of " + what);
        }
        return new GgufValue.Array(type, count, cursor.skip(start.position(), what));
    }

    private static Map<String, GgufTensor> tensors(Cursor cursor, int count, GgufMetadata metadata, MemorySegment all) {
        long alignment = metadata.whole("general.alignment").orElse(32);
        if (alignment < 1 || alignment > 1 << 20 || Long.bitCount(alignment) != 1) {
            throw new GgufException("key 'general.alignment' is " + alignment + "; a power of two is needed");
        }
        List<Placed> placed = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            placed.add(placed(cursor, i));
        }
        long base = (cursor.position() + alignment - 1) / alignment * alignment;
        Map<String, GgufTensor> tensors = new LinkedHashMap<>();
        for (Placed each : placed) {
            long bytes = bytes(each);
            if (each.offset < 0 || each.offset % alignment != 0) {
                throw new GgufException("tensor '" + each.name + "' is at offset " + Long.toUnsignedString(each.offset)
                        + ", no multiple of " + alignment);
            }
            if (each.offset > all.byteSize() - base || bytes > all.byteSize() - base - each.offset) {
                throw new GgufException("tensor '" + each.name + "' needs " + bytes + " bytes at offset " + each.offset
                        + "; the file ends before that, fetch it again");
            }
            GgufTensor tensor =
                    new GgufTensor(each.name, each.sizes, each.type, all.asSlice(base + each.offset, bytes));
            if (tensors.put(each.name, tensor) != null) {
                throw new GgufException("tensor '" + each.name + "' is there twice");
            }
        }
        return Collections.unmodifiableMap(tensors);
    }

    private record Placed(String name, List<Long> sizes, TensorType type, long offset) {}

    private static Placed placed(Cursor cursor, int index) {
        String name = cursor.text("the name of tensor " + index);
        String what = "tensor '" + name + "'";
        int dimensions = cursor.int32(what);
        if (dimensions < 1 || dimensions > MOST_DIMENSIONS) {
            throw new GgufException(what + " has " + Integer.toUnsignedString(dimensions) + " dimensions; 1 to "
                    + MOST_DIMENSIONS + " are possible");
        }
        List<Long> sizes = new ArrayList<>();
        for (int i = 0; i < dimensions; i++) {
            long size = cursor.int64(what);
            if (size < 1 || size > Integer.MAX_VALUE) {
                throw new GgufException(
                        what + " has the size " + Long.toUnsignedString(size) + "; each is 1 to " + Integer.MAX_VALUE);
            }
            sizes.add(size);
        }
        return new Placed(name, List.copyOf(sizes), TensorType.of(cursor.int32(what), name), cursor.int64(what));
    }

    private static long bytes(Placed tensor) {
        long columns = tensor.sizes.getFirst();
        if (columns % tensor.type.blockWeights() != 0) {
            throw new GgufException("tensor '" + tensor.name + "' has rows of " + columns + " weights; " + tensor.type
                    + " needs a multiple of " + tensor.type.blockWeights());
        }
        try {
            long rows = 1;
            for (long size : tensor.sizes.subList(1, tensor.sizes.size())) {
                rows = Math.multiplyExact(rows, size);
            }
            if (rows > Integer.MAX_VALUE) {
                throw new GgufException("tensor '" + tensor.name + "' has " + rows + " rows; at most "
                        + Integer.MAX_VALUE + " are read");
            }
            return Math.multiplyExact(rows, tensor.type.rowBytes(columns));
        } catch (ArithmeticException e) {
            throw new GgufException(
                    "tensor '" + tensor.name + "' has the sizes " + tensor.sizes + ", more than a file can hold");
        }
    }
}
