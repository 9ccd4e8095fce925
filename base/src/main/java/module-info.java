/** Clock, random streams, trace ring: what every other module may use. Nothing else belongs here. */
module dev.portal.base {
    requires static transitive org.jspecify;

    exports dev.portal.base;
}
