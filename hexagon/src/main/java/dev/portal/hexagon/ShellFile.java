package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.hexagon.HexagonException.ShellRefused.Reason;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.FileStatus;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A shell on disk, opened so that nobody can exchange it under the check: no symbolic link on the way, a regular file of
 * its owner's that nobody else may write, and read once (spec 7.4).
 */
public final class ShellFile implements AutoCloseable {
    private static final int OTHERS_MAY_WRITE = 0022;
    private static final int FLAGS = Open.READ_ONLY | Open.NOFOLLOW | Open.CLOEXEC | Open.NONBLOCK;

    private final Kernel files;
    private final String path;
    private final int fd;
    private final long sizeBytes;

    private ShellFile(Kernel files, String path, int fd, long sizeBytes) {
        this.files = files;
        this.path = path;
        this.fd = fd;
        this.sizeBytes = sizeBytes;
    }

    /**
     * Opens the file and looks at it.
     *
     * @param path absolute; each part of it must be a folder, not a link
     * @param ownerUid who must own it
     * @throws ShellRefused for anything but a regular file of 1 to 2 MiB that only its owner may write
     */
    public static ShellFile open(Kernel files, String path, int ownerUid) {
        return open(files, path, ownerUid, 1, Fastrpc.INIT_FILELEN_MAX);
    }

    private static ShellFile open(Kernel files, String path, int ownerUid, long smallest, long largest) {
        int fd = walk(files, path);
        FileStatus status = files.fstat(fd);
        try {
            requireGood(path, status, ownerUid, smallest, largest);
        } catch (ShellRefused e) {
            files.close(fd);
            throw e;
        }
        return new ShellFile(files, path, fd, status.sizeBytes());
    }

    private static void requireGood(String path, FileStatus status, int ownerUid, long smallest, long largest) {
        if (status.errno() != 0) {
            throw unreadable(path, "fstat " + Errno.describe(status.errno()));
        }
        if (!status.isRegularFile()) {
            throw unreadable(path, "it is no regular file");
        }
        if (status.uid() != ownerUid) {
            throw new ShellRefused(
                    Reason.BAD_OWNERSHIP,
                    path + " belongs to user " + status.uid() + ", not " + ownerUid + "; chown it");
        }
        if ((status.mode() & OTHERS_MAY_WRITE) != 0) {
            throw new ShellRefused(
                    Reason.BAD_OWNERSHIP,
                    path + " has mode 0" + Integer.toOctalString(status.mode() & 07777)
                            + ", so others may write it; chmod go-w");
        }
        if (status.sizeBytes() < smallest || status.sizeBytes() > largest) {
            throw new ShellRefused(
                    Reason.TOO_LARGE,
                    path + " has " + status.sizeBytes() + " bytes; " + smallest + " to " + largest + " are possible");
        }
    }

    /** Follows the path part by part, no part of which may be a link. */
    private static int walk(Kernel files, String path) {
        String[] parts = path.split("/+", -1);
        if (parts.length < 2 || !parts[0].isEmpty()) {
            throw unreadable(path, "the path is not absolute");
        }
        int directory = Kernel.AT_FDCWD;
        for (int i = 1; i < parts.length; i++) {
            boolean last = i == parts.length - 1;
            if (parts[i].isEmpty() || parts[i].equals(".") || parts[i].equals("..")) {
                closeDirectory(files, directory);
                throw unreadable(path, "the path has an empty or relative part");
            }
            int flags = last ? FLAGS : FLAGS | Open.DIRECTORY;
            long answer = i == 1 ? files.open("/" + parts[1], flags) : files.openat(directory, parts[i], flags);
            closeDirectory(files, directory);
            if (Answer.failed(answer)) {
                String why = Answer.errno(answer) == Errno.ELOOP || Answer.errno(answer) == Errno.ENOTDIR
                        ? "'" + parts[i] + "' is a symbolic link, or no folder"
                        : "open " + Errno.describe(Answer.errno(answer)) + " at '" + parts[i] + "'";
                throw unreadable(path, why);
            }
            directory = Answer.value(answer);
        }
        return directory;
    }

    private static void closeDirectory(Kernel files, int fd) {
        if (fd >= 0) {
            files.close(fd);
        }
    }

    private static ShellRefused unreadable(String path, String why) {
        return new ShellRefused(Reason.UNREADABLE, path + ": " + why);
    }

    /** Its length when it was opened. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /**
     * Reads the whole file, once.
     *
     * @param into at least {@link #sizeBytes()} bytes of native memory
     * @throws ShellRefused when the file is shorter or longer than it was when it was opened
     */
    public void readInto(MemorySegment into) {
        long at = 0;
        while (at < sizeBytes) {
            int count = read(into.asSlice(at, sizeBytes - at));
            if (count == 0) {
                throw unreadable(
                        path, "it ended after " + at + " of " + sizeBytes + " bytes; it changes while it is read");
            }
            at += count;
        }
        try (Arena arena = Arena.ofConfined()) {
            if (read(arena.allocate(1)) != 0) {
                throw unreadable(path, "it is longer than " + sizeBytes + " bytes by now; it changes while it is read");
            }
        }
    }

    private int read(MemorySegment into) {
        long answer;
        do {
            answer = files.read(fd, into);
        } while (Answer.errno(answer) == Errno.EINTR);
        if (Answer.failed(answer)) {
            throw unreadable(path, "read " + Answer.describe(answer));
        }
        return Answer.value(answer);
    }

    /**
     * The signature beside a shell, under the same rules; empty when there is none.
     *
     * @throws ShellRefused when it is there and not to be trusted
     */
    public static byte[] signatureOf(Kernel files, String shellPath, int ownerUid) {
        String path = shellPath + ShellPolicy.SIGNATURE_SUFFIX;
        if (!files.exists(path)) {
            return new byte[0];
        }
        try {
            return trusted(files, path, ownerUid, ShellPolicy.SIGNATURE_BYTES);
        } catch (ShellRefused e) {
            if (e.reason() == Reason.TOO_LARGE) {
                throw new ShellRefused(Reason.SIGNATURE_INVALID, path + " is longer than a signature of 64 bytes");
            }
            throw e;
        }
    }

    /**
     * A small file beside a shell, such as a manifest or a public key, under the same rules.
     *
     * @param largest the most bytes that it may have
     * @throws ShellRefused when it is not to be trusted
     */
    public static byte[] trusted(Kernel files, String path, int ownerUid, int largest) {
        try (ShellFile file = open(files, path, ownerUid, 0, largest);
                Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(Math.max(1, file.sizeBytes()));
            file.readInto(bytes);
            return bytes.asSlice(0, file.sizeBytes()).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Override
    public void close() {
        files.close(fd);
    }
}
