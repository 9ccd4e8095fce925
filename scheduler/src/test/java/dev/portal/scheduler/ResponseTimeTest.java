package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.scheduler.ResponseTime.Bound;
import dev.portal.scheduler.ResponseTime.Task;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResponseTimeTest {
    @Test
    void aLaterInstanceCanBeTheWorst() {
        // Three tasks by deadline-monotonic priority; only the second instance of the lowest shows 11.
        List<Task> tasks = List.of(
                new Task(6, List.of(2L), 4),
                new Task(12, List.of(1L, 1L), 3),
                new Task(20, List.of(2L, 2L), 2),
                new Task(10, List.of(1L), 1));
        assertThat(ResponseTime.analyze(tasks))
                .containsExactly(
                        Optional.of(new Bound(1, 3, 1, 3)),
                        Optional.of(new Bound(1, 5, 1, 5)),
                        Optional.of(new Bound(0, 10, 1, 10)),
                        Optional.of(new Bound(0, 12, 2, 11)));
    }

    @Test
    void moreThanTheMachineHasNoBoundAtThatLevelAndBelow() {
        List<Task> tasks =
                List.of(new Task(4, List.of(1L), 3), new Task(4, List.of(4L), 2), new Task(100, List.of(1L), 1));
        assertThat(ResponseTime.bound(tasks, 0)).isPresent();
        assertThat(ResponseTime.bound(tasks, 1)).isEmpty();
        assertThat(ResponseTime.bound(tasks, 2)).isEmpty();
    }

    @Test
    void exactlyTheWholeMachineHasABoundUnlessSomethingLowerBlocks() {
        List<Task> full = List.of(new Task(4, List.of(2L), 2), new Task(4, List.of(2L), 1));
        assertThat(ResponseTime.bound(full, 1)).contains(new Bound(0, 4, 1, 4));
        List<Task> blocked =
                List.of(new Task(4, List.of(2L), 2), new Task(4, List.of(2L), 2), new Task(99, List.of(5L), 1));
        assertThat(ResponseTime.bound(blocked, 0)).isEmpty();
    }

    @Test
    void badTasksAreRefusedWithTheirValue() {
        assertThatThrownBy(() -> new Task(0, List.of(1L), 1)).hasMessageContaining("period 0");
        assertThatThrownBy(() -> new Task(5, List.of(), 1)).hasMessageContaining("segments []");
        assertThatThrownBy(() -> new Task(5, List.of(3L, -1L), 1)).hasMessageContaining("[3, -1]");
    }

    /** A discrete-time simulation, written from the model alone, never sees a response above the bound. */
    @Test
    void noSimulatedResponseExceedsTheBound() {
        long seed = Long.getLong("portal.seed", 20260716L);
        RandomStream random = new RandomStream(seed);
        int compared = 0;
        for (int round = 0; round < 400; round++) {
            List<Task> tasks = randomTasks(random);
            List<Optional<Bound>> bounds = ResponseTime.analyze(tasks);
            for (int run = 0; run < 5; run++) {
                long[] worst = simulate(tasks, random, 2000);
                for (int i = 0; i < tasks.size(); i++) {
                    if (bounds.get(i).isPresent()) {
                        compared++;
                        assertThat(worst[i])
                                .as("task %d of %s; rerun with -Dportal.seed=%d", i, tasks, seed)
                                .isLessThanOrEqualTo(bounds.get(i).get().response());
                    }
                }
            }
        }
        assertThat(compared).isGreaterThan(2000);
    }

    private static List<Task> randomTasks(RandomStream random) {
        List<Task> tasks = new ArrayList<>();
        int count = random.nextInt(2, 5);
        for (int i = 0; i < count; i++) {
            List<Long> segments = new ArrayList<>();
            for (int s = random.nextInt(1, 4); s > 0; s--) {
                segments.add(random.nextLong(1, 5));
            }
            tasks.add(new Task(random.nextLong(6, 40), segments, random.nextInt(0, 3)));
        }
        return tasks;
    }

    private static final class Release {
        private final int task;
        private final long at;
        private int segment;

        private Release(int task, long at) {
            this.task = task;
            this.at = at;
        }
    }

    private static long[] simulate(List<Task> tasks, RandomStream random, long ticks) {
        long[] worst = new long[tasks.size()];
        long[] next = new long[tasks.size()];
        for (int i = 0; i < next.length; i++) {
            next[i] = random.nextLong(0, tasks.get(i).period());
        }
        List<Deque<Release>> waiting = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            waiting.add(new ArrayDeque<>());
        }
        Release running = null;
        long left = 0;
        for (long now = 0; now < ticks; now++) {
            for (int i = 0; i < next.length; i++) {
                if (next[i] == now) {
                    waiting.get(tasks.get(i).priority()).addLast(new Release(i, now));
                    next[i] += tasks.get(i).period() + (random.nextInt(4) == 0 ? random.nextLong(0, 10) : 0);
                }
            }
            if (running == null) {
                for (int p = 2; p >= 0 && running == null; p--) {
                    running = waiting.get(p).pollFirst();
                }
                if (running == null) {
                    continue;
                }
                left = tasks.get(running.task).segments().get(running.segment);
            }
            left--;
            if (left == 0) {
                Task task = tasks.get(running.task);
                running.segment++;
                if (running.segment == task.segments().size()) {
                    worst[running.task] = Math.max(worst[running.task], now + 1 - running.at);
                } else {
                    waiting.get(task.priority()).addFirst(running);
                }
                running = null;
            }
        }
        return worst;
    }

    @Test
    void nonPreemptiveEdfNeedsRoomForTheLongestBeforeTheShortest() {
        assertThat(ResponseTime.nonPreemptiveEdfFits(
                        List.of(new Task(10, List.of(3L), 0), new Task(30, List.of(7L), 0))))
                .isTrue();
        // A cost of 9 started just before a period of 10 with cost 3 leaves no room: 9 + 3 > 11.
        assertThat(ResponseTime.nonPreemptiveEdfFits(
                        List.of(new Task(10, List.of(3L), 0), new Task(30, List.of(9L), 0))))
                .isFalse();
        assertThat(ResponseTime.nonPreemptiveEdfFits(
                        List.of(new Task(2, List.of(2L), 0), new Task(10, List.of(1L), 0))))
                .isFalse();
        assertThat(ResponseTime.nonPreemptiveEdfFits(List.of())).isTrue();
    }
}
