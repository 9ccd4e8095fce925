/** The arbitration contract for one small accelerator, and its implementation. Uses the JDK and {@code base} alone. */
module dev.portal.scheduler {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;

    exports dev.portal.scheduler;
}
