package dev.portal.app.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A machine put together by a test. */
final class FakeHost implements Host {
    private final Map<String, String> properties = new HashMap<>(Map.of(
            "java.version",
            "25.0.3",
            "java.vendor",
            "Somebody",
            "java.home",
            "/jdk",
            "os.arch",
            "aarch64",
            "user.name",
            "ada"));
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, String> nodes = new HashMap<>();
    private final Set<String> usable = new HashSet<>();
    private @Nullable String refused;
    private final Map<String, String> links = new HashMap<>();

    FakeHost property(String name, String value) {
        properties.put(name, value);
        return this;
    }

    FakeHost environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** A file or node of this group that the user may open, read, write and run. */
    FakeHost usable(String path, String group) {
        usable.add(path);
        return present(path, group);
    }

    /** One that the user may not open. */
    FakeHost present(String path, String group) {
        nodes.put(path, group);
        return this;
    }

    /** Native access is refused to this module. */
    FakeHost refused(String module) {
        refused = module;
        return this;
    }

    FakeHost link(String path, String name) {
        links.put(path, name);
        return this;
    }

    @Override
    public String property(String name) {
        return properties.getOrDefault(name, "");
    }

    @Override
    public String environment(String name) {
        return environment.getOrDefault(name, "");
    }

    @Override
    public boolean nativeAccess(String module) {
        return !module.equals(refused);
    }

    @Override
    public boolean exists(String path) {
        return nodes.containsKey(path);
    }

    @Override
    public boolean opens(String path) {
        return usable.contains(path);
    }

    @Override
    public boolean executable(String path) {
        return usable.contains(path);
    }

    @Override
    public @Nullable String permissions(String path) {
        return exists(path) ? "root:" + group(path) + " rw-rw----" : null;
    }

    @Override
    public @Nullable String group(String path) {
        return nodes.get(path);
    }

    @Override
    public @Nullable String linkName(String path) {
        return links.get(path);
    }

    @Override
    public List<String> list(String folder) {
        List<String> names = new ArrayList<>(nodes.keySet().stream()
                .filter(path -> path.startsWith(folder + "/"))
                .map(path -> path.substring(folder.length() + 1))
                .toList());
        names.sort(null);
        return names;
    }
}
