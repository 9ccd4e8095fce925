package dev.portal.emulator.rk3588;

import java.util.Arrays;

/** The read DMA: brings features and weights from memory into the dense form that the engine takes. */
final class Operands {
    private final Dma dma;
    private byte[] features = new byte[0];
    private byte[] weightCopy = new byte[0];
    private byte[] plane = new byte[0];
    private byte[] weights = weightCopy;
    private int weightOffset;

    Operands(Dma dma) {
        this.dma = dma;
    }

    /** Rows of features, channels together. Valid until the next load. */
    byte[] features() {
        return features;
    }

    byte[] weights() {
        return weights;
    }

    /** Where the weights begin in {@link #weights()}. */
    int weightOffset() {
        return weightOffset;
    }

    /** Loads the features by the rule of spec 5.1. */
    void loadFeatures(MatmulTask.Cna cna) throws DmaFault {
        int rowBytes = cna.channels() * cna.input().bytes();
        features = sized(features, cna.rows() * rowBytes);
        Addressing.Feature rule = Addressing.Feature.of(cna);
        if (rule.rowsAreContiguous() && cna.width() == 1) {
            for (int h = 0; h < cna.height(); h++) {
                dma.read(Dma.Port.FEATURE, rule.atom(0, h, 0), features, h * rowBytes, rowBytes);
            }
            return;
        }
        for (int s = 0; s < rowBytes / Addressing.ATOM; s++) {
            loadSurface(cna, rule, s, rowBytes);
        }
    }

    /** One surface: its lines are read in the longest runs that lie together, then spread over the rows. */
    private void loadSurface(MatmulTask.Cna cna, Addressing.Feature rule, int s, int rowBytes) throws DmaFault {
        int lineBytes = cna.width() * Addressing.ATOM;
        plane = sized(plane, cna.height() * lineBytes);
        int h = 0;
        while (h < cna.height()) {
            int run = 1;
            while (h + run < cna.height() && rule.atom(s, h + run, 0) == rule.atom(s, h, 0) + (long) run * lineBytes) {
                run++;
            }
            dma.read(Dma.Port.FEATURE, rule.atom(s, h, 0), plane, h * lineBytes, run * lineBytes);
            h += run;
        }
        for (int m = 0; m < cna.rows(); m++) {
            System.arraycopy(plane, m * Addressing.ATOM, features, m * rowBytes + s * Addressing.ATOM, Addressing.ATOM);
        }
    }

    /** Loads the weights (spec 5.2), in place where one buffer holds them. */
    void loadWeights(MatmulTask.Cna cna) throws DmaFault {
        int bytes = cna.channels() * cna.input().bytes() * cna.kernels();
        Dma.Window window = dma.window(Dma.Port.WEIGHT, cna.weights(), bytes);
        if (window != null) {
            weights = window.array();
            weightOffset = window.offset();
            return;
        }
        weightCopy = sized(weightCopy, bytes);
        dma.read(Dma.Port.WEIGHT, cna.weights(), weightCopy, 0, bytes);
        weights = weightCopy;
        weightOffset = 0;
    }

    /** Clears the last {@code entries} 64-byte entries of a row, as if they never reached the sum (Q9). */
    void dropEntries(MatmulTask.Cna cna, int row, long entries) {
        int rowBytes = cna.channels() * cna.input().bytes();
        int drop = (int) Math.min(rowBytes, 64 * entries);
        Arrays.fill(features, (row + 1) * rowBytes - drop, (row + 1) * rowBytes, (byte) 0);
    }

    /** Spoils the rows from {@code row} on, as rows beyond the banks are. */
    void spoil(MatmulTask.Cna cna, int row) {
        int rowBytes = cna.channels() * cna.input().bytes();
        for (int i = row * rowBytes; i < cna.rows() * rowBytes; i++) {
            features[i] ^= 0x55;
        }
    }

    private static byte[] sized(byte[] array, int bytes) {
        return array.length >= bytes ? array : new byte[bytes];
    }
}
