package dev.portal.hardware.rk3588;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /** Where the kernel says which chip the board has: names between zero bytes, the board's first, the chip's last. */
    public static final String COMPATIBLE_FILE = "/proc/device-tree/compatible";

    private static final List<Soc> KNOWN = List.of(RK3588, RK3583, RK3576, RK3568);
    private static final Pattern ROCKCHIP = Pattern.compile("rockchip,(r[kv]\\d{4})");

    /**
     * The chip's name in a device tree's {@code compatible} text, for example {@code rk3576}; empty where no Rockchip
     * chip is named.
     */
    public static Optional<String> nameIn(String compatible) {
        Matcher name = ROCKCHIP.matcher(compatible);
        return name.find() ? Optional.of(name.group(1)) : Optional.empty();
    }

    /** The chip with a name of the table; empty for others. RK3588S is an RK3588 here. */
    public static Optional<Soc> named(String name) {
        return KNOWN.stream().filter(soc -> soc.name().equals(name)).findFirst();
    }

    /** Tasks in one kick of the controller. */
    public int maxTasks() {
        return (1 << taskNumberBits) - 1;
    }

    /** The driver's mask of all cores. */
    public int coreMask() {
        return (1 << cores) - 1;
    }
}
