package dev.portal.app.trace;

import dev.portal.scheduler.JobTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a run in the Trace Event format, which Perfetto's viewer opens: a track for each lane with its dispatches, one
 * with the jobs that wait for it, a counter of their number, an instant where a job was asked to give way, and the spans
 * of the turns. Where the language model is split between NPU and processor, each of them has a track. Times are
 * microseconds of the run's clock.
 */
public final class PerfettoTrace {
    private static final int TURNS = 1;
    private static final int LANES = 2;
    private static final int QUEUES = 3;
    private static final int SPLIT = 4;

    private final ObjectMapper json = new ObjectMapper();
    private final ArrayNode events = json.createArrayNode();
    private final Map<String, Integer> tracks = new TreeMap<>();

    private PerfettoTrace() {}

    /** Writes {@code file}, replacing what is there. */
    public static void write(Path file, List<JobTrace> jobs, List<Span> spans) throws IOException {
        write(file, jobs, spans, List.of());
    }

    /**
     * As above.
     *
     * @param groups of the language model's matrices
     */
    public static void write(Path file, List<JobTrace> jobs, List<Span> spans, List<SplitSpans.Group> groups)
            throws IOException {
        PerfettoTrace trace = new PerfettoTrace();
        trace.process(TURNS, "turns");
        trace.process(LANES, "lanes");
        trace.process(QUEUES, "waiting");
        spans.forEach(span -> trace.complete(
                TURNS, trace.track(TURNS, span.track()), span.name(), span.startNanos(), span.endNanos()));
        jobs.forEach(trace::job);
        trace.depths(jobs);
        if (!groups.isEmpty()) {
            trace.process(SPLIT, "language model (device's clock)");
            groups.forEach(trace::group);
        }
        ObjectNode root = trace.json.createObjectNode();
        root.set("traceEvents", trace.events);
        root.put("displayTimeUnit", "ms");
        Files.writeString(file, trace.json.writeValueAsString(root));
    }

    private void job(JobTrace job) {
        int lane = track(LANES, job.lane());
        String name = job.workload() + " " + job.jobId();
        for (JobTrace.Segment segment : job.segments()) {
            ObjectNode args = complete(LANES, lane, name, segment.startNanos(), segment.endNanos())
                    .put("priority", job.priority().name())
                    .put("promoted", job.promoted())
                    .put("label", job.label())
                    .put("direct", job.direct())
                    .put(
                            "outcome",
                            segment.yielded() ? "YIELDED" : job.outcome().name());
            if (segment.cause() != null) {
                args.put("asked_by", segment.preemptedBy());
                ObjectNode asked = event("i", LANES, lane, segment.cause() + " by " + segment.preemptedBy());
                asked.put("ts", micros(segment.askedNanos())).put("s", "t");
            }
        }
        long firstStart = job.segments().isEmpty()
                ? job.endedNanos()
                : job.segments().getFirst().startNanos();
        if (firstStart > job.submittedNanos()) {
            ObjectNode begin = event("b", QUEUES, track(QUEUES, job.lane()), name);
            begin.put("cat", "waiting").put("id", job.jobId()).put("ts", micros(job.submittedNanos()));
            begin.putObject("args").put("blocked_by", job.blockedBy()).put("blocked_us", job.blockedNanos() / 1000);
            ObjectNode end = event("e", QUEUES, track(QUEUES, job.lane()), name);
            end.put("cat", "waiting").put("id", job.jobId()).put("ts", micros(firstStart));
        }
    }

    private void group(SplitSpans.Group group) {
        if (group.npuEndNanos() > group.npuStartNanos()) {
            part("NPU", group, group.npuStartNanos(), group.npuEndNanos());
        }
        if (group.cpuEndNanos() > group.cpuStartNanos()) {
            part("CPU", group, group.cpuStartNanos(), group.cpuEndNanos());
        }
    }

    private void part(String unit, SplitSpans.Group group, long from, long to) {
        complete(SPLIT, track(SPLIT, unit), group.name(), from, to)
                .put("tokens", group.tokens())
                .put("npu_part", group.npuPart())
                .put("device_us", group.deviceNanos() / 1000);
    }

    private record Step(long nanos, String lane, int change) {}

    private void depths(List<JobTrace> jobs) {
        List<Step> steps = new ArrayList<>();
        for (JobTrace job : jobs) {
            long from = job.submittedNanos();
            for (JobTrace.Segment segment : job.segments()) {
                steps.add(new Step(from, job.lane(), 1));
                steps.add(new Step(segment.startNanos(), job.lane(), -1));
                from = segment.endNanos();
            }
        }
        steps.sort(Comparator.comparingLong(Step::nanos).thenComparingInt(Step::change));
        Map<String, Integer> depth = new TreeMap<>();
        for (Step step : steps) {
            int now = depth.merge(step.lane(), step.change(), Integer::sum);
            event("C", QUEUES, 0, "depth of " + step.lane())
                    .put("ts", micros(step.nanos()))
                    .putObject("args")
                    .put("jobs", Math.max(0, now));
        }
    }

    private void process(int pid, String name) {
        event("M", pid, 0, "process_name").putObject("args").put("name", name);
        event("M", pid, 0, "process_sort_index").putObject("args").put("sort_index", pid);
    }

    private int track(int pid, String name) {
        String key = pid + "/" + name;
        Integer known = tracks.get(key);
        if (known != null) {
            return known;
        }
        int tid = tracks.size() + 1;
        tracks.put(key, tid);
        event("M", pid, tid, "thread_name").putObject("args").put("name", name);
        return tid;
    }

    private ObjectNode complete(int pid, int tid, String name, long startNanos, long endNanos) {
        return event("X", pid, tid, name)
                .put("ts", micros(startNanos))
                .put("dur", micros(endNanos - startNanos))
                .putObject("args");
    }

    private ObjectNode event(String phase, int pid, int tid, String name) {
        return events.addObject()
                .put("ph", phase)
                .put("pid", pid)
                .put("tid", tid)
                .put("name", name);
    }

    private static double micros(long nanos) {
        return nanos / 1000.0;
    }
}
