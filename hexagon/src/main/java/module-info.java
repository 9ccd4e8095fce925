/** FastRPC sessions, DMA-BUFs, the shell and QNN calls: the driver side of the Hexagon DSP. */
module dev.portal.hexagon {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;
    requires transitive dev.portal.hardware;
    requires transitive dev.portal.kernel;
    requires transitive dev.portal.scheduler;

    exports dev.portal.hexagon;
}
