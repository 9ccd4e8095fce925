package dev.portal.hardware.rk3588;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All registers of the tables, by offset. */
public final class RegisterMap {
    private static final List<Register> ALL = Stream.of(
                    PcRegisters.ALL, CnaRegisters.ALL, CoreRegisters.ALL, DpuRegisters.ALL, DpuRdmaRegisters.ALL)
            .flatMap(List::stream)
            .toList();
    private static final @Nullable Register[] BY_WORD = index();

    private RegisterMap() {}

    /** Every register, by block, then by offset. */
    public static List<Register> all() {
        return ALL;
    }

    /** The register at {@code offset}; empty for one that no table has. */
    public static Optional<Register> at(int offset) {
        boolean inside = (offset & 3) == 0 && offset >= 0 && offset >> 2 < BY_WORD.length;
        return inside ? Optional.ofNullable(BY_WORD[offset >> 2]) : Optional.empty();
    }

    private static @Nullable Register[] index() {
        int last = ALL.stream().mapToInt(Register::offset).max().orElseThrow();
        @Nullable Register[] index = new @Nullable Register[(last >> 2) + 1];
        Arrays.fill(index, null);
        for (Register register : ALL) {
            index[register.offset() >> 2] = register;
        }
        return index;
    }
}
