package dev.portal.llm.tokenizer;

import java.util.Arrays;

/** Ids as they are found. One thread. */
final class IntList {
    private int[] values = new int[32];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    int[] toArray() {
        return Arrays.copyOf(values, size);
    }
}
