package dev.portal.app.rk;

import dev.portal.emulator.Diagnostic;
import dev.portal.emulator.rk3588.BareChip;
import dev.portal.emulator.rk3588.Rk3588Options;
import java.util.List;
import java.util.Locale;

/** Runs words that somebody else made on the emulated chip, with the pattern inputs of spec section 14. */
final class GivenProgram {
    private GivenProgram() {}

    /**
     * What came of it.
     *
     * @param fingerprint FNV-1a 64 of the row-major little-endian result; empty when there is a fault
     * @param fault why there is no result; empty when there is one
     * @param diagnostics everything that the chip said
     */
    record Answer(String fingerprint, String fault, List<Diagnostic> diagnostics) {
        boolean failed() {
            return !fault.isEmpty();
        }
    }

    static Answer run(long[] words, OperandForm form) {
        BareChip chip = new BareChip(Rk3588Options.standard());
        if (words.length == 0) {
            return fault("no words");
        }
        BareChip.Shape shape;
        try {
            shape = chip.shape(words);
        } catch (IllegalArgumentException e) {
            return fault(String.valueOf(e.getMessage()));
        }
        if (!shape.supported()) {
            return fault("unsupported");
        }
        BareChip.Outcome outcome;
        try {
            outcome = chip.run(words, form.features(shape), OperandForm.weights(shape), form.resultBytes(shape));
        } catch (ArithmeticException | OutOfMemoryError e) {
            return fault("operands of %d x %d x %d are too large"
                    .formatted(shape.rows(), shape.channels(), shape.kernels()));
        }
        return outcome.fault()
                .map(fault -> new Answer("", fault.code() + ": " + fault.message(), outcome.diagnostics()))
                .orElseGet(() ->
                        new Answer(fingerprint(form.rowMajor(outcome.results(), shape)), "", outcome.diagnostics()));
    }

    private static Answer fault(String reason) {
        return new Answer("", reason, List.of());
    }

    static String fingerprint(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return String.format(Locale.ROOT, "%016x", hash);
    }
}
