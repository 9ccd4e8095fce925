/** Kernel drivers and chips in software, behind the Kernel seam. */
module dev.portal.emulator {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;
    requires transitive dev.portal.hardware;
    requires transitive dev.portal.kernel;
    requires com.microsoft.onnxruntime;

    exports dev.portal.emulator;
    exports dev.portal.emulator.hexagon;
    exports dev.portal.emulator.rk3588;
    exports dev.portal.emulator.transcript;
}
