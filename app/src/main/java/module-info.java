/** Command line, servers, wiring. */
module dev.portal.app {
    requires static transitive org.jspecify;
    requires dev.portal.base;
    requires dev.portal.scheduler;
    requires dev.portal.kernel;
    requires dev.portal.hardware;
    requires dev.portal.rknpu;
    requires dev.portal.hexagon;
    requires dev.portal.emulator;
    requires dev.portal.llm;
    requires dev.portal.voice;
    requires info.picocli;
    requires tools.jackson.databind;

    opens dev.portal.app.models to
            info.picocli;
    opens dev.portal.app.doctor to
            info.picocli;
    opens dev.portal.app.hexagon to
            info.picocli;
    opens dev.portal.app.rk to
            info.picocli;
    opens dev.portal.app to
            info.picocli;
}
