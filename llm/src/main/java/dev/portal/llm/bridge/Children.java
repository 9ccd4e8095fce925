package dev.portal.llm.bridge;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The commands of the two kinds of child, with what protocol rule 7 asks of their environment and interpreter. */
public final class Children {
    private static final String DEFAULT_PYTHON = "/usr/bin/python3";
    private static final List<String> LIBRARY_PATHS =
            List.of("ADSP_LIBRARY_PATH", "DSP_LIBRARY_PATH", "LD_LIBRARY_PATH");

    private Children() {}

    /**
     * GenieX under Python. Everything is checked here, before anything is spawned.
     *
     * @param settings {@code PORTAL_PYTHON_BIN}, {@code PORTAL_VENV_DIR}, {@code HOME}, and the library paths that are
     *     to reach the child; as in this process's environment
     * @param model a name or path that GenieX knows
     * @throws IllegalArgumentException with what is wrong and what to do
     */
    public static ChildCommand geniex(Map<String, String> settings, String model, int contextTokens) {
        Path python = interpreter(settings.getOrDefault("PORTAL_PYTHON_BIN", DEFAULT_PYTHON));
        Path venv = venv(settings.get("PORTAL_VENV_DIR"));
        List<String> command =
                List.of(python.toString(), "-I", "-u", ChildCommand.WORK + "/bridge.py", "--venv", venv.toString());
        return new ChildCommand(
                command, environment(settings, contextTokens), Map.of("bridge.py", script()), model, "geniex");
    }

    /**
     * llama.cpp in a JVM of its own. The binding keeps its JVM alive after closing and unpacks its library to a fixed
     * name, so it is never loaded here.
     *
     * @param javaHome the JDK or runtime to use
     * @param classPath of the child: folders, jars, {@code folder/*}
     * @param model a GGUF file
     * @param threads that decode, 1 or more
     * @param archive where the JVM keeps its classes from one start to the next, which saves a quarter of the start;
     *     null for no archive
     */
    public static ChildCommand llama(
            Path javaHome,
            String classPath,
            Path model,
            Map<String, String> settings,
            int contextTokens,
            int threads,
            @Nullable Path archive) {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.addAll(List.of(
                "-Xmx64m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                // Standard output belongs to the protocol; the JVM's own messages go there unless told otherwise.
                "-XX:+DisplayVMOutputToStderr",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + ChildCommand.WORK));
        if (archive != null) {
            command.add("-XX:+AutoCreateSharedArchive");
            command.add("-XX:SharedArchiveFile=" + archive);
        }
        command.addAll(List.of("-cp", classPath, "dev.portal.llama.LlamaChild", Integer.toString(threads)));
        return new ChildCommand(
                command,
                environment(settings, contextTokens),
                Map.of(),
                model.toAbsolutePath().toString(),
                "llama.cpp");
    }

    /** The child's whole environment, built from empty. */
    static Map<String, String> environment(Map<String, String> settings, int contextTokens) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("HOME", settings.getOrDefault("HOME", "/"));
        environment.put("LANG", "C.UTF-8");
        environment.put("GGML_HEXAGON_HOSTBUF", "0");
        environment.put("GENIEX_N_CTX", Integer.toString(contextTokens));
        environment.put("GENIEX_NCTX", Integer.toString(contextTokens));
        for (String name : LIBRARY_PATHS) {
            String value = settings.get(name);
            if (value != null && !value.isEmpty()) {
                environment.put(name, value);
            }
        }
        return environment;
    }

    /** Refuses an interpreter that somebody else could have put there, or could exchange. */
    private static Path interpreter(String configured) {
        Path path = Path.of(configured);
        String named = "PORTAL_PYTHON_BIN '" + configured + "' ";
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException(named + "is not absolute; give the interpreter's full path");
        }
        Path real;
        try {
            real = path.toRealPath();
        } catch (IOException e) {
            throw new IllegalArgumentException(named + "does not exist; install Python 3 or name another", e);
        }
        if (!Files.isRegularFile(real) || !Files.isExecutable(real)) {
            throw new IllegalArgumentException(named + "is no executable file");
        }
        for (Path part = real; part != null; part = part.getParent()) {
            try {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(part);
                if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                    throw new IllegalArgumentException(named + "can be exchanged by others: " + part
                            + " is writable by group or others (chmod go-w)");
                }
            } catch (IOException e) {
                throw new IllegalArgumentException(named + "cannot be checked at " + part, e);
            }
        }
        return path;
    }

    private static Path venv(@Nullable String configured) {
        if (configured == null || configured.isEmpty()) {
            throw new IllegalArgumentException(
                    "PORTAL_VENV_DIR is not set; name the virtual environment that has geniex");
        }
        Path venv = Path.of(configured).toAbsolutePath();
        if (!Files.isRegularFile(venv.resolve("pyvenv.cfg"))) {
            throw new IllegalArgumentException("PORTAL_VENV_DIR '" + configured
                    + "' is no virtual environment (no pyvenv.cfg in it); make one with python3 -m venv");
        }
        return venv;
    }

    private static String script() {
        try (InputStream in = Children.class.getResourceAsStream("bridge.py")) {
            if (in == null) {
                throw new AssertionError("bridge.py is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
