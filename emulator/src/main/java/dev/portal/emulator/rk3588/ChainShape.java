package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.Block;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.DpuRegisters;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * What a chain looks like at its commit, found along its links without side effects: for shapes that abort on boards
 * although nothing in the manual forbids them (spec 7.2, Q13). Why they abort is open; the model only reproduces it.
 *
 * @param repeats a program links to itself, or the last counted program does over again what the one before it did (same
 *     features, weights and results, and features that are not all zero: a spin program of its own has zeros there, and
 *     runs)
 * @param lastIsTerminal the walk reaches the last counted program and finds it without a link
 */
record ChainShape(boolean repeats, boolean lastIsTerminal) {
    /** Trailer and one word of padding. */
    private static final int TAIL_WORDS = 5;

    private static final int SAMPLE_BYTES = 64;

    /** A program's place, and where it leads. */
    private record Link(long address, int amount, long next, int nextAmount) {
        boolean leadsOn() {
            return next != 0 && nextAmount != 0;
        }
    }

    private record Operands(int features, int weights, int results) {}

    static ChainShape of(Dma dma, int address, int amount, int taskNumber) {
        @Nullable Link before = null;
        Link link = link(dma, address & 0xffff_fff0L, amount & 0xffff);
        for (int i = 1; i < taskNumber; i++) {
            if (link.next == link.address) {
                return new ChainShape(true, false);
            }
            if (!link.leadsOn()) {
                return new ChainShape(false, false);
            }
            before = link;
            link = link(dma, link.next, link.nextAmount);
        }
        boolean again = before != null && runsAgain(dma, before, link);
        return new ChainShape(again, !link.leadsOn());
    }

    private static boolean runsAgain(Dma dma, Link before, Link last) {
        Operands operands = operands(dma, last);
        if (operands.results == 0 || !operands.equals(operands(dma, before))) {
            return false;
        }
        byte[] sample = new byte[SAMPLE_BYTES];
        try {
            dma.read(Dma.Port.FEATURE, operands.features & 0xffff_ffffL, sample, 0, sample.length);
        } catch (DmaFault unmapped) {
            return false;
        }
        for (byte b : sample) {
            if (b != 0) {
                return true;
            }
        }
        return false;
    }

    private static Operands operands(Dma dma, Link link) {
        int features = 0;
        int weights = 0;
        int results = 0;
        ByteBuffer words = read(dma, link.address, ProgramFetch.words(link.amount));
        while (words.hasRemaining()) {
            long word = words.getLong();
            switch (RegisterCommand.offset(word)) {
                case CnaRegisters.CNA_FEATURE_DATA_ADDR -> features = RegisterCommand.value(word);
                case CnaRegisters.CNA_DCOMP_ADDR0 -> weights = RegisterCommand.value(word);
                case DpuRegisters.DPU_DST_BASE_ADDR -> results = RegisterCommand.value(word);
                default -> {}
            }
        }
        return new Operands(features, weights, results);
    }

    private static Link link(Dma dma, long address, int amount) {
        int words = ProgramFetch.words(amount);
        int tail = Math.min(words, TAIL_WORDS);
        ByteBuffer buffer = read(dma, address + 8L * (words - tail), tail);
        long next = 0;
        int length = 0;
        while (buffer.hasRemaining()) {
            long word = buffer.getLong();
            if (RegisterCommand.target(word) == Block.PC.target()) {
                switch (RegisterCommand.offset(word)) {
                    case PcRegisters.PC_BASE_ADDRESS -> next = RegisterCommand.value(word) & 0xffff_fff0L;
                    case PcRegisters.PC_REGISTER_AMOUNTS -> length = RegisterCommand.value(word) & 0xffff;
                    default -> {}
                }
            }
        }
        return new Link(address, amount, next, length);
    }

    /** Words, or nothing where memory is not mapped: the walk itself will find out. */
    private static ByteBuffer read(Dma dma, long address, int words) {
        byte[] bytes = new byte[8 * words];
        try {
            dma.read(Dma.Port.PROGRAM, address, bytes, 0, bytes.length);
        } catch (DmaFault unmapped) {
            return ByteBuffer.allocate(0);
        }
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
