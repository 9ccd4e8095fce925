package dev.portal.scheduler;

import dev.portal.scheduler.SchedulerOptions.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the workloads that declared a period and a deadline, and takes a new one only while everybody still meets his
 * own. A refusal names who would miss, by how much, and which segment to cut to what length.
 *
 * <p>Segments start as declared; {@link #measured} lets them grow to what was seen, and says whose deadline that breaks.
 *
 * <p>Safe for use by any thread.
 */
public final class Admission {
    /** No cut finer than this part of a segment is proposed. */
    private static final long FINEST_CUT = 1000;

    private static final int BELOW_ALL = -1;

    /** A promoted job enters the work of HIGH and MEDIUM once in this time (design 4.6). */
    private final long promotionPeriodNs;

    private final @Nullable Reservation reservation;

    private final List<Declaration> admitted = new ArrayList<>();

    /**
     * An empty table.
     *
     * @param promotionPeriodNs the starvation threshold, in nanoseconds
     * @param reservation of the language model; null for none
     */
    public Admission(long promotionPeriodNs, @Nullable Reservation reservation) {
        this.promotionPeriodNs = promotionPeriodNs;
        this.reservation = reservation;
    }

    /**
     * What a workload promises.
     *
     * @param workload what
     * @param priority of its jobs
     * @param periodNs least time between two jobs
     * @param segmentsNs worst times between points where a job yields, in order
     * @param deadlineNs longest response that is of use
     */
    public record Declaration(
            NpuWorkload workload, NpuPriority priority, long periodNs, List<Long> segmentsNs, long deadlineNs) {
        public Declaration {
            segmentsNs = List.copyOf(segmentsNs);
            if (deadlineNs <= 0) {
                throw new IllegalArgumentException(
                        "deadline " + deadlineNs + " ns of " + workload + " must be above 0");
            }
        }
    }

    /**
     * The bound of one workload next to its deadline.
     *
     * @param declaration whose
     * @param bound empty where there is none: the lane is asked for more than it has
     */
    public record Response(Declaration declaration, Optional<ResponseTime.Bound> bound) {
        /** By how much the deadline would be missed; 0 when met, {@link Long#MAX_VALUE} without a bound. */
        public long missedByNs() {
            return bound.map(b -> Math.max(0, b.response() - declaration.deadlineNs()))
                    .orElse(Long.MAX_VALUE);
        }
    }

    /**
     * Admits a workload.
     *
     * @return the bounds of all admitted workloads, the new one included
     * @throws NpuException.AdmissionRefused when a deadline would be missed; nothing is changed then
     */
    public synchronized List<Response> admit(Declaration candidate) {
        if (admitted.stream().anyMatch(d -> d.workload() == candidate.workload())) {
            throw new NpuException.AdmissionRefused(
                    candidate.workload() + " is admitted already; withdraw it before declaring it anew");
        }
        List<Declaration> all = new ArrayList<>(admitted);
        all.add(candidate);
        List<Response> responses = responses(all);
        for (Response response : responses) {
            if (response.missedByNs() > 0) {
                throw new NpuException.AdmissionRefused(refusal(all, candidate, response));
            }
        }
        admitted.add(candidate);
        return responses;
    }

    /** Forgets a workload; no effect when it is not admitted. */
    public synchronized void withdraw(NpuWorkload workload) {
        admitted.removeIf(d -> d.workload() == workload);
    }

    /** The bounds of all admitted workloads. */
    public synchronized List<Response> responses() {
        return responses(admitted);
    }

    /**
     * Takes a measured segment into account.
     *
     * @param longestSegmentNs the longest segment seen
     * @return what is no longer kept, one line each; empty while all is well
     */
    public synchronized List<String> measured(NpuWorkload workload, long longestSegmentNs) {
        List<String> findings = new ArrayList<>();
        for (int i = 0; i < admitted.size(); i++) {
            Declaration d = admitted.get(i);
            long declared = longest(d);
            if (d.workload() != workload || longestSegmentNs <= declared) {
                continue;
            }
            List<Long> grown = new ArrayList<>(d.segmentsNs());
            grown.set(grown.indexOf(declared), longestSegmentNs);
            admitted.set(i, new Declaration(workload, d.priority(), d.periodNs(), grown, d.deadlineNs()));
            findings.add(workload + " was admitted on " + ms(declared) + ", now seen " + ms(longestSegmentNs));
            for (Response response : responses(admitted)) {
                if (response.missedByNs() > 0) {
                    findings.add(miss(response));
                }
            }
        }
        return findings;
    }

    private List<Response> responses(List<Declaration> all) {
        return responses(all, promotionPeriodNs, reservation, 0);
    }

    /**
     * The bounds of workloads that share one run token.
     *
     * @param guestNs the longest that a job of another lane may keep the core when one of them arrives. A core is lent while
     *     nothing runs or waits there, so it blocks as a lower segment does, once, whatever the priority
     */
    static List<Response> responses(
            List<Declaration> all, long promotionPeriodNs, @Nullable Reservation reservation, long guestNs) {
        List<Response> responses = new ArrayList<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            List<ResponseTime.Task> tasks = tasksSeenBy(all, i, promotionPeriodNs, reservation);
            if (guestNs > 0) {
                tasks.add(new ResponseTime.Task(Long.MAX_VALUE, List.of(guestNs), BELOW_ALL));
            }
            responses.add(new Response(all.get(i), ResponseTime.bound(tasks, i)));
        }
        return responses;
    }

    /**
     * The tasks as the flag rule lets workload {@code index} meet them. A MEDIUM arrival interrupts TTS and LLM work only,
     * so other LOW work counts whole; a promoted job counts as one HIGH execution each promotion period, and a turn of the
     * language model's reservation as one of the workload's own priority each time that it may be due.
     */
    private static List<ResponseTime.Task> tasksSeenBy(
            List<Declaration> all, int index, long promotionPeriodNs, @Nullable Reservation reservation) {
        NpuPriority own = all.get(index).priority();
        List<ResponseTime.Task> tasks = new ArrayList<>();
        long promoted = 0;
        long modelSegment = 0;
        for (Declaration d : all) {
            NpuWorkload.Family family = d.workload().family();
            boolean interruptible = own == NpuPriority.HIGH
                    || family == NpuWorkload.Family.TTS
                    || family == NpuWorkload.Family.LLM
                    || d.workload() == all.get(index).workload();
            long cost = d.segmentsNs().stream().mapToLong(Long::longValue).sum();
            tasks.add(new ResponseTime.Task(
                    d.periodNs(),
                    interruptible ? d.segmentsNs() : List.of(cost),
                    d.priority().ordinal()));
            if (family != NpuWorkload.Family.STT && own.isAbove(d.priority())) {
                promoted = Math.max(promoted, cost);
            }
            if (family == NpuWorkload.Family.LLM && own.isAbove(d.priority())) {
                modelSegment = longest(d);
            }
        }
        if (promoted > 0) {
            tasks.add(new ResponseTime.Task(promotionPeriodNs, List.of(promoted), NpuPriority.HIGH.ordinal()));
        }
        if (reservation != null && modelSegment > 0) {
            tasks.add(new ResponseTime.Task(
                    reservation.everyNanos(), List.of(reservation.turnNanos(modelSegment)), own.ordinal()));
        }
        return tasks;
    }

    private String refusal(List<Declaration> all, Declaration candidate, Response missed) {
        String text = candidate.workload() + " cannot be admitted: " + miss(missed);
        return segmentToCut(all, missed.declaration())
                .map(cut -> text + "; " + cut)
                .orElse(text + "; lower a cost or raise a period, no cut of a segment is enough");
    }

    /** The longest lower segment, if cutting it lets {@code victim} meet its deadline, and the length that does. */
    private Optional<String> segmentToCut(List<Declaration> all, Declaration victim) {
        Declaration blocker = null;
        for (Declaration d : all) {
            if (victim.priority().isAbove(d.priority()) && (blocker == null || longest(d) > longest(blocker))) {
                blocker = d;
            }
        }
        if (blocker == null) {
            return Optional.empty();
        }
        long low = Math.max(1, longest(blocker) / FINEST_CUT);
        if (!meetsWhenCut(all, victim, low)) {
            return Optional.empty();
        }
        long high = longest(blocker);
        while (high - low > 1) {
            long middle = low + (high - low) / 2;
            if (meetsWhenCut(all, victim, middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Optional.of(
                "cut the " + ms(longest(blocker)) + " segment of " + blocker.workload() + " to at most " + ms(low));
    }

    private boolean meetsWhenCut(List<Declaration> all, Declaration victim, long limitNs) {
        List<Declaration> cut = new ArrayList<>();
        for (Declaration d : all) {
            cut.add(
                    victim.priority().isAbove(d.priority())
                            ? new Declaration(
                                    d.workload(), d.priority(), d.periodNs(), pieces(d, limitNs), d.deadlineNs())
                            : d);
        }
        return responses(cut).get(all.indexOf(victim)).missedByNs() == 0;
    }

    private static List<Long> pieces(Declaration d, long limitNs) {
        if (longest(d) <= limitNs) {
            return d.segmentsNs();
        }
        List<Long> pieces = new ArrayList<>();
        for (long left = d.segmentsNs().stream().mapToLong(Long::longValue).sum(); left > 0; left -= limitNs) {
            pieces.add(Math.min(left, limitNs));
        }
        return pieces;
    }

    private static String miss(Response response) {
        Declaration d = response.declaration();
        return response.bound()
                .map(b -> d.workload() + " would answer within " + ms(b.response()) + ", " + ms(response.missedByNs())
                        + " after its deadline of " + ms(d.deadlineNs()))
                .orElse(d.workload() + " would have no bound: its lane is asked for more than it has");
    }

    private static long longest(Declaration d) {
        return d.segmentsNs().stream().mapToLong(Long::longValue).max().orElseThrow();
    }

    private static String ms(long ns) {
        return ns % 1_000_000 == 0 ? ns / 1_000_000 + " ms" : ns / 1e6 + " ms";
    }
}
