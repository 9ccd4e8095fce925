package dev.portal.llm.bridge;

import java.util.List;
import java.util.Map;

/**
 * What to start.
 *
 * @param command absolute path of the program, and its arguments
 * @param environment all of it: the child inherits nothing
 * @param model what the child is told to load
 * @param engine for logs: what kind of child this is
 */
public record ChildCommand(List<String> command, Map<String, String> environment, String model, String engine) {
    public ChildCommand {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }
}
