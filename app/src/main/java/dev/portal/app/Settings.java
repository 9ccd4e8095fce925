package dev.portal.app;

import java.nio.file.Path;
import java.util.Map;

/**
 * What this process was started with.
 *
 * @param home Portal's own folder of models and libraries
 * @param root the checkout, where shipped models are
 * @param environment the process's variables
 * @param architecture as {@code os.arch} says it
 * @param javaHome the runtime, for children
 */
record Settings(Path home, Path root, Map<String, String> environment, String architecture, Path javaHome) {
    /** Of this process; the launcher sets {@code portal.home} and {@code portal.root}. */
    static Settings ofThisProcess() {
        String userHome = System.getProperty("user.home", "");
        return new Settings(
                Path.of(System.getProperty("portal.home", userHome + "/.cache/portal")),
                Path.of(System.getProperty("portal.root", "")).toAbsolutePath(),
                System.getenv(),
                System.getProperty("os.arch", "unknown"),
                Path.of(System.getProperty("java.home", "")));
    }
}
