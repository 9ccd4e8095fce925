package dev.portal.app;

import dev.portal.scheduler.ResponseTime;
import dev.portal.scheduler.ResponseTime.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code portal analyze FILE}: worst-case response bounds of task sets.
 *
 * <p>In: {@code {"cases":[{"id":…,"tasks":[{"period":…,"segments":[…],"priority":…}]}]}}, further keys ignored. Out, on
 * standard output: {@code {"cases":[{"id":…,"bound":[{"blocking":…,"busy_period":…,"instances":…,"response":…}]}]}},
 * {@code null} where there is no bound. A file that is not of this form is an error that names the place.
 */
@Command(
        name = "analyze",
        description = "Worst-case response bounds of task sets (JSON in, JSON out).",
        mixinStandardHelpOptions = true)
final class AnalyzeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE", description = "task sets as JSON; - reads standard input")
    private String file;

    @Override
    public Integer call() throws Exception {
        ObjectMapper json = new ObjectMapper();
        JsonNode root;
        try {
            root = json.readTree("-".equals(file) ? System.in.readAllBytes() : Files.readAllBytes(Path.of(file)));
        } catch (JacksonException e) {
            throw new Failure(file + " is not JSON: " + e.getOriginalMessage() + " at line "
                    + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr());
        }
        ObjectNode answer = json.createObjectNode();
        ArrayNode cases = answer.putArray("cases");
        JsonNode given = root.path("cases");
        if (!given.isArray()) {
            throw new Failure(file + " has no list \"cases\"; expected {\"cases\":[{\"id\":…,\"tasks\":[…]}]}");
        }
        for (int i = 0; i < given.size(); i++) {
            String where = "cases[" + i + "]";
            ObjectNode out = cases.addObject();
            out.set("id", given.get(i).path("id"));
            ArrayNode bounds = out.putArray("bound");
            for (var bound : analyze(tasks(given.get(i), where), where)) {
                bound.ifPresentOrElse(
                        b -> bounds.addObject()
                                .put("blocking", b.blocking())
                                .put("busy_period", b.busyPeriod())
                                .put("instances", b.instances())
                                .put("response", b.response()),
                        bounds::addNull);
            }
        }
        spec.commandLine()
                .getOut()
                .println(json.writerWithDefaultPrettyPrinter().writeValueAsString(answer));
        return 0;
    }

    private List<Optional<ResponseTime.Bound>> analyze(List<Task> tasks, String where) {
        try {
            return ResponseTime.analyze(tasks);
        } catch (ArithmeticException e) {
            throw new Failure(where + ": the times are too large: a sum of them passes 2^63; use a coarser tick");
        } catch (IllegalArgumentException e) {
            throw new Failure(where + ": " + e.getMessage());
        }
    }

    private List<Task> tasks(JsonNode given, String where) {
        JsonNode list = given.path("tasks");
        if (!list.isArray()) {
            throw new Failure(where + " has no list \"tasks\"");
        }
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            String task = where + ".tasks[" + i + "]";
            JsonNode node = list.get(i);
            List<Long> segments = new ArrayList<>();
            for (JsonNode segment : node.path("segments")) {
                segments.add(whole(segment, task + ".segments"));
            }
            long priority = whole(node.path("priority"), task + ".priority");
            try {
                tasks.add(new Task(whole(node.path("period"), task + ".period"), segments, Math.toIntExact(priority)));
            } catch (IllegalArgumentException e) {
                throw new Failure(task + ": " + e.getMessage());
            } catch (ArithmeticException e) {
                throw new Failure(task + ".priority " + priority + " is outside the 32-bit range");
            }
        }
        return tasks;
    }

    private static long whole(JsonNode node, String where) {
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new Failure(where + " is " + node + "; expected a whole number of ticks");
        }
        return node.longValue();
    }
}
