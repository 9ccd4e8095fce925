package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Kernel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a doctor says of the RK3588 NPU of this machine: found or not, whose driver, which version, and the remedy. */
public final class RknpuFindings {
    /**
     * One finding.
     *
     * @param good whether nothing is to be done
     * @param text what was found
     * @param fix the next step; null when there is none
     */
    public record Finding(
            boolean good, String text, @Nullable String fix) {}

    private RknpuFindings() {}

    /** Looks at the machine; opens the NPU for a moment, without a job. */
    public static List<Finding> examine(Kernel kernel, Clock clock) {
        RknpuOptions options = RknpuOptions.DEFAULT.withoutWarmUp();
        try (RknpuDevice device = RknpuDevice.open(kernel, clock, options)) {
            String version = RknpuAbi.driverVersionText(device.driverVersion());
            String text = device.node() + ": rknpu " + version + ", MEM_CREATE of " + device.memCreateBytes()
                    + " bytes, synchronised by " + device.syncMethod();
            if (device.isOlderThanTested()) {
                return List.of(new Finding(
                        false,
                        text,
                        "driver " + version
                                + " is older than 0.9.8, on which all was measured; update the vendor kernel"));
            }
            return List.of(new Finding(true, text, null));
        } catch (DeviceException e) {
            return List.of(new Finding(false, String.valueOf(e.getMessage()), remedy(e)));
        }
    }

    private static String remedy(DeviceException e) {
        return switch (e) {
            case DeviceException.Unavailable _ -> "none is needed: rk execute and rk matmul run on the emulated chip";
            case DeviceException.Denied _ -> "sudo usermod -aG render $USER, then log in again";
            case DeviceException.Busy _ -> "stop the process that holds it";
            case DeviceException.Incompatible _ -> "boot the vendor kernel with the DRM flavour of rknpu";
            case DeviceException.Rejected _, DeviceException.TimedOut _, DeviceException.Faulted _ ->
                "read dmesg | grep RKNPU; a reboot clears a wedged device";
        };
    }
}
