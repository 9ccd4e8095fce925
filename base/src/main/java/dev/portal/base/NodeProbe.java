package dev.portal.base;

/** Asks whether the operating system has a file or node. {@code kernel} implements it; detection asks it. */
@FunctionalInterface
public interface NodeProbe {
    /** Whether {@code path} exists, whether or not it may be opened. */
    boolean exists(String path);
}
