/** Datasheets as code: register tables, uapi struct layouts, decoders. */
module dev.portal.hardware {
    requires static transitive org.jspecify;
    requires transitive dev.portal.base;

    exports dev.portal.hardware.fastrpc;
    exports dev.portal.hardware.rk3588;
}
