package dev.portal.emulator.rk3588;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.ModelReport;
import dev.portal.hardware.rk3588.Block;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.CoreRegisters;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import dev.portal.hardware.rk3588.RegisterMap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads one register program from memory, as it is there at that moment, and forwards its words to the register groups
 * (spec 3, 7.2).
 */
final class ProgramFetch {
    /** Bits of S_POINTER that turn ping-pong on. */
    private static final int PING_PONG_BITS = 0xe;

    private static final int LENGTH_MASK = 0xffff;

    private final Dma dma;
    private final RegisterGroups registers;
    private final ModelReport report;

    ProgramFetch(Dma dma, RegisterGroups registers, ModelReport report) {
        this.dma = dma;
        this.registers = registers;
        this.report = report;
    }

    /**
     * A program in the register groups.
     *
     * @param task null when it never starts
     * @param next address of the next program; 0 when the link word is missing
     * @param nextAmount encoded length of the next program; 0 ends the chain
     */
    record Program(long address, @Nullable MatmulTask task, long next, int nextAmount) {
        boolean isLinked() {
            return next != 0 && nextAmount != 0;
        }
    }

    /** Words that the controller reads for an encoded length. */
    static int words(int amount) {
        return 2 * (amount + 1);
    }

    /**
     * Fetches.
     *
     * @param address of the first word
     * @param amount encoded length
     */
    Program fetch(long address, int amount, long dmaBase) {
        byte[] bytes = new byte[8 * words(amount)];
        try {
            dma.read(Dma.Port.PROGRAM, address, bytes, 0, bytes.length);
        } catch (DmaFault fault) {
            report.add(Severity.FATAL, "iommu-fault", fault.text());
            return new Program(address, null, 0, 0);
        }
        return new Walk(address, dmaBase).run(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    }

    /** One program's words, in order. */
    private final class Walk {
        private final long address;
        private final long dmaBase;
        private final int group = registers.pointer();
        private long next;
        private int nextAmount;
        private boolean marker;
        private boolean hangs;
        private int index;

        Walk(long address, long dmaBase) {
            this.address = address;
            this.dmaBase = dmaBase;
        }

        Program run(ByteBuffer words) {
            @Nullable MatmulTask task = null;
            while (words.hasRemaining()) {
                long word = words.getLong();
                if (task != null) {
                    if (word != 0) {
                        fatal("trailing-words", "word after the enable word; the length covers more than one program");
                    }
                } else if (RegisterCommand.target(word) == RegisterCommand.TARGET_ENABLE) {
                    if (!marker) {
                        fatal("no-marker", "no marker (target 0x0041) before the enable word");
                    }
                    task = MatmulTask.of(registers, group, RegisterCommand.value(word), dmaBase);
                } else {
                    write(word);
                }
                index++;
            }
            if (task == null) {
                fatal("no-enable", "no enable word in the length that was given");
            }
            registers.advance();
            return new Program(address, hangs ? null : task, next, nextAmount);
        }

        private void write(long word) {
            int target = RegisterCommand.target(word);
            int offset = RegisterCommand.offset(word);
            int value = RegisterCommand.value(word);
            if (target == RegisterCommand.TARGET_MARKER) {
                marker = true;
            } else if (target == Block.PC.target()) {
                link(offset, value);
            } else if (target != RegisterCommand.TARGET_FILLER) {
                block(target, offset, value);
            }
        }

        private void link(int offset, int value) {
            switch (offset) {
                case PcRegisters.PC_BASE_ADDRESS -> next = value & 0xffff_fff0L;
                case PcRegisters.PC_REGISTER_AMOUNTS -> nextAmount = value & LENGTH_MASK;
                default -> wrong("pc-register", "a program writes PC register 0x" + Integer.toHexString(offset));
            }
        }

        private void block(int target, int offset, int value) {
            Block block = Block.ofTarget(target).orElse(null);
            if (block == null || Block.ofOffset(offset).orElse(null) != block || !registers.holds(offset)) {
                wrong("unknown-target", "target 0x%04x with offset 0x%04x".formatted(target, offset));
                return;
            }
            if (offset == CnaRegisters.CNA_S_POINTER || offset == CoreRegisters.CORE_S_POINTER) {
                pointer(offset, value);
                return;
            }
            if (RegisterMap.at(offset).isEmpty()) {
                wrong("unknown-register", "0x%04x is not a known register".formatted(offset));
            }
            registers.set(group, offset, value);
        }

        /** A program that arms ping-pong itself hangs; one that turns it off does not (experiments, 24 of 24). */
        private void pointer(int offset, int value) {
            if ((value & PING_PONG_BITS) != 0) {
                fatal("s-pointer", "a program writes S_POINTER 0x%04x; only the driver may".formatted(offset));
            } else {
                registers.pingPong(false);
            }
        }

        private void fatal(String code, String message) {
            hangs = true;
            report.add(Severity.FATAL, code, at(message));
        }

        private void wrong(String code, String message) {
            report.add(Severity.WRONG, code, at(message));
        }

        private String at(String message) {
            return "program 0x" + Long.toHexString(address) + " word " + index + ": " + message;
        }
    }
}
