package dev.portal.hardware.rk3588;

/**
 * What differs between the chips of the family (spec 1.1). The register programs of this package are those of RK3588 and
 * RK3583; RK3576 packs its registers otherwise, completes an RK3588 program and writes nothing.
 *
 * @param name as boards call it
 * @param cores NPU cores
 * @param lengthScale what the controller divides a program's length by
 * @param taskNumberBits bits of the task number
 * @param taskStatusOffset where the task counter is read
 * @param dmaBits address bits of the DMA
 * @param bufferBanks convolution buffer banks of 32 KiB
 * @param runsRk3588Programs whether the register packing is that of RK3588
 */
public record Soc(
        String name,
        int cores,
        int lengthScale,
        int taskNumberBits,
        int taskStatusOffset,
        int dmaBits,
        int bufferBanks,
        boolean runsRk3588Programs) {
    public static final Soc RK3588 = new Soc("rk3588", 3, 2, 12, 0x3c, 40, 12, true);
    public static final Soc RK3583 = new Soc("rk3583", 2, 2, 12, 0x3c, 40, 12, true);
    public static final Soc RK3576 = new Soc("rk3576", 2, 2, 16, 0x48, 40, 12, false);
    public static final Soc RK3568 = new Soc("rk3568", 1, 1, 12, 0x3c, 32, 8, false);

    /** Bytes of a bank of the convolution buffer. */
    public static final int BANK_BYTES = 32768;

    /** Bytes of an entry of the convolution buffer. */
    public static final int ENTRY_BYTES = 64;

    /** Bytes of an atom: the unit of feature and result layouts. */
    public static final int ATOM_BYTES = 16;

    /** Tasks in one kick of the controller. */
    public int maxTasks() {
        return (1 << taskNumberBits) - 1;
    }

    /** The driver's mask of all cores. */
    public int coreMask() {
        return (1 << cores) - 1;
    }
}
