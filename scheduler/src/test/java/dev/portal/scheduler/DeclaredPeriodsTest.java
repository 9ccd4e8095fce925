package dev.portal.scheduler;

import static dev.portal.scheduler.Fixtures.MS;
import static dev.portal.scheduler.Fixtures.SECOND;
import static dev.portal.scheduler.Fixtures.SINGLE_CORE;
import static dev.portal.scheduler.Fixtures.runUntil;
import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.base.VirtualClock;
import dev.portal.scheduler.Fixtures.Recorder;
import dev.portal.scheduler.ResponseTime.Task;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Workloads that keep their declared periods answer within the bounds of {@link ResponseTime}. */
class DeclaredPeriodsTest {
    private record Stream(
            NpuWorkload workload, NpuPriority priority, long periodNanos, int segments, long segmentNanos) {
        Task task() {
            return new Task(periodNanos, Collections.nCopies(segments, segmentNanos), priority.ordinal());
        }
    }

    @Test
    void noResponseExceedsItsBound() throws Exception {
        Seeds.each(DeclaredPeriodsTest.class, 20, DeclaredPeriodsTest::check);
    }

    @Test
    @Tag("slow")
    void noResponseExceedsItsBoundInManyMoreSets() throws Exception {
        Seeds.each(DeclaredPeriodsTest.class, 300, DeclaredPeriodsTest::check);
    }

    @Test
    void noResponseExceedsItsBoundWhereTheLanguageModelHasAReservation() throws Exception {
        Seeds.each(DeclaredPeriodsTest.class, 20, seed -> {
            RandomStream share = new RandomStream(seed).derive("share");
            check(seed, new SchedulerOptions.Reservation(share.nextLong(10, 100) * MS, share.nextLong(30) * MS));
        });
    }

    private static void check(long seed) {
        check(seed, null);
    }

    private static void check(long seed, SchedulerOptions.@Nullable Reservation share) {
        RandomStream random = new RandomStream(seed);
        VirtualClock clock = new VirtualClock();
        Recorder recorder = new Recorder();
        PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(
                SINGLE_CORE, SchedulerOptions.singleCore().withReservation(share), clock, recorder);
        List<Stream> streams = new ArrayList<>();
        streams.add(stream(random, NpuWorkload.STT_JOINER, NpuPriority.HIGH));
        streams.add(stream(random, NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM));
        streams.add(stream(random, NpuWorkload.TTS_DECODER, NpuPriority.LOW));
        streams.add(stream(random, NpuWorkload.LLM, NpuPriority.LOW));
        for (Stream stream : streams) {
            RandomStream jitter = random.derive(stream.workload.name());
            clock.at(jitter.nextLong(100) * MS, () -> arrive(scheduler, clock, stream, jitter));
        }
        runUntil(scheduler, clock, 25 * SECOND);
        List<Optional<ResponseTime.Bound>> bounds = IntStream.range(0, streams.size())
                .mapToObj(i -> ResponseTime.bound(tasksSeenBy(streams, i, share), i))
                .toList();
        for (int i = 0; i < streams.size(); i++) {
            Stream stream = streams.get(i);
            long worst = recorder.traces.stream()
                    .filter(trace -> trace.workload() == stream.workload)
                    .mapToLong(JobTrace::totalNanos)
                    .max()
                    .orElseThrow();
            bounds.get(i)
                    .ifPresent(bound -> assertThat(worst)
                            .as("%s among %s", stream.workload, streams)
                            .isLessThanOrEqualTo(bound.response()));
        }
        assertThat(recorder.traces).noneMatch(JobTrace::promoted);
        assertThat(recorder.lines).isEmpty();
    }

    /** All of them, and the turns of the reservation for those above the language model. */
    private static List<Task> tasksSeenBy(
            List<Stream> streams, int index, SchedulerOptions.@Nullable Reservation share) {
        List<Task> tasks = new ArrayList<>(streams.stream().map(Stream::task).toList());
        NpuPriority own = streams.get(index).priority;
        Stream model = streams.getLast();
        if (share != null && own.isAbove(model.priority)) {
            tasks.add(new Task(share.everyNanos(), List.of(share.turnNanos(model.segmentNanos)), own.ordinal()));
        }
        return tasks;
    }

    private static Stream stream(RandomStream random, NpuWorkload workload, NpuPriority priority) {
        int segments = random.nextInt(1, 6);
        long segment = random.nextLong(1, 25) * MS;
        long period = segments * segment * random.nextLong(4, 12) + random.nextLong(5) * MS;
        return new Stream(workload, priority, period, segments, segment);
    }

    private static void arrive(PortalNpuScheduler scheduler, VirtualClock clock, Stream stream, RandomStream jitter) {
        var _ = scheduler.sharedSubmit(
                stream.workload,
                stream.priority,
                new TestJob(clock, stream.workload, stream.priority, stream.segments, stream.segmentNanos));
        long late = jitter.nextInt(3) == 0 ? jitter.nextLong(40) * MS : 0;
        clock.at(clock.nanos() + stream.periodNanos + late, () -> arrive(scheduler, clock, stream, jitter));
    }
}
