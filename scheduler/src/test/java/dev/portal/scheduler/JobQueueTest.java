package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.base.VirtualClock;
import dev.portal.scheduler.NpuWorkload.Family;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The policy alone, against examples and against a naive reference that follows the words of the design. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of the jobs is asserted on the jobs
class JobQueueTest {
    private static final int LANES = 3;
    private static final int CAPACITY = 4;
    private static final long THRESHOLD = 30;
    private static final int ALL = (1 << LANES) - 1;

    private final VirtualClock clock = new VirtualClock();
    private final LaneContext context = new LaneContext(
            "lane-",
            SchedulerOptions.defaults(),
            clock,
            SchedulerListener.NONE,
            (workload, running, success) -> {},
            true,
            false);
    private final LaneGroup group = new LaneGroup(context, LANES, 1, 0, 1);
    private final List<Lane> lanes = List.of(lane(0), lane(1), lane(2));
    private JobQueue queue = new JobQueue(LANES, CAPACITY, THRESHOLD, 0);
    private long nextId = 1;

    private Lane lane(int core) {
        return new Lane(context, group, new NpuCore(core));
    }

    private JobEntry entry(NpuWorkload workload, NpuPriority priority, int lane) {
        JobEntry entry = new JobEntry(lanes.get(lane), TestJob.once(clock, workload, 1), priority);
        entry.id = nextId++;
        return entry;
    }

    private JobEntry add(NpuWorkload workload, NpuPriority priority, long now) {
        JobEntry entry = entry(workload, priority, 0);
        queue.add(entry, now);
        return entry;
    }

    private JobEntry take(long now) {
        JobEntry entry = Objects.requireNonNull(queue.select(ALL, now), "nothing waits");
        queue.take(entry, now);
        return entry;
    }

    private void end(JobEntry entry, long now) {
        queue.stopServing(entry, true, now);
    }

    @Test
    void higherClassesGoFirstAndInsideAClassTheOldest() {
        JobEntry low = add(NpuWorkload.LLM, NpuPriority.LOW, 0);
        JobEntry medium = add(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 0);
        JobEntry high1 = add(NpuWorkload.LLM, NpuPriority.HIGH, 0);
        JobEntry high2 = add(NpuWorkload.LLM, NpuPriority.HIGH, 0);
        for (JobEntry expected : List.of(high1, high2, medium, low)) {
            JobEntry taken = take(0);
            assertThat(taken).isSameAs(expected);
            end(taken, 0);
        }
        assertThat(queue.select(ALL, 0)).isNull();
    }

    /** STT is served back to back from 0 to {@code until}, each job one tick, with whatever else waits. */
    private void serveStt(long from, long until) {
        for (long now = from; now < until; now++) {
            JobEntry stt = add(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, now);
            assertThat(take(now)).isSameAs(stt);
            end(stt, now + 1);
        }
    }

    @Test
    void thirtySecondsExactlyDoNotPromoteAndMoreDo() {
        JobEntry decoder = add(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 0);
        serveStt(0, 30);
        JobEntry stt = add(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 30);
        assertThat(take(30)).isSameAs(stt);
        end(stt, 31);
        add(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 31);
        assertThat(take(31)).isSameAs(decoder);
        assertThat(decoder.promoted).isTrue();
        assertThat(decoder.effective).isEqualTo(NpuPriority.HIGH);
    }

    @Test
    void promotionTakesADecoderThenAnEncoderThenTheOldestOther() {
        JobEntry llm = add(NpuWorkload.LLM, NpuPriority.LOW, 0);
        JobEntry encoder = add(NpuWorkload.TTS_ENCODER, NpuPriority.LOW, 0);
        JobEntry decoder = add(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 0);
        JobEntry llm2 = add(NpuWorkload.LLM, NpuPriority.MEDIUM, 0);
        long now = 0;
        for (JobEntry expected : List.of(decoder, encoder, llm, llm2)) {
            serveStt(now, now + 31);
            now += 31;
            add(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, now);
            assertThat(take(now)).isSameAs(expected);
            end(expected, now);
            end(take(now), now);
        }
    }

    @Test
    void theClockIsClearedByTheEndOfOtherWorkNotByItsDispatch() {
        JobEntry tts = add(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 0);
        JobEntry llm = add(NpuWorkload.LLM, NpuPriority.LOW, 0);
        serveStt(0, 20);
        assertThat(take(20)).isSameAs(tts);
        queue.putBack(tts, 21);
        queue.stopServing(tts, false, 21);
        serveStt(21, 32);
        JobEntry stt = add(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 32);
        assertThat(take(32)).isSameAs(tts);
        end(tts, 40);
        assertThat(take(40)).isSameAs(stt);
        end(stt, 60);
        assertThat(take(60)).isSameAs(llm);
        assertThat(llm.promoted).isFalse();
    }

    @Test
    void theClockRunsOnlyWhileSttIsServedAndStandsWithNobodyElseThere() {
        JobEntry tts = add(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 0);
        assertThat(queue.starvationAtNanos()).isEqualTo(Long.MAX_VALUE);
        JobEntry stt = add(NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 5);
        take(5);
        assertThat(queue.starvationAtNanos()).isEqualTo(5 + THRESHOLD);
        queue.remove(tts, 25);
        assertThat(queue.starvationAtNanos()).isEqualTo(Long.MAX_VALUE);
        add(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 26);
        assertThat(queue.starvationAtNanos()).isEqualTo(26 + THRESHOLD);
        end(stt, 30);
        assertThat(queue.starvationAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aPromotedJobThatYieldsKeepsItsPromotionAtTheHeadOfHigh() {
        JobEntry decoder = add(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 0);
        serveStt(0, 31);
        JobEntry high = add(NpuWorkload.STT_ENCODER, NpuPriority.HIGH, 31);
        take(31);
        queue.putBack(decoder, 32);
        queue.stopServing(decoder, false, 32);
        assertThat(take(32)).isSameAs(decoder);
        assertThat(decoder.promoted).isTrue();
        end(decoder, 33);
        assertThat(take(33)).isSameAs(high);
    }

    // The model.

    /** A waiting or running job of the reference. */
    private static final class Ref {
        final JobEntry entry;
        final boolean stt;
        NpuPriority effective;
        long order;

        Ref(JobEntry entry, long order) {
            this.entry = entry;
            this.stt = entry.workload.family() == Family.STT;
            this.effective = entry.priority;
            this.order = order;
        }

        boolean isLlm() {
            return entry.workload == NpuWorkload.LLM;
        }
    }

    /** A list, sorted anew each time; time counted tick by tick. */
    private static final class Reference {
        final long every;
        long pausedTicks;

        final List<Ref> waiting = new ArrayList<>();
        final List<Ref> served = new ArrayList<>();
        long starvedTicks;
        long first = -1;

        Reference(long every) {
            this.every = every;
        }

        void tick() {
            if (waiting.stream().anyMatch(Ref::isLlm)) {
                pausedTicks++;
            }
            clearIfNotPaused();
            if (served.stream().anyMatch(r -> r.stt) && waiting.stream().anyMatch(r -> !r.stt)) {
                starvedTicks++;
            }
        }

        void clearIfNobodyElse() {
            if (waiting.stream().allMatch(r -> r.stt) && served.stream().allMatch(r -> r.stt)) {
                starvedTicks = 0;
            }
        }

        void clearIfNotPaused() {
            if (waiting.stream().noneMatch(Ref::isLlm) || served.stream().anyMatch(Ref::isLlm)) {
                pausedTicks = 0;
            }
        }

        boolean isReserved() {
            return every > 0 && pausedTicks >= every && waiting.stream().anyMatch(Ref::isLlm);
        }

        private List<Ref> able(int mask) {
            return waiting.stream()
                    .filter(r -> (mask & 1 << r.entry.lane.index) != 0)
                    .toList();
        }

        @Nullable
        Ref select(int mask) {
            List<Ref> able = able(mask);
            if (starvedTicks > THRESHOLD) {
                for (List<NpuWorkload> kind : List.of(
                        List.of(NpuWorkload.TTS_DECODER), List.of(NpuWorkload.TTS_ENCODER), List.of(NpuWorkload.LLM))) {
                    Ref starved = able.stream()
                            .filter(r -> kind.contains(r.entry.workload))
                            .min(Comparator.comparingLong(r -> r.entry.id))
                            .orElse(null);
                    if (starved != null) {
                        return starved;
                    }
                }
            }
            if (isReserved() && able.stream().anyMatch(Ref::isLlm)) {
                return inOrder(able.stream().filter(Ref::isLlm).toList());
            }
            return inOrder(able);
        }

        private static @Nullable Ref inOrder(List<Ref> able) {
            return able.stream()
                    .min(Comparator.comparing((Ref r) -> r.effective).reversed().thenComparingLong(r -> r.order))
                    .orElse(null);
        }
    }

    @Test
    void theQueueDoesWhatTheReferenceDoes() throws Exception {
        Seeds.each(JobQueueTest.class, 300, seed -> {
            RandomStream random = new RandomStream(seed);
            new JobQueueTest().compare(random, random.nextInt(2) * random.nextLong(1, 40));
        });
    }

    private boolean nowIsReserved(long now) {
        return now >= queue.reservationAtNanos();
    }

    private void compare(RandomStream random, long every) {
        queue = new JobQueue(LANES, CAPACITY, THRESHOLD, every);
        Reference reference = new Reference(every);
        NpuWorkload[] workloads = NpuWorkload.values();
        int sttShare = random.nextInt(20, 95);
        long now = 0;
        for (int step = 0; step < 600; step++) {
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    NpuWorkload workload = random.nextInt(100) < sttShare
                            ? NpuWorkload.STT_ENCODER
                            : workloads[random.nextInt(4, workloads.length)];
                    JobEntry entry = entry(workload, NpuPriority.values()[random.nextInt(3)], random.nextInt(LANES));
                    int depth = (int) reference.waiting.stream()
                            .filter(r -> r.entry.lane == entry.lane)
                            .count();
                    assertThat(queue.isFull(entry.lane.index)).isEqualTo(depth >= CAPACITY);
                    if (depth < CAPACITY) {
                        queue.add(entry, now);
                        reference.waiting.add(new Ref(entry, step));
                    }
                }
                case 2 -> {
                    int mask = random.nextInt(1, ALL + 1);
                    Ref expected = reference.select(mask);
                    JobEntry selected = queue.select(mask, now);
                    assertThat(selected).isSameAs(expected == null ? null : expected.entry);
                    if (expected != null && selected != null && reference.served.size() < 2) {
                        boolean promotes =
                                !expected.stt && reference.starvedTicks > THRESHOLD && !expected.entry.promoted;
                        Ref inOrder = Reference.inOrder(reference.able(mask));
                        JobEntry passed = queue.passedBy(selected, mask);
                        assertThat(passed).isSameAs(inOrder == expected ? null : Objects.requireNonNull(inOrder).entry);
                        selected.reserved = passed != null && !promotes && reference.isReserved();
                        assertThat(queue.take(selected, now)).isEqualTo(promotes);
                        if (promotes) {
                            expected.effective = NpuPriority.HIGH;
                        }
                        assertThat(selected.effective).isEqualTo(expected.effective);
                        reference.waiting.remove(expected);
                        reference.served.add(expected);
                    }
                }
                case 3 -> {
                    if (!reference.served.isEmpty()) {
                        Ref ref = reference.served.remove(random.nextInt(reference.served.size()));
                        if (random.nextInt(3) == 0) {
                            queue.putBack(ref.entry, now);
                            queue.stopServing(ref.entry, false, now);
                            ref.order = ref.entry.reserved ? ref.order : reference.first--;
                            reference.waiting.add(ref);
                        } else {
                            queue.stopServing(ref.entry, true, now);
                            if (!ref.stt) {
                                reference.starvedTicks = 0;
                            }
                        }
                    }
                }
                case 4 -> {
                    if (!reference.waiting.isEmpty() && random.nextInt(4) == 0) {
                        Ref ref = reference.waiting.remove(random.nextInt(reference.waiting.size()));
                        queue.remove(ref.entry, now);
                    }
                }
                default -> {
                    for (int ticks = random.nextInt(12); ticks > 0; ticks--) {
                        now++;
                        reference.tick();
                    }
                }
            }
            reference.clearIfNobodyElse();
            reference.clearIfNotPaused();
            assertThat(nowIsReserved(now)).isEqualTo(reference.isReserved());
            assertThat(queue.size()).isEqualTo(reference.waiting.size());
        }
    }
}
