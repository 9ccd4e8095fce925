package dev.portal.rknpu;

import dev.portal.base.Clock;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.kernel.DeviceException;
import dev.portal.kernel.Kernel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a doctor says of the RK3588 NPU of this machine: found or not, whose driver, which version, and the remedy. */
public final class RknpuFindings {
    /** How bad it is. */
    public enum Level {
        /** The NPU can be used. */
        GOOD,
        /** There is no such NPU, which is no fault of the machine. */
        ABSENT,
        /** It can be used, with a restriction, or not at this moment. */
        RESTRICTED,
        /** It is there and cannot be used. */
        UNUSABLE
    }

    /**
     * One finding.
     *
     * @param level how bad it is
     * @param permission whether only the right to open a node is missing
     * @param text what was found
     * @param fix the next step; null when there is none
     */
    public record Finding(
            Level level,
            boolean permission,
            String text,
            @Nullable String fix) {}

    private RknpuFindings() {}

    /** Looks at the machine; opens the NPU for a moment, without a job. */
    public static List<Finding> examine(Kernel kernel, Clock clock) {
        RknpuOptions options = RknpuOptions.DEFAULT.withoutWarmUp();
        try (RknpuDevice device = RknpuDevice.open(kernel, clock, options)) {
            String version = RknpuAbi.driverVersionText(device.driverVersion());
            String text =
                    device.node() + ": rknpu " + version + " on " + device.soc().name() + ", MEM_CREATE of "
                            + device.memCreateBytes() + " bytes, synchronised by " + device.syncMethod();
            if (device.isOlderThanTested()) {
                return List.of(new Finding(
                        Level.RESTRICTED,
                        false,
                        text,
                        "driver " + version + " is older than 0.9.8, on which all was measured; update the vendor"
                                + " kernel (the 6.1 rk35xx branch has it)"));
            }
            return List.of(new Finding(Level.GOOD, false, text, null));
        } catch (DeviceException e) {
            return List.of(finding(e));
        }
    }

    private static Finding finding(DeviceException e) {
        String text = String.valueOf(e.getMessage());
        return switch (e) {
            case DeviceException.Unavailable _ ->
                new Finding(
                        Level.ABSENT,
                        false,
                        text,
                        "none is needed: the rk commands run on the emulated chip with --device emulated");
            case DeviceException.Denied _ ->
                new Finding(Level.UNUSABLE, true, text, "sudo usermod -aG render $USER, then log in again");
            case DeviceException.Busy _ ->
                new Finding(Level.RESTRICTED, false, text, "stop the process that holds it, or use its server");
            case DeviceException.Incompatible _ ->
                new Finding(
                        Level.UNUSABLE,
                        false,
                        text,
                        "boot the vendor kernel of an RK3588 board with the DRM flavour of rknpu, or use --device emulated");
            case DeviceException.Rejected _, DeviceException.TimedOut _, DeviceException.Faulted _ ->
                new Finding(
                        Level.UNUSABLE,
                        false,
                        text,
                        "read dmesg | grep RKNPU; a reboot, or power off and on, clears a wedged device");
        };
    }
}
