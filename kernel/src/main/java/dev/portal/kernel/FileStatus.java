package dev.portal.kernel;

/**
 * What {@code fstat} says of an open file.
 *
 * @param errno 0, or why there is no answer; the other fields are then 0
 * @param mode type and permission bits, as {@code st_mode}
 * @param uid owner
 * @param gid group
 * @param sizeBytes length of a regular file
 * @param device device that holds the file, as {@code st_dev}
 * @param inode number of the file on it
 */
public record FileStatus(int errno, int mode, int uid, int gid, long sizeBytes, long device, long inode) {
    private static final int TYPE = 0170000;

    public boolean isRegularFile() {
        return (mode & TYPE) == 0100000;
    }

    public boolean isDirectory() {
        return (mode & TYPE) == 0040000;
    }

    public boolean isCharacterDevice() {
        return (mode & TYPE) == 0020000;
    }

    public static FileStatus error(int errno) {
        return new FileStatus(errno, 0, 0, 0, 0, 0, 0);
    }
}
