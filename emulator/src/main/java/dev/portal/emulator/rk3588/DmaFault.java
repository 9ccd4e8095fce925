package dev.portal.emulator.rk3588;

/** An access that the IOMMU refuses: the master stalls and no interrupt comes (spec 7.3). */
final class DmaFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final long iova;

    DmaFault(Dma.Port port, long iova, String reason) {
        super(port + " access at 0x" + Long.toHexString(iova) + ": " + reason, null, false, false);
        this.iova = iova;
    }

    /** Port, address and reason. */
    String text() {
        return String.valueOf(getMessage());
    }

    long iova() {
        return iova;
    }
}
