package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.scheduler.Preemption.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The lanes' decisions without their threads: jobs of several lanes pass beside each other, segment by segment, on one virtual
 * clock. One thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of the jobs is asserted on the jobs
final class ParallelLanes {
    final List<Lane> lanes = new ArrayList<>();
    final List<LaneGroup> groups = new ArrayList<>();
    /** Turns of the language model's reservation. */
    final List<TestJob.Run> turns = new ArrayList<>();
    /** Entries whose jobs ended. */
    final List<JobEntry> ended = new ArrayList<>();
    /** The longest run of a promoted job that is not the language model's. */
    long promotedNanos;

    private final VirtualClock clock;
    private final int tokens;
    private final Consumer<JobEntry> beforeSegment;
    private final Consumer<JobEntry> afterDispatch;
    private int running;

    /**
     * Three lanes.
     *
     * @param tokens how many of them compute at once; with 3 each is a group of its own
     * @param beforeSegment what each segment begins with
     * @param afterDispatch what each dispatch ends with
     */
    ParallelLanes(
            VirtualClock clock,
            SchedulerOptions options,
            int tokens,
            Consumer<JobEntry> beforeSegment,
            Consumer<JobEntry> afterDispatch) {
        this.clock = clock;
        this.tokens = tokens;
        this.beforeSegment = beforeSegment;
        this.afterDispatch = afterDispatch;
        LaneContext context = new LaneContext(
                "lane-", options, clock, SchedulerListener.NONE, (workload, nanos, success) -> {}, true, false);
        for (int core = 0; core < 3; core++) {
            if (tokens == 3 || core == 0) {
                groups.add(new LaneGroup(context, tokens == 3 ? 1 : 3, tokens == 3 ? 1 : tokens, core, 3));
            }
            lanes.add(new Lane(context, groups.getLast(), new NpuCore(core)));
        }
        lanes.forEach(lane -> lane.loans.among(lanes));
    }

    /** Submits a job; a refusal by a full queue is no more than that. */
    void arrive(TestJob job) {
        Lane lane = lanes.get(job.workload().homeCore().orElseThrow().index());
        try {
            lane.admit(job, job.priority());
        } catch (NpuException.QueueFull full) {
            return;
        }
        dispatch();
    }

    /** Lets each lane begin what it can. */
    void dispatch() {
        long now = clock.nanos();
        for (Lane lane : lanes) {
            LaneGroup group = lane.group;
            group.lock();
            JobEntry entry = lane.running == null ? group.next(lane, now) : null;
            if (entry != null) {
                entry.begin(Thread.currentThread(), now);
                group.take(entry, now);
            }
            group.unlock();
            if (entry != null) {
                running++;
                assertThat(running).isLessThanOrEqualTo(tokens);
                segment(entry, now);
                dispatch();
            }
        }
    }

    private void segment(JobEntry entry, long startNanos) {
        beforeSegment.accept(entry);
        clock.at(clock.nanos() + entry.declaredNanos, () -> endSegment(entry, startNanos));
    }

    private void endSegment(JobEntry entry, long startNanos) {
        TestJob job = (TestJob) entry.job;
        boolean over = ++job.done == job.segmentCount();
        if (!over && !entry.requested()) {
            segment(entry, startNanos);
            dispatch();
            return;
        }
        long now = clock.nanos();
        if (entry.workload == NpuWorkload.LLM && entry.cause() == Cause.RESERVATION) {
            turns.add(new TestJob.Run(startNanos, now));
        }
        if (entry.promoted && entry.workload != NpuWorkload.LLM) {
            promotedNanos = Math.max(promotedNanos, now - startNanos);
        }
        afterDispatch.accept(entry);
        entry.finish(now);
        entry.lane.group.lock();
        entry.lane.group.release(entry, over ? null : entry, now);
        entry.lane.group.unlock();
        running--;
        if (over) {
            ended.add(entry);
        }
        dispatch();
    }
}
