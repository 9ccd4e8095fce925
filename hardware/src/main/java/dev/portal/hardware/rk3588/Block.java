package dev.portal.hardware.rk3588;

import java.util.Optional;

/** The blocks of a core that register programs write to (spec section 1). */
public enum Block {
    PC(0x0000, 0x0101),
    CNA(0x1000, 0x0201),
    CORE(0x3000, 0x0801),
    DPU(0x4000, 0x1001),
    DPU_RDMA(0x5000, 0x2001),
    PPU(0x6000, 0x4001),
    PPU_RDMA(0x7000, 0x8001);

    private static final Block[] ALL = values();

    private final int page;
    private final int target;

    Block(int page, int target) {
        this.page = page;
        this.target = target;
    }

    /** Offset of the register page in the core's window. */
    public int page() {
        return page;
    }

    /** The target in a register command. */
    public int target() {
        return target;
    }

    /** Its bit in the enable word: the page number minus one (spec section 1); 0 for PC. */
    public int enableBit() {
        return this == PC ? 0 : 1 << ((page >> 12) - 1);
    }

    public static Optional<Block> ofTarget(int target) {
        for (Block block : ALL) {
            if (block.target == target) {
                return Optional.of(block);
            }
        }
        return Optional.empty();
    }

    /** The block whose page holds the register at {@code offset}. */
    public static Optional<Block> ofOffset(int offset) {
        for (Block block : ALL) {
            if (block.page == (offset & 0xf000)) {
                return Optional.of(block);
            }
        }
        return Optional.empty();
    }
}
