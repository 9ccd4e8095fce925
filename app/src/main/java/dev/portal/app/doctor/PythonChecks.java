package dev.portal.app.doctor;

import java.util.ArrayList;
import java.util.List;

/** The Python that runs GenieX on a Hexagon board (hexagon-and-voice 4.3): only of interest where one is configured. */
final class PythonChecks {
    private static final String TOPIC = "geniex";

    private final Host host;

    PythonChecks(Host host) {
        this.host = host;
    }

    List<Finding> examine() {
        String python = host.environment("PORTAL_PYTHON_BIN");
        String venv = host.environment("PORTAL_VENV_DIR");
        if (python.isEmpty() && venv.isEmpty()) {
            return List.of(Finding.note(TOPIC, "not configured; only the LLM on Hexagon needs it", null));
        }
        List<Finding> findings = new ArrayList<>();
        String interpreter = python.isEmpty() ? "/usr/bin/python3" : python;
        findings.add(
                interpreter.startsWith("/") && host.executable(interpreter)
                        ? Finding.ok(TOPIC, interpreter)
                        : Finding.missing(
                                TOPIC,
                                "'" + interpreter + "' is not an absolute path to an executable file",
                                "set PORTAL_PYTHON_BIN to one, for example /usr/bin/python3"));
        findings.add(
                !venv.isEmpty() && host.exists(venv + "/pyvenv.cfg")
                        ? Finding.ok(TOPIC, venv)
                        : Finding.missing(
                                TOPIC,
                                venv.isEmpty() ? "PORTAL_VENV_DIR is not set" : venv + " has no pyvenv.cfg",
                                "make one with: " + interpreter
                                        + " -m venv FOLDER, install geniex in it, and set PORTAL_VENV_DIR=FOLDER"));
        return findings;
    }
}
