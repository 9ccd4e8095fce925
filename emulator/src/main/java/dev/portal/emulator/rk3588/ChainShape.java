package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.Block;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Looks along the links of a chain before it starts, without side effects, for the two shapes that abort on boards
 * although nothing in the manual forbids them: a program that links to itself, and a last counted program that is linked
 * onwards while the chain runs (spec 7.2, Q13). Why they abort is open; the model only reproduces it.
 */
final class ChainShape {
    /** Trailer and one word of padding. */
    private static final int TAIL_WORDS = 5;

    private record Link(long next, int amount) {}

    private ChainShape() {}

    /** Whether one of the counted programs links to itself. */
    static boolean isRedirected(Dma dma, int address, int amount, int taskNumber) {
        long at = address & 0xffff_fff0L;
        int length = amount & 0xffff;
        for (int i = 0; i + 1 < taskNumber; i++) {
            Link link = link(dma, at, length);
            if (link.next == at) {
                return true;
            }
            if (link.next == 0 || link.amount == 0) {
                return false;
            }
            at = link.next;
            length = link.amount;
        }
        return false;
    }

    /** Whether the walk reaches the last counted program and finds it without a link. */
    static boolean endsBeforeLink(Dma dma, int address, int amount, int taskNumber) {
        long at = address & 0xffff_fff0L;
        int length = amount & 0xffff;
        for (int i = 0; i + 1 < taskNumber; i++) {
            Link link = link(dma, at, length);
            if (link.next == 0 || link.amount == 0) {
                return false;
            }
            at = link.next;
            length = link.amount;
        }
        Link last = link(dma, at, length);
        return last.next == 0 || last.amount == 0;
    }

    private static Link link(Dma dma, long address, int amount) {
        int words = ProgramFetch.words(amount);
        int tail = Math.min(words, TAIL_WORDS);
        byte[] bytes = new byte[8 * tail];
        try {
            dma.read(Dma.Port.PROGRAM, address + 8L * (words - tail), bytes, 0, bytes.length);
        } catch (DmaFault unmapped) {
            return new Link(0, 0);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
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
        return new Link(next, length);
    }
}
