package dev.portal.rknpu;

/**
 * A matrix product C[m, n] = A[m, k] x B[k, n].
 *
 * @param type of the elements
 * @param m rows of A and C, at least 1
 * @param k columns of A, rows of B, at least 1
 * @param n columns of B and C, at least 1
 */
public record MatmulShape(MatmulType type, int m, int k, int n) {
    public MatmulShape {
        if (m < 1 || k < 1 || n < 1) {
            throw new IllegalArgumentException("a matrix product of " + m + " x " + k + " x " + n
                    + " (M x K x N) is empty; every dimension must be at least 1");
        }
    }

    /** Bytes of A, dense. */
    public long aBytes() {
        return (long) m * k * type.inputBytes();
    }

    /** Bytes of B, dense and packed alike. */
    public long bBytes() {
        return (long) k * n * type.inputBytes();
    }

    /** Bytes of C, dense. */
    public long cBytes() {
        return (long) m * n * type.outputBytes();
    }

    /** Multiplications and additions, counted as one each pair. */
    public long macs() {
        return (long) m * k * n;
    }

    @Override
    public String toString() {
        return type.inputName() + " " + m + "x" + k + "x" + n + " to " + type.outputName();
    }
}
