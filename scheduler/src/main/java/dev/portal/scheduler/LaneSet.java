package dev.portal.scheduler;

import dev.portal.base.AgentRunner;
import dev.portal.base.Clock;
import dev.portal.base.TraceRing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The lanes of one device, grouped by what competes, with their threads. Any thread. */
final class LaneSet {
    /** How long closing waits for a running job to stop, in milliseconds. */
    static final long CLOSE_WAIT_MILLIS = 5_000;

    private final LaneContext context;
    private final List<LaneGroup> groups = new ArrayList<>();
    private final List<Lane> lanes = new ArrayList<>();
    private final List<AgentRunner> runners = new ArrayList<>();
    private final long startedNanos;

    LaneSet(LaneContext context) {
        this.context = context;
        this.startedNanos = context.clock().nanos();
        SchedulerOptions options = context.options();
        if (options.lanesPerDevice() == options.cores()) {
            for (int core = 0; core < options.cores(); core++) {
                addLanes(new LaneGroup(context, 1, 1, core, options.cores()), core, 1);
            }
        } else {
            addLanes(new LaneGroup(context, options.cores(), options.lanesPerDevice(), 0, 1), 0, options.cores());
        }
        lanes.forEach(lane -> lane.loans.among(List.copyOf(lanes)));
        if (context.threaded()) {
            lanes.forEach(this::addThread);
            runners.forEach(AgentRunner::start);
        }
    }

    private void addLanes(LaneGroup group, int firstCore, int cores) {
        groups.add(group);
        IntStream.range(firstCore, firstCore + cores)
                .mapToObj(core -> new Lane(context, group, new NpuCore(core)))
                .forEach(lanes::add);
    }

    private void addThread(Lane lane) {
        AgentRunner runner = new AgentRunner(
                lane,
                context.clock(),
                context.options().spinNanos(),
                Clock.NEVER,
                (thread, defect) -> thread.getThreadGroup().uncaughtException(thread, defect));
        lane.runBy(runner);
        runners.add(runner);
    }

    /** The lane that runs {@code core}'s jobs: the only one, where there is one. */
    Lane lane(NpuCore core) {
        if (lanes.size() == 1) {
            return lanes.getFirst();
        }
        if (core.index() >= lanes.size()) {
            throw new IllegalArgumentException(core + " does not exist; there are " + lanes.size() + " cores, from 0");
        }
        return lanes.get(core.index());
    }

    List<Lane> lanes() {
        return lanes;
    }

    List<NpuCoreUtilization> utilization() {
        long upNanos = context.clock().nanos() - startedNanos;
        return lanes.stream().map(lane -> lane.utilization(upNanos)).toList();
    }

    /** What the flight recorders still have, by time. */
    List<TraceRing.Event<LaneEvent>> events() {
        return groups.stream()
                .flatMap(group -> group.ring().events().stream())
                .sorted(Comparator.comparingLong(TraceRing.Event::endNanos))
                .toList();
    }

    /** How often {@code event} was recorded. */
    long count(LaneEvent event) {
        return groups.stream().mapToLong(group -> group.ring().count(event)).sum();
    }

    int depth() {
        return groups.stream().mapToInt(LaneGroup::depth).sum();
    }

    /** What the language model's reservation promises and gave; empty without one. */
    Optional<ReservationBound> reservation(long dispatchNanos) {
        return Optional.ofNullable(context.options().reservation())
                .map(reservation -> ReservationBound.of(
                        reservation, workloads(), count(LaneEvent.RESERVED), llmLongestPauseNanos(), dispatchNanos));
    }

    /** The longest time that an LLM job waited while none was served in its group. */
    long llmLongestPauseNanos() {
        return groups.stream().mapToLong(LaneGroup::llmLongestPauseNanos).max().orElse(0);
    }

    /** What all lanes measured, by workload. */
    List<WorkloadTelemetry> workloads() {
        NpuWorkload[] workloads = NpuWorkload.values();
        WorkloadStats[] sums = new WorkloadStats[workloads.length];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = new WorkloadStats();
        }
        lanes.forEach(lane -> lane.addStatsTo(sums));
        return IntStream.range(0, sums.length)
                .filter(i -> sums[i].segment.count() > 0)
                .mapToObj(i -> WorkloadTelemetry.of(workloads[i], sums[i]))
                .toList();
    }

    /**
     * Takes no more jobs; fails those that wait; asks those that run to stop and waits for them, each for {@link
     * #CLOSE_WAIT_MILLIS} at most. A job that does not stop goes on alone, with its future failed.
     */
    void close() {
        long now = context.clock().nanos();
        for (LaneGroup group : groups) {
            for (JobEntry entry : group.close(now)) {
                entry.lane.closeWaiting(entry, now);
            }
        }
        runners.forEach(AgentRunner::stop);
        for (AgentRunner runner : runners) {
            runner.close(CLOSE_WAIT_MILLIS);
        }
        lanes.forEach(Lane::abandonRunning);
    }
}
