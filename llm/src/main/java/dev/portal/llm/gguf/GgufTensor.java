package dev.portal.llm.gguf;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A tensor of a file.
 *
 * @param name as in the file
 * @param sizes fastest first, 1 to 4 of them, each 1 or more
 * @param type how it is stored
 * @param data its bytes in the mapped file, read-only; valid while the file is open
 */
public record GgufTensor(String name, List<Long> sizes, TensorType type, MemorySegment data) {
    /** Weights in a row: the fastest size. */
    public int columns() {
        return Math.toIntExact(sizes.getFirst());
    }

    /** Rows: the product of the other sizes. */
    public int rows() {
        long rows = 1;
        for (long size : sizes.subList(1, sizes.size())) {
            rows = Math.multiplyExact(rows, size);
        }
        return Math.toIntExact(rows);
    }

    /** Bytes of one row. */
    public long rowBytes() {
        return type.rowBytes(columns());
    }
}
