package dev.portal.app;

import dev.portal.app.trace.LaneTimeline;
import dev.portal.app.trace.Span;
import dev.portal.scheduler.JobTrace;
import dev.portal.scheduler.NpuCoreUtilization;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.WorkloadBound;
import dev.portal.voice.VoiceTelemetry;
import dev.portal.voice.turn.TurnReport;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a run of {@code demo} shows.
 *
 * @param input what was heard
 * @param device where the stages computed, and why there
 * @param turns oldest first
 * @param intents of the turns; empty where nlu-minilm is off
 * @param jobs the arbiter's traces
 * @param spans of the turns
 * @param telemetry at the end
 * @param reply the file with the replies; null when nothing was said
 * @param replySeconds how long they are
 * @param executions how often each graph ran on the DSP; empty without one
 * @param warnings of the input and of the arbiter
 */
record DemoReport(
        String input,
        String device,
        List<TurnReport> turns,
        List<String> intents,
        List<JobTrace> jobs,
        List<Span> spans,
        VoiceTelemetry telemetry,
        @Nullable String reply,
        double replySeconds,
        Map<String, Long> executions,
        List<String> warnings) {
    private static final int COLUMNS = 72;

    void print(PrintWriter out) {
        if (turns.isEmpty()) {
            out.println("no speech in " + input);
        }
        for (int i = 0; i < turns.size(); i++) {
            TurnReport turn = turns.get(i);
            out.println("you     " + (turn.transcript().isEmpty() ? "(not understood)" : turn.transcript())
                    + (intents.isEmpty() ? "" : "   [intent: " + intents.get(i) + "]"));
            out.println("portal  " + (turn.reply().isEmpty() ? "(nothing said)" : turn.reply())
                    + (turn.outcome() == null || turn.outcome().name().equals("ANSWERED")
                            ? ""
                            : "   [" + turn.outcome().name().toLowerCase(Locale.ROOT) + "]"));
            turn.notes().forEach(note -> out.println("        " + note));
            printStages(out, turn);
            turn.interruptions().forEach(cut -> printInterruption(out, cut));
            out.println();
        }
        List<String> lanes = LaneTimeline.draw(jobs, spans, COLUMNS);
        if (!lanes.isEmpty()) {
            out.println("lanes   S speech to text, T text to speech, L language model, ! gave way; " + device);
            lanes.forEach(line -> out.println("  " + line));
        }
        executions.forEach((graph, runs) -> out.println("  QNN graph " + graph + ": " + runs + " runs on the DSP"));
        for (WorkloadBound bound : telemetry.bounds()) {
            out.println(String.format(
                    Locale.ROOT,
                    "  %-12s worst response %8.1f ms seen, %s bound (one each %d ms)",
                    bound.workload(),
                    bound.observedMaxNanos() / 1e6,
                    bound.boundNanos()
                            .map(ns -> String.format(Locale.ROOT, "%8.1f ms", ns / 1e6))
                            .orElse("no"),
                    bound.periodNanos() / 1_000_000));
        }
        telemetry
                .reservation()
                .ifPresent(share -> out.println(String.format(
                        Locale.ROOT,
                        "  %-12s longest pause  %8.1f ms seen, %8.1f ms bound (a turn each %d ms, %d made use of)",
                        NpuWorkload.LLM,
                        share.observedMaxNanos() / 1e6,
                        share.boundNanos() / 1e6,
                        share.reservation().everyNanos() / 1_000_000,
                        share.turns())));
        if (reply != null) {
            out.println(String.format(Locale.ROOT, "reply   %s (%.1f s)", reply, replySeconds));
        }
        out.flush();
    }

    private static void printStages(PrintWriter out, TurnReport turn) {
        if (turn.stages().isEmpty()) {
            return;
        }
        out.println("        after the end of speech           audio ms     host ms");
        for (TurnReport.Stage stage : turn.stages()) {
            out.println(String.format(
                    Locale.ROOT, "        %-28s %13.0f %11.1f", stage.name(), stage.audioMs(), stage.hostMs()));
        }
    }

    private static void printInterruption(PrintWriter out, TurnReport.Interruption cut) {
        out.println(String.format(
                Locale.ROOT,
                "        barge-in at %.0f ms: soft stop %s, hard stop %s, idle %s%s (audio ms after the onset)",
                cut.onsetMs(),
                ms(cut.softMs()),
                ms(cut.hardMs()),
                ms(cut.idleMs()),
                cut.resumedMs() == null ? "" : ", resumed " + ms(cut.resumedMs())));
        cut.steps()
                .forEach(step -> out.println(
                        String.format(Locale.ROOT, "          %-24s %8.0f µs (host)", step.name(), step.hostUs())));
    }

    private static String ms(@Nullable Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, "%.0f", value);
    }

    String json() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        root.put("input", input).put("device", device);
        ArrayNode turnNodes = root.putArray("turns");
        for (int i = 0; i < turns.size(); i++) {
            ObjectNode node = turnNodes.addObject();
            turnJson(node, turns.get(i));
            if (!intents.isEmpty()) {
                node.put("intent", intents.get(i));
            }
        }
        ArrayNode lanes = root.putArray("lanes");
        boolean onNpu = !executions.isEmpty();
        for (NpuCoreUtilization lane : onNpu ? telemetry.npuTelemetry().cores() : telemetry.cpuLanes()) {
            lanes.addObject()
                    .put("core", lane.core().index())
                    .put("completed", lane.completed())
                    .put("failed", lane.failed())
                    .put("yields", lane.yields())
                    .put("busy_us", lane.busyUs())
                    .put("busy_share", lane.busyShare())
                    .put("lent", lane.lentTimes())
                    .put("lent_us", lane.lentUs());
        }
        ArrayNode bounds = root.putArray("bounds");
        for (WorkloadBound bound : telemetry.bounds()) {
            ObjectNode node = bounds.addObject()
                    .put("workload", bound.workload().name())
                    .put("period_us", bound.periodNanos() / 1000)
                    .put("observed_us", bound.observedMaxNanos() / 1000);
            bound.boundNanos().ifPresentOrElse(ns -> node.put("bound_us", ns / 1000), () -> node.putNull("bound_us"));
        }
        telemetry
                .reservation()
                .ifPresent(share -> root.putObject("llm_reservation")
                        .put("every_us", share.reservation().everyNanos() / 1000)
                        .put("quantum_us", share.reservation().quantumNanos() / 1000)
                        .put("turns", share.turns())
                        .put("pause_observed_us", share.observedMaxNanos() / 1000)
                        .put("pause_bound_us", share.boundNanos() / 1000));
        ObjectNode graphs = root.putObject("qnn_executions");
        executions.forEach(graphs::put);
        root.put("npu_status", telemetry.npuTelemetry().status().name());
        root.put("jobs", jobs.size());
        root.put("reply_file", reply).put("reply_seconds", replySeconds);
        ArrayNode warned = root.putArray("warnings");
        warnings.forEach(warned::add);
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }

    private static void turnJson(ObjectNode node, TurnReport turn) {
        node.put("turn", turn.turn()).put("transcript", turn.transcript()).put("reply", turn.reply());
        node.put("outcome", turn.outcome() == null ? null : turn.outcome().name());
        ArrayNode stages = node.putArray("stages");
        turn.stages()
                .forEach(stage -> stages.addObject()
                        .put("name", stage.name())
                        .put("audio_ms", stage.audioMs())
                        .put("host_ms", stage.hostMs()));
        ArrayNode cuts = node.putArray("interruptions");
        for (TurnReport.Interruption cut : turn.interruptions()) {
            ObjectNode c = cuts.addObject().put("by_turn", cut.byTurn()).put("onset_ms", cut.onsetMs());
            c.put("soft_ms", cut.softMs()).put("hard_ms", cut.hardMs());
            c.put("resumed_ms", cut.resumedMs()).put("idle_ms", cut.idleMs());
            ObjectNode steps = c.putObject("steps_host_us");
            cut.steps().forEach(step -> steps.put(step.name(), step.hostUs()));
        }
        ArrayNode notes = node.putArray("notes");
        turn.notes().forEach(notes::add);
    }
}
