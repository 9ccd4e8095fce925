package dev.portal.hexagon;

import dev.portal.scheduler.NpuDetection;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the arbiter has a DSP behind it: what detection saw, corrected by what opening it said. A node that exists and
 * does not open, or a shell that is refused, makes the arbiter unavailable with that reason, and the CPU lanes take over.
 *
 * @param detection for the arbiter
 * @param runtime the open DSP; null when there is none
 */
public record HexagonStart(NpuDetection detection, @Nullable HexagonRuntime runtime) {
    /** Opens the DSP where one was detected. */
    public static HexagonStart attempt(NpuDetection detection, Supplier<HexagonRuntime> opening) {
        if (!detection.available()) {
            return new HexagonStart(detection, null);
        }
        try {
            return new HexagonStart(detection, opening.get());
        } catch (HexagonException e) {
            NpuDetection without = new NpuDetection(
                    false,
                    NpuDetection.Transport.NONE,
                    detection.cores(),
                    detection.lanesPerDevice(),
                    detection.node(),
                    false,
                    detection.why() + ", but it cannot be used: " + e.getMessage());
            return new HexagonStart(without, null);
        }
    }

    /** The open DSP, if there is one. */
    public Optional<HexagonRuntime> opened() {
        return Optional.ofNullable(runtime);
    }
}
