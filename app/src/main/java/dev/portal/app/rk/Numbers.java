package dev.portal.app.rk;

import java.util.Optional;
import java.util.regex.Pattern;

/** Numbers as people write them. */
final class Numbers {
    private static final Pattern ADDRESS = Pattern.compile("0[xX][0-9a-fA-F]{1,15}|0|[1-9][0-9]{0,17}");

    private Numbers() {}

    /** An address of at most 60 bits: decimal, or hexadecimal after {@code 0x}; empty when it is neither. */
    static Optional<Long> address(String text) {
        return ADDRESS.matcher(text).matches() ? Optional.of(Long.decode(text)) : Optional.empty();
    }
}
