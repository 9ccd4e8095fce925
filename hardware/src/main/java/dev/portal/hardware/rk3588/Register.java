package dev.portal.hardware.rk3588;

import java.util.List;

/**
 * A register of the datasheet.
 *
 * @param block where it lives
 * @param offset in the core's window, in bytes
 * @param name as the datasheet has it
 * @param fields highest bits first; bits that none covers are unknown
 */
public record Register(Block block, int offset, String name, List<RegisterField> fields) {
    /** Ones where a field is known. */
    public int knownBits() {
        int known = 0;
        for (RegisterField field : fields) {
            known |= field.bits().mask();
        }
        return known;
    }

    /**
     * The fields of {@code value} that are not zero, by name, and the unknown bits that are set; a single field is shown
     * even when it is zero.
     */
    public String describe(int value) {
        StringBuilder text = new StringBuilder();
        for (RegisterField field : fields) {
            if (field.bits().isSet(value) || fields.size() == 1) {
                text.append(text.isEmpty() ? "" : " ").append(field.describe(value));
            }
        }
        int unknown = value & ~knownBits();
        while (unknown != 0) {
            int bit = Integer.numberOfTrailingZeros(unknown);
            text.append(text.isEmpty() ? "" : " ")
                    .append("UNKNOWN_")
                    .append(bit)
                    .append("=1");
            unknown &= unknown - 1;
        }
        return text.toString();
    }
}
