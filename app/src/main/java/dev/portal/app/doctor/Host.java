package dev.portal.app.doctor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What doctor asks the machine. Tests answer with machines that nobody has on the desk. */
interface Host {
    /** A Java system property, empty when unset. */
    String property(String name);

    /** An environment variable, empty when unset. */
    String environment(String name);

    /** Whether the named module may call native code. */
    boolean nativeAccess(String module);

    boolean exists(String path);

    /** Whether this process may open {@code path} for reading and writing. */
    boolean opens(String path);

    boolean executable(String path);

    /** Owner, group and mode of a path as {@code ls -l} writes them, or null where it is not there. */
    @Nullable
    String permissions(String path);

    /** The group that owns a path, or null where it is not there. */
    @Nullable
    String group(String path);

    /** Where a symbolic link points, its last part only, or null where it is none. */
    @Nullable
    String linkName(String path);

    /** Names in a folder, sorted; empty where it is not there. */
    List<String> list(String folder);
}
