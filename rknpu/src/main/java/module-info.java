/** RK3588 programs, packing and submission. */
module dev.portal.rknpu {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;
    requires transitive dev.portal.hardware;
    requires transitive dev.portal.kernel;
    requires transitive dev.portal.scheduler;

    exports dev.portal.rknpu;
}
