package dev.portal.app.doctor;

import dev.portal.app.models.ModelStore;
import dev.portal.scheduler.NpuDetection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All checks, in the order in which a person would make them. */
final class Doctor {
    private static final int OLDEST_JDK = 25;
    private static final String FETCH = "./portal models fetch";
    private static final List<String> NATIVE_MODULES =
            List.of("dev.portal.kernel", "dev.portal.voice", "com.microsoft.onnxruntime");

    private final Host host;
    private final ModelStore models;
    private final RknpuChecks rknpu;
    private final HexagonChecks hexagon;

    Doctor(Host host, ModelStore models, RknpuChecks rknpu, HexagonChecks hexagon) {
        this.host = host;
        this.models = models;
        this.rknpu = rknpu;
        this.hexagon = hexagon;
    }

    List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        findings.add(jdk(host));
        findings.add(nativeAccess(host));
        findings.add(detection(host));
        findings.addAll(hexagon.examine(rknpu.examine(new NodeChecks(host).examine())));
        findings.add(models());
        findings.addAll(new PythonChecks(host).examine());
        return findings;
    }

    static Finding jdk(Host host) {
        String version = host.property("java.version");
        String text = version + " (" + host.property("java.vendor") + ") in " + host.property("java.home");
        int feature = Runtime.Version.parse(version).feature();
        return feature >= OLDEST_JDK
                ? Finding.ok("jdk", text)
                : Finding.missing(
                        "jdk", text, "install a JDK " + OLDEST_JDK + " or newer and set PORTAL_JAVA_HOME to it");
    }

    /** Whether the modules with native code may run it: without the launcher's flags the JVM warns, later refuses. */
    static Finding nativeAccess(Host host) {
        List<String> refused =
                NATIVE_MODULES.stream().filter(m -> !host.nativeAccess(m)).toList();
        return refused.isEmpty()
                ? Finding.ok("native", "granted to " + String.join(", ", NATIVE_MODULES))
                : Finding.warning(
                        "native",
                        "not granted to " + String.join(", ", refused),
                        "start with ./portal, or add --enable-native-access=" + String.join(",", NATIVE_MODULES));
    }

    /** What the scheduler will decide by itself with {@code --device auto}. */
    static Finding detection(Host host) {
        Map<String, String> environment = new HashMap<>();
        for (String name : List.of(
                NpuDetection.CORE_COUNT_VARIABLE, NpuDetection.CLASS_PATH_VARIABLE, NpuDetection.TRANSPORT_VARIABLE)) {
            if (!host.environment(name).isEmpty()) {
                environment.put(name, host.environment(name));
            }
        }
        NpuDetection detection = NpuDetection.detect(host.property("os.arch"), environment, host::exists);
        return detection.available()
                ? Finding.ok(
                        "detection",
                        "NPU with " + detection.cores() + " cores, " + detection.lanesPerDevice() + " at once: "
                                + detection.why())
                : Finding.note(
                        "detection",
                        "no NPU: " + detection.why(),
                        "none is needed: the CPU lanes serve, under the same arbiter");
    }

    private Finding models() {
        List<String> missing = models.missing(List.of());
        if (missing.isEmpty()) {
            return Finding.ok("models", "all installed in " + models.home());
        }
        String text = "not installed: " + String.join(", ", missing);
        return models.missing(ModelStore.DEFAULTS).isEmpty()
                ? Finding.note("models", text + "; the default stages are complete", FETCH)
                : Finding.missing("models", text, FETCH);
    }
}
