package dev.portal.llama;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The text values in a GGUF file's header: {@code GGUF}, version, tensor count, key count, then each key with its type
 * and value, all little-endian. Arrays and numbers are skipped.
 */
final class GgufHeader {
    private static final int MAGIC = 0x46554747;
    private static final int STRING = 8;
    private static final int ARRAY = 9;
    private static final long LONGEST_TEXT_BYTES = 1 << 20;
    private static final int[] BYTES_OF_TYPE = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

    private final DataInputStream in;

    private GgufHeader(DataInputStream in) {
        this.in = in;
    }

    /**
     * Reads the texts.
     *
     * @throws IOException when the file is no GGUF file, or is cut short
     */
    static Map<String, String> texts(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            return new GgufHeader(in).read();
        } catch (EOFException e) {
            throw new IOException("the file ends within its header", e);
        }
    }

    private Map<String, String> read() throws IOException {
        if (int32() != MAGIC) {
            throw new IOException("not a GGUF file");
        }
        int version = int32();
        if (version < 2 || version > 3) {
            throw new IOException("GGUF version " + version + " is not read here; 2 and 3 are");
        }
        int64();
        long keys = int64();
        Map<String, String> texts = new HashMap<>();
        for (long i = 0; i < keys; i++) {
            String key = text();
            int type = int32();
            if (type == STRING) {
                texts.put(key, text());
            } else {
                skip(type);
            }
        }
        return texts;
    }

    private void skip(int type) throws IOException {
        if (type == ARRAY) {
            int element = int32();
            long count = int64();
            if (element == STRING || element == ARRAY) {
                for (long i = 0; i < count; i++) {
                    skip(element);
                }
            } else {
                in.skipNBytes(Math.multiplyExact(count, bytesOf(element)));
            }
        } else if (type == STRING) {
            in.skipNBytes(int64());
        } else {
            in.skipNBytes(bytesOf(type));
        }
    }

    private static int bytesOf(int type) throws IOException {
        if (type < 0 || type >= BYTES_OF_TYPE.length || BYTES_OF_TYPE[type] == 0) {
            throw new IOException("GGUF has no value type " + type);
        }
        return BYTES_OF_TYPE[type];
    }

    private String text() throws IOException {
        long bytes = int64();
        if (bytes < 0 || bytes > LONGEST_TEXT_BYTES) {
            throw new IOException("a text of " + bytes + " bytes in the header");
        }
        return new String(in.readNBytes((int) bytes), StandardCharsets.UTF_8);
    }

    private int int32() throws IOException {
        return Integer.reverseBytes(in.readInt());
    }

    private long int64() throws IOException {
        return Long.reverseBytes(in.readLong());
    }
}
