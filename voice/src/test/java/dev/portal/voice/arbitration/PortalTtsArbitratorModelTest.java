package dev.portal.voice.arbitration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.voice.arbitration.PortalTtsArbitrator.CriticalOverCritical;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The arbitrator against a reference that sorts a list, and under competing threads. */
class PortalTtsArbitratorModelTest {
    static Stream<Long> seeds() {
        Long one = Long.getLong("portal.seed");
        return one != null ? Stream.of(one) : LongStream.rangeClosed(1, 100).boxed();
    }

    /** What should happen, written as plainly as possible. */
    private static final class Reference {
        private static final class Entry {
            final SpeechPriority priority;
            final int number;
            final List<String> heard = new ArrayList<>();
            int place;
            boolean replaced;

            Entry(SpeechPriority priority, int number) {
                this.priority = priority;
                this.number = number;
            }

            boolean critical() {
                return priority == SpeechPriority.SYSTEM_CRITICAL;
            }
        }

        final List<Entry> all = new ArrayList<>();
        final List<Entry> waiting = new ArrayList<>();
        final int capacity;
        final CriticalOverCritical policy;

        @Nullable
        Entry active;

        int places;

        Reference(int capacity, CriticalOverCritical policy) {
            this.capacity = capacity;
            this.policy = policy;
        }

        void request(SpeechPriority priority) {
            Entry entry = new Entry(priority, all.size());
            all.add(entry);
            Entry older = active;
            if (older == null) {
                start(entry);
            } else if (older.critical() && entry.critical() && policy == CriticalOverCritical.REPLACE_AND_REQUEUE) {
                if (waiting.size() == capacity && waiting.stream().allMatch(Entry::critical)) {
                    entry.heard.add("dropped");
                    return;
                }
                older.heard.add("REQUEUED");
                await(older, older.replaced ? ++places : - ++places);
                older.replaced = true;
                start(entry);
            } else if (priority.value() > older.priority.value()) {
                older.heard.add("PREEMPTED");
                start(entry);
            } else {
                await(entry, ++places);
            }
        }

        private void await(Entry entry, int place) {
            entry.place = place;
            waiting.add(entry);
            if (waiting.size() > capacity) {
                Entry victim = waiting.stream()
                        .min(Comparator.<Entry>comparingInt(e -> e.priority.value())
                                .thenComparingInt(e -> -e.number))
                        .orElseThrow();
                waiting.remove(victim);
                victim.heard.add("dropped");
            }
        }

        private void start(Entry entry) {
            active = entry;
            entry.heard.add("granted");
        }

        void end() {
            active = null;
            waiting.sort(
                    Comparator.<Entry>comparingInt(e -> -e.priority.value()).thenComparingInt(e -> e.place));
            if (!waiting.isEmpty()) {
                start(waiting.removeFirst());
            }
        }

        boolean bargeIn() {
            if (active == null || active.critical()) {
                return false;
            }
            active.heard.add("BARGE_IN");
            active = null;
            waiting.forEach(entry -> entry.heard.add("dropped"));
            waiting.clear();
            return true;
        }

        void withdraw(Entry entry) {
            if (!waiting.remove(entry) && active == entry) {
                end();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void behavesLikeAReferenceThatSortsAList(long seed) {
        RandomStream random = new RandomStream(seed).derive("arbitrator");
        int capacity = random.nextInt(1, 7);
        CriticalOverCritical policy = any(random, CriticalOverCritical.values());
        PortalTtsArbitrator arbitrator = new PortalTtsArbitrator(capacity, policy);
        Reference reference = new Reference(capacity, policy);
        List<RecordingListener> listeners = new ArrayList<>();
        List<SpeechRequest> requests = new ArrayList<>();
        for (int step = 0; step < 120; step++) {
            String what;
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    what = "close";
                    listeners.stream()
                            .filter(RecordingListener::speaks)
                            .findFirst()
                            .ifPresent(listener -> {
                                listener.token().close();
                                reference.end();
                            });
                }
                case 2 -> {
                    what = "barge in";
                    if (random.nextInt(3) == 0) {
                        assertThat(arbitrator.bargeIn()).isEqualTo(reference.bargeIn());
                    }
                }
                case 3 -> {
                    what = "withdraw";
                    if (!requests.isEmpty()) {
                        int index = random.nextInt(requests.size());
                        requests.get(index).withdraw();
                        reference.withdraw(reference.all.get(index));
                    }
                }
                default -> {
                    SpeechPriority priority = any(random, SpeechPriority.values());
                    what = "request " + priority;
                    RecordingListener listener = new RecordingListener();
                    listeners.add(listener);
                    requests.add(arbitrator.request(priority, "number " + step, listener));
                    reference.request(priority);
                }
            }
            assertThat(listeners.stream().map(RecordingListener::heard))
                    .as("seed %d (rerun with -Dportal.seed=%d), step %d: %s", seed, seed, step, what)
                    .containsExactlyElementsOf(
                            reference.all.stream().map(entry -> entry.heard).toList());
            assertThat(arbitrator.queueDepth()).isEqualTo(reference.waiting.size());
            assertThat(listeners.stream().filter(RecordingListener::speaks).count())
                    .isEqualTo(reference.active == null ? 0 : 1);
        }
    }

    @Test
    void competingThreadsNeverSeeTwoActiveTokensAndNoRequestIsForgotten() throws Exception {
        PortalTtsArbitrator arbitrator = new PortalTtsArbitrator();
        int threads = 4;
        List<List<RecordingListener>> listeners = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                List<RecordingListener> own = new ArrayList<>();
                listeners.add(own);
                RandomStream random = new RandomStream(t).derive("thread");
                running.add(pool.submit(() -> {
                    start.await();
                    for (int i = 0; i < 2_000; i++) {
                        compete(arbitrator, own, random);
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> future : running) {
                future.get(60, TimeUnit.SECONDS);
            }
        }
        List<RecordingListener> all = listeners.stream().flatMap(List::stream).toList();
        assertThat(all.stream().filter(RecordingListener::speaks).count())
                .isEqualTo(arbitrator.speaking().isPresent() ? 1 : 0);
        // Ending whatever has the slot, again and again, must bring everybody to an end.
        for (int i = 0; i <= PortalTtsArbitrator.DEFAULT_CAPACITY + 1; i++) {
            all.stream()
                    .filter(RecordingListener::speaks)
                    .findFirst()
                    .ifPresent(l -> l.token().close());
        }
        assertThat(arbitrator.speaking()).isEmpty();
        assertThat(arbitrator.queueDepth()).isZero();
        assertThat(all).allMatch(listener -> !listener.heard().isEmpty() && !listener.speaks());
        PortalTtsArbitrator.Stats stats = arbitrator.stats();
        assertThat(stats.granted())
                .isEqualTo(all.stream().mapToLong(RecordingListener::grants).sum());
        assertThat(stats.dropped())
                .isEqualTo(all.stream()
                        .filter(listener -> listener.heard().contains("dropped"))
                        .count());
    }

    private static void compete(PortalTtsArbitrator arbitrator, List<RecordingListener> own, RandomStream random) {
        RecordingListener listener = new RecordingListener();
        own.add(listener);
        arbitrator.request(any(random, SpeechPriority.values()), "speech", listener);
        if (random.nextInt(10) == 0) {
            arbitrator.bargeIn();
        }
        RecordingListener any = own.get(Math.max(0, own.size() - 1 - random.nextInt(8)));
        if (any.speaks()) {
            any.token().close();
        }
    }

    private static <T> T any(RandomStream random, T[] values) {
        return values[random.nextInt(values.length)];
    }
}
