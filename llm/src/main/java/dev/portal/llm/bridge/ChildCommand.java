package dev.portal.llm.bridge;

import java.util.List;
import java.util.Map;

/**
 * What to start.
 *
 * @param command absolute path of the program, and its arguments; {@link #WORK} in them stands for a folder of the
 *     child's own, which is made before it starts and removed when it has gone
 * @param environment all of it: the child inherits nothing
 * @param files name and content of what lies in that folder at the start
 * @param model what the child is told to load
 * @param engine for logs: what kind of child this is
 */
public record ChildCommand(
        List<String> command, Map<String, String> environment, Map<String, String> files, String model, String engine) {
    /** Stands for the child's own folder. */
    public static final String WORK = "{work}";

    public ChildCommand {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        files = Map.copyOf(files);
    }
}
