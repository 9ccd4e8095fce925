package dev.portal.llm.decoder;

/**
 * Keys and values of the positions that were read, in 32-bit floats; for each layer and head a row of {@code headWidth}
 * for each position. One thread at a time.
 */
public final class KvCache {
    private final int layers;
    private final int heads;
    private final int headWidth;
    private final int capacity;
    private final float[][] keys;
    private final float[][] values;
    private int length;

    /**
     * An empty cache.
     *
     * @param capacity positions, 1 or more
     */
    public KvCache(ModelShape shape, int capacity) {
        this.layers = shape.layers();
        this.heads = shape.keyHeads();
        this.headWidth = shape.headWidth();
        this.capacity = capacity;
        keys = new float[layers][];
        values = new float[layers][];
        int size = Math.toIntExact((long) heads * capacity * headWidth);
        for (int layer = 0; layer < layers; layer++) {
            keys[layer] = new float[size];
            values[layer] = new float[size];
        }
    }

    /** Bytes that a cache of so many positions takes. */
    public static long bytes(ModelShape shape, int capacity) {
        return 8L * shape.layers() * shape.keyHeads() * shape.headWidth() * capacity;
    }

    /** Positions that fit. */
    public int capacity() {
        return capacity;
    }

    /** Positions that are there. */
    public int length() {
        return length;
    }

    /** Forgets every position from {@code positions} on. */
    public void truncate(int positions) {
        if (positions < 0 || positions > length) {
            throw new IllegalArgumentException(positions + " positions of " + length + "; only less can be kept");
        }
        length = positions;
    }

    /** A copy of what is in a cache, to be put back. Immutable. */
    public static final class Saved {
        private final int length;
        private final float[][] keys;
        private final float[][] values;

        private Saved(int length, float[][] keys, float[][] values) {
            this.length = length;
            this.keys = keys;
            this.values = values;
        }

        /** Positions. */
        public int length() {
            return length;
        }
    }

    /** Copies what is there. */
    public Saved save() {
        return new Saved(length, packed(keys), packed(values));
    }

    /**
     * Puts back what was saved from a cache of the same model.
     *
     * @throws IllegalArgumentException when it does not fit
     */
    public void restore(Saved saved) {
        if (saved.keys.length != layers || saved.length > capacity) {
            throw new IllegalArgumentException("a cache of " + saved.keys.length + " layers and " + saved.length
                    + " positions does not fit into one of " + layers + " and " + capacity);
        }
        unpack(saved.keys, keys, saved.length);
        unpack(saved.values, values, saved.length);
        length = saved.length;
    }

    private float[][] packed(float[][] all) {
        float[][] packed = new float[layers][length * heads * headWidth];
        for (int layer = 0; layer < layers; layer++) {
            for (int head = 0; head < heads; head++) {
                int count = length * headWidth;
                System.arraycopy(all[layer], row(head, 0), packed[layer], head * count, count);
            }
        }
        return packed;
    }

    private void unpack(float[][] packed, float[][] all, int positions) {
        for (int layer = 0; layer < layers; layer++) {
            for (int head = 0; head < heads; head++) {
                int count = positions * headWidth;
                System.arraycopy(packed[layer], head * count, all[layer], row(head, 0), count);
            }
        }
    }

    float[] keys(int layer) {
        return keys[layer];
    }

    float[] values(int layer) {
        return values[layer];
    }

    /** Where the row of a head and position begins. */
    int row(int head, int position) {
        return (head * capacity + position) * headWidth;
    }

    /** Writes keys and values {@code [heads, headWidth]} of a position that is not there yet. */
    void put(int layer, int position, float[] newKeys, float[] newValues, int at) {
        for (int head = 0; head < heads; head++) {
            System.arraycopy(newKeys, at + head * headWidth, keys[layer], row(head, position), headWidth);
            System.arraycopy(newValues, at + head * headWidth, values[layer], row(head, position), headWidth);
        }
    }

    void grow(int positions) {
        length += positions;
    }
}
