package dev.portal.app.doctor;

import dev.portal.app.models.ModelStore;
import java.util.ArrayList;
import java.util.List;

/** All checks, in the order in which a person would make them. */
final class Doctor {
    private static final int OLDEST_JDK = 25;

    private final Host host;
    private final ModelStore models;

    Doctor(Host host, ModelStore models) {
        this.host = host;
        this.models = models;
    }

    List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        findings.add(jdk());
        findings.addAll(new NodeChecks(host).examine());
        findings.add(models());
        findings.addAll(new PythonChecks(host).examine());
        return findings;
    }

    private Finding jdk() {
        String version = host.property("java.version");
        String text = version + " (" + host.property("java.vendor") + ") in " + host.property("java.home");
        int feature = Runtime.Version.parse(version).feature();
        return feature >= OLDEST_JDK
                ? Finding.ok("jdk", text)
                : Finding.missing(
                        "jdk", text, "install a JDK " + OLDEST_JDK + " or newer and set PORTAL_JAVA_HOME to it");
    }

    private Finding models() {
        List<String> missing = models.missing(List.of());
        return missing.isEmpty()
                ? Finding.ok("models", "all installed")
                : Finding.missing(
                        "models",
                        String.join(", ", missing) + " not installed",
                        "./portal models fetch " + String.join(" ", missing));
    }
}
