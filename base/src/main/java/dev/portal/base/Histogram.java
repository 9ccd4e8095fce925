package dev.portal.base;

/**
 * Counts durations in buckets that grow with the value: 16 to each power of two, so that a quantile is at most 1/16 too
 * high and never too low. Values of 2^44 ns (almost five hours) and above share the last bucket; the maximum is exact.
 *
 * <p>Not synchronised: one owner writes, and reads or copies under the same guard.
 */
public final class Histogram {
    private static final int SUB_BITS = 4;
    private static final int SUB = 1 << SUB_BITS;
    private static final int EXPONENTS = 44 - SUB_BITS;

    private final long[] buckets;
    private long count;
    private long sum;
    private long max;

    public Histogram() {
        this(new long[(EXPONENTS + 1) * SUB]);
    }

    private Histogram(long[] buckets) {
        this.buckets = buckets;
    }

    /** Counts {@code value}; below 0 counts as 0. */
    public void record(long value) {
        long v = Math.max(0, value);
        buckets[index(v)]++;
        count++;
        sum += v;
        max = Math.max(max, v);
    }

    private int index(long v) {
        if (v < SUB) {
            return (int) v;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(v) - SUB_BITS;
        int index = (exponent + 1) * SUB + (int) (v >>> exponent) - SUB;
        return Math.min(index, buckets.length - 1);
    }

    /** The largest value that bucket {@code index} holds. */
    private static long highest(int index) {
        if (index < SUB) {
            return index;
        }
        int exponent = index / SUB - 1;
        return ((long) (index % SUB + SUB + 1) << exponent) - 1;
    }

    /** How many values were counted. */
    public long count() {
        return count;
    }

    /** Their sum. */
    public long sum() {
        return sum;
    }

    /** The largest, exactly; 0 when there is none. */
    public long max() {
        return max;
    }

    /**
     * A value that at least {@code share} of the counted ones do not exceed.
     *
     * @param share above 0, up to 1
     */
    public long quantile(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share " + share + " is not above 0 and up to 1");
        }
        long wanted = (long) Math.ceil(share * count);
        long seen = 0;
        for (int i = 0; i < buckets.length - 1; i++) {
            seen += buckets[i];
            if (seen >= wanted) {
                return Math.min(max, highest(i));
            }
        }
        return max;
    }

    /** Adds what {@code other} counted. */
    public void add(Histogram other) {
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] += other.buckets[i];
        }
        count += other.count;
        sum += other.sum;
        max = Math.max(max, other.max);
    }

    /** A copy that later records do not change. */
    public Histogram copy() {
        Histogram copy = new Histogram(buckets.clone());
        copy.count = count;
        copy.sum = sum;
        copy.max = max;
        return copy;
    }
}
