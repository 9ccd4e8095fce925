package dev.portal.kernel;

import java.util.Optional;

/**
 * One owner a device: an exclusive lock on its node, held for as long as the descriptor is open. Two processes that
 * program one NPU hang it, and the driver does not keep them apart (design 5.8).
 */
public final class DeviceLock {
    private DeviceLock() {}

    /**
     * Locks an open node.
     *
     * @param fd the open node; closing it releases the lock
     * @param node its name, for the message
     * @throws DeviceException.Busy when another process holds it, naming that process where {@code /proc} tells
     */
    public static void acquire(Kernel kernel, int fd, String node) {
        long answer = kernel.flock(fd, Kernel.LOCK_EXCLUSIVE | Kernel.LOCK_NONBLOCK);
        if (!Answer.failed(answer)) {
            return;
        }
        if (Answer.errno(answer) != Errno.EAGAIN) {
            throw new DeviceException.Rejected(
                    node, "flock: " + Answer.describe(answer), Answer.errno(answer), DeviceException.Recovery.GIVE_UP);
        }
        throw new DeviceException.Busy(
                node,
                "in use by " + holder(kernel, fd).orElse("another process (fuser " + node + " names it)")
                        + "; two owners hang the device. Stop that process, or use its server");
    }

    /** The holder as {@code process 1234 (java)}; empty when the kernel does not say. */
    private static Optional<String> holder(Kernel kernel, int fd) {
        FileStatus status = kernel.fstat(fd);
        if (status.errno() != 0) {
            return Optional.empty();
        }
        // "1: FLOCK  ADVISORY  WRITE 708 00:13:3 0 EOF": process, then device and inode of the file.
        String file = "%02x:%02x:%d".formatted(major(status.device()), minor(status.device()), status.inode());
        for (String line : kernel.readText("/proc/locks").orElse("").split("\n", -1)) {
            String[] words = line.trim().split("\\s+", -1);
            if (words.length > 5 && words[1].equals("FLOCK") && words[5].equals(file)) {
                String command = kernel.readText("/proc/" + words[4] + "/comm")
                        .orElse("")
                        .strip();
                return Optional.of("process " + words[4] + (command.isEmpty() ? "" : " (" + command + ")"));
            }
        }
        return Optional.empty();
    }

    /** As the C library's {@code major} and {@code minor} take a device number apart. */
    private static long major(long device) {
        return ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    }

    private static long minor(long device) {
        return (device & 0xff) | ((device >>> 12) & ~0xffL);
    }
}
