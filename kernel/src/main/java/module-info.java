/** The seam to the operating system: open, ioctl, mmap and the rest, native in one class only. */
module dev.portal.kernel {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;

    exports dev.portal.kernel;
}
