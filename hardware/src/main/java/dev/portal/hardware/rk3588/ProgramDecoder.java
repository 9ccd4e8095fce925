package dev.portal.hardware.rk3588;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Prints register programs as named registers and fields. Tolerant of damage: a word that means nothing is shown as such
 * and the next one is decoded.
 */
public final class ProgramDecoder {
    /** What a word is. */
    public enum Kind {
        WRITE,
        LINK_ADDRESS,
        LINK_LENGTH,
        MARKER,
        ENABLE,
        FILLER,
        UNKNOWN
    }

    /**
     * One word.
     *
     * @param index its place, from 0
     * @param word as it stands
     * @param kind what it is
     * @param name of the register, or what the word does
     * @param fields the value's fields by name, or what is wrong with the word
     */
    public record Line(int index, long word, Kind kind, String name, String fields) {
        @Override
        public String toString() {
            return "%4d  %016x  %-28s 0x%08x  %s"
                    .formatted(index, word, name, RegisterCommand.value(word), fields)
                    .stripTrailing();
        }
    }

    private ProgramDecoder() {}

    /** Decodes every word. */
    public static List<Line> decode(long[] words) {
        List<Line> lines = new ArrayList<>(words.length);
        for (int i = 0; i < words.length; i++) {
            lines.add(decode(i, words[i]));
        }
        return lines;
    }

    /** One line a word. */
    public static String print(long[] words) {
        StringBuilder text = new StringBuilder();
        decode(words).forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    private static Line decode(int index, long word) {
        int target = RegisterCommand.target(word);
        int offset = RegisterCommand.offset(word);
        int value = RegisterCommand.value(word);
        if (word == 0) {
            return new Line(index, word, Kind.FILLER, "-", "filler, or the link address of a terminal program");
        }
        if (target == RegisterCommand.TARGET_MARKER) {
            return new Line(index, word, Kind.MARKER, "marker", value == 0 && offset == 0 ? "" : "not zero: unknown");
        }
        if (target == RegisterCommand.TARGET_ENABLE) {
            String odd = offset == PcRegisters.PC_OPERATION_ENABLE ? "" : " at unknown offset " + hex(offset);
            return new Line(index, word, Kind.ENABLE, "enable", describe(PcRegisters.PC_OPERATION_ENABLE, value) + odd);
        }
        Optional<Block> block = Block.ofTarget(target);
        if (block.isEmpty()) {
            return new Line(index, word, Kind.UNKNOWN, "unknown", "unknown target " + hex(target));
        }
        Optional<Register> register = RegisterMap.at(offset);
        if (register.isEmpty()) {
            return new Line(index, word, Kind.UNKNOWN, block.get() + "_" + hex(offset), "unknown register");
        }
        if (register.get().block() != block.get()) {
            return new Line(index, word, Kind.UNKNOWN, register.get().name(), "addressed to " + block.get());
        }
        return new Line(index, word, kind(offset), register.get().name(), describe(offset, value, register.get()));
    }

    private static Kind kind(int offset) {
        return switch (offset) {
            case PcRegisters.PC_BASE_ADDRESS -> Kind.LINK_ADDRESS;
            case PcRegisters.PC_REGISTER_AMOUNTS -> Kind.LINK_LENGTH;
            default -> Kind.WRITE;
        };
    }

    private static String describe(int offset, int value) {
        return RegisterMap.at(offset).map(register -> register.describe(value)).orElse("");
    }

    private static String describe(int offset, int value, Register register) {
        String fields = register.describe(value);
        return switch (offset) {
            case PcRegisters.PC_BASE_ADDRESS -> "link to the program at " + hex(value) + " " + fields;
            case PcRegisters.PC_REGISTER_AMOUNTS -> {
                int length = PcRegisters.PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT.decode(value);
                yield (length == 0
                                ? "terminal: no program follows "
                                : "link to a program of " + 2 * (length + 1) + " words ")
                        + fields;
            }
            default -> fields;
        };
    }

    private static String hex(int value) {
        return "0x" + Integer.toHexString(value);
    }
}
