package dev.portal.emulator.rk3588;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The arithmetic of {@link ScalarEngine} in loops that HotSpot turns into vector code.
 *
 * <p>What decides is not the arithmetic but what the compiler can prove about memory: it vectorises a loop only when
 * stores cannot meet loads of other rounds. So every loop here runs over whole arrays with one index and no offset, and
 * bytes are widened by shifts inside a word, not by loads of another width.
 *
 * <p>One row of int8: four products lie in each 32-bit word of weights, as the tiles store them; the features are laid
 * out once beside them. Several rows: the weights of 32 channels are turned into rows of kernels, and four of them at a
 * time are added to the sums. In fp16 the terms are added one after another, so the order of a sum stays the order of
 * the channels.
 */
final class FastEngine implements MatrixEngine {
    private static final int TILE = Addressing.TILE_CHANNELS;

    /** Words of one int8 weight tile. */
    private static final int TILE_WORDS = 256;

    /** Tiles that one loop works on. */
    private static final int TILES = 4;

    private static final int SPAN = TILES * TILE_WORDS;

    /** Kernels whose turned weights stay in the cache. */
    private static final int BLOCK = 512;

    private final int[] words = new int[SPAN];
    private final MemorySegment wordBytes = MemorySegment.ofArray(words);
    private final int[] partial = new int[SPAN];
    private byte[] viewed = new byte[0];
    private MemorySegment view = MemorySegment.ofArray(viewed);
    private int[][][] spread = new int[0][][];
    private int[][] sumRows = new int[0][];
    private float[][] realRows = new float[0][];
    private final int[][] turned = new int[TILE][BLOCK];
    private final float[][] turnedReal = new float[TILE][BLOCK];

    @Override
    public void int8(
            byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums) {
        if (rows == 1) {
            oneRow(features, weights, weightOffset, channels, kernels, sums);
            return;
        }
        if (sumRows.length < rows) {
            sumRows = new int[rows][BLOCK];
        }
        for (int from = 0; from < kernels; from += BLOCK) {
            int count = Math.min(BLOCK, kernels - from);
            for (int m = 0; m < rows; m++) {
                Arrays.fill(sumRows[m], 0);
            }
            for (int tile = 0; tile < channels; tile += TILE) {
                turn(weights, weightOffset, tile, channels, from, count);
                for (int m = 0; m < rows; m++) {
                    addTile(features, m * channels + tile, sumRows[m]);
                }
            }
            for (int m = 0; m < rows; m++) {
                System.arraycopy(sumRows[m], 0, sums, m * kernels + from, count);
            }
        }
    }

    private void turn(byte[] weights, int weightOffset, int tile, int channels, int from, int count) {
        for (int n = 0; n < count; n++) {
            int kernel = from + n;
            int at = weightOffset + (kernel >> 5) * 32 * channels + tile * 32 + (kernel & 31) * TILE;
            for (int k = 0; k < TILE; k++) {
                turned[k][n] = weights[at + k];
            }
        }
    }

    private void addTile(byte[] features, int at, int[] sums) {
        for (int k = 0; k < TILE; k += 4) {
            addFour(
                    sums,
                    turned[k],
                    turned[k + 1],
                    turned[k + 2],
                    turned[k + 3],
                    features[at + k],
                    features[at + k + 1],
                    features[at + k + 2],
                    features[at + k + 3]);
        }
    }

    private static void addFour(int[] sums, int[] r0, int[] r1, int[] r2, int[] r3, int f0, int f1, int f2, int f3) {
        for (int n = 0; n < BLOCK; n++) {
            sums[n] += f0 * r0[n] + f1 * r1[n] + f2 * r2[n] + f3 * r3[n];
        }
    }

    /** A view of an array; the last one is kept, since weights are used again and again. */
    @SuppressWarnings("ReferenceEquality") // The same array, not an equal one.
    private MemorySegment segment(byte[] array) {
        if (array != viewed) {
            viewed = array;
            view = MemorySegment.ofArray(array);
        }
        return view;
    }

    /** Spans of four tiles, then what is left of a kernel group as a shorter span. */
    private void oneRow(byte[] features, byte[] weights, int weightOffset, int channels, int kernels, int[] sums) {
        int tiles = channels / TILE;
        spread(features, tiles);
        MemorySegment source = segment(weights);
        for (int group = 0; group < kernels; group += 32) {
            long at = weightOffset + (long) group * channels;
            Arrays.fill(partial, 0);
            for (int tile = 0; tile < tiles; tile += TILES) {
                int bytes = 4 * TILE_WORDS * Math.min(TILES, tiles - tile);
                MemorySegment.copy(source, at + 4L * TILE_WORDS * tile, wordBytes, 0, bytes);
                int[][] lanes = spread[tile / TILES];
                addWords(words, lanes[0], lanes[1], lanes[2], lanes[3], partial);
            }
            for (int n = 0; n < 32; n++) {
                int sum = 0;
                for (int span = 8 * n; span < SPAN; span += TILE_WORDS) {
                    for (int lane = 0; lane < 8; lane++) {
                        sum += partial[span + lane];
                    }
                }
                sums[group + n] = sum;
            }
        }
    }

    /** Lays the features beside the words of a kernel group: the same eight words of features for each of 32 kernels. */
    private void spread(byte[] features, int tiles) {
        int spans = (tiles + TILES - 1) / TILES;
        if (spread.length < spans) {
            spread = new int[spans][4][SPAN];
        }
        for (int span = 0; span < spans; span++) {
            for (int byteLane = 0; byteLane < 4; byteLane++) {
                int[] lanes = spread[span][byteLane];
                for (int t = 0; t < TILES; t++) {
                    int tile = span * TILES + t;
                    int at = t * TILE_WORDS;
                    for (int lane = 0; lane < 8; lane++) {
                        lanes[at + lane] = tile < tiles ? features[tile * TILE + 4 * lane + byteLane] : 0;
                    }
                    for (int filled = 8; filled < TILE_WORDS; filled *= 2) {
                        System.arraycopy(lanes, at, lanes, at + filled, filled);
                    }
                }
            }
        }
    }

    private static void addWords(int[] words, int[] a0, int[] a1, int[] a2, int[] a3, int[] sums) {
        for (int i = 0; i < SPAN; i++) {
            int word = words[i];
            sums[i] += ((word << 24) >> 24) * a0[i]
                    + ((word << 16) >> 24) * a1[i]
                    + ((word << 8) >> 24) * a2[i]
                    + (word >> 24) * a3[i];
        }
    }

    @Override
    public void fp16(
            byte[] features, byte[] weights, int weightOffset, int rows, int channels, int kernels, int[] sums) {
        if (realRows.length < rows) {
            realRows = new float[rows][BLOCK];
        }
        for (int from = 0; from < kernels; from += BLOCK) {
            int count = Math.min(BLOCK, kernels - from);
            for (int m = 0; m < rows; m++) {
                Arrays.fill(realRows[m], 0f);
            }
            for (int tile = 0; tile < channels; tile += TILE) {
                turnReal(weights, weightOffset, tile, channels, from, count);
                for (int m = 0; m < rows; m++) {
                    addTile(features, 2 * (m * channels + tile), realRows[m]);
                }
            }
            for (int m = 0; m < rows; m++) {
                for (int n = 0; n < count; n++) {
                    sums[m * kernels + from + n] = Float.floatToRawIntBits(realRows[m][n]);
                }
            }
        }
    }

    private void turnReal(byte[] weights, int weightOffset, int tile, int channels, int from, int count) {
        for (int n = 0; n < count; n++) {
            int kernel = from + n;
            int at = weightOffset + 2 * ((kernel >> 4) * 16 * channels + tile * 16 + (kernel & 15) * TILE);
            for (int k = 0; k < TILE; k++) {
                turnedReal[k][n] = ScalarEngine.half(weights, at + 2 * k);
            }
        }
    }

    private void addTile(byte[] features, int at, float[] sums) {
        for (int k = 0; k < TILE; k += 4) {
            addFour(
                    sums,
                    turnedReal[k],
                    turnedReal[k + 1],
                    turnedReal[k + 2],
                    turnedReal[k + 3],
                    ScalarEngine.half(features, at + 2 * k),
                    ScalarEngine.half(features, at + 2 * k + 2),
                    ScalarEngine.half(features, at + 2 * k + 4),
                    ScalarEngine.half(features, at + 2 * k + 6));
        }
    }

    private static void addFour(
            float[] sums, float[] r0, float[] r1, float[] r2, float[] r3, float f0, float f1, float f2, float f3) {
        for (int n = 0; n < BLOCK; n++) {
            sums[n] = sums[n] + f0 * r0[n] + f1 * r1[n] + f2 * r2[n] + f3 * r3[n];
        }
    }
}
