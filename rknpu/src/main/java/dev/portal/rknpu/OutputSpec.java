package dev.portal.rknpu;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A product's type with the numbers of its requantisation, as users write it: {@code int32}, {@code fp16}, {@code
 * int8:mult=19661,shift=28,half-even}.
 *
 * @param type of the product
 * @param multiplier of a requantised product, otherwise 0
 * @param shift of a requantised product, otherwise 0
 */
public record OutputSpec(MatmulType type, int multiplier, int shift) {
    /**
     * Reads a pair of names.
     *
     * @param input {@code int8} or {@code fp16}
     * @param output the output, or null for the accumulator's own type: int32, or fp32
     * @throws ProgramRefusedException for what is no such type, with the types that are
     */
    public static OutputSpec parse(String input, @Nullable String output) {
        String[] parts = (output == null ? defaultOutput(input) : output).split(":", 2);
        Optional<MatmulType> type = MatmulType.of(input, parts[0]);
        if (type.isEmpty()) {
            throw new ProgramRefusedException("unsupported: " + input + " to " + parts[0] + "; there are "
                    + Arrays.stream(MatmulType.values())
                            .map(known -> known.inputName() + " to " + known.outputName())
                            .collect(Collectors.joining(", ")));
        }
        int multiplier = type.get().requantises() ? 1 : 0;
        int shift = 0;
        for (String option : parts.length == 1 ? new String[0] : parts[1].split(",", -1)) {
            if (option.startsWith("mult=")) {
                multiplier = number(option, output);
            } else if (option.startsWith("shift=")) {
                shift = number(option, output);
            } else if (!option.equals("half-even")) {
                throw new ProgramRefusedException("unknown option \"" + option + "\" of output " + output
                        + "; there are mult=, shift= and half-even");
            }
        }
        return new OutputSpec(type.get(), multiplier, shift);
    }

    private static String defaultOutput(String input) {
        return input.equals("fp16") ? "fp32" : "int32";
    }

    private static int number(String option, @Nullable String output) {
        try {
            return Integer.parseInt(option.substring(option.indexOf('=') + 1));
        } catch (NumberFormatException e) {
            throw new ProgramRefusedException("\"" + option + "\" of output " + output + " is not a whole number");
        }
    }
}
