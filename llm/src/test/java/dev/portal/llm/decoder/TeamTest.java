package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.SystemClock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** A few threads share rows, each row once. */
class TeamTest {
    private static Team of(int threads) {
        return new Team(threads, new SystemClock(), Thread.ofPlatform().daemon().factory());
    }

    @Test
    void helpersDoWhatWasBegunBeforeTheCallerComes() throws InterruptedException {
        try (Team team = of(2)) {
            AtomicIntegerArray done = new AtomicIntegerArray(100);
            CountDownLatch all = new CountDownLatch(100);
            team.begin(
                    (from, to, worker) -> {
                        for (int i = from; i < to; i++) {
                            done.incrementAndGet(i);
                            all.countDown();
                        }
                    },
                    100,
                    8);
            // Nobody but the helper can do that.
            all.await();
            AtomicInteger looks = new AtomicInteger();
            team.finish(looks::incrementAndGet);
            assertThat(looks).hasValue(0);
            for (int i = 0; i < 100; i++) {
                assertThat(done.get(i)).isEqualTo(1);
            }
        }
    }

    @Test
    void aTeamOfOneBeginsWhenTheCallerJoinsAndLooksBetweenRows() {
        try (Team team = of(1)) {
            AtomicInteger done = new AtomicInteger();
            team.begin((from, to, worker) -> done.addAndGet(to - from), 100, 30);
            assertThat(done).hasValue(0);
            AtomicInteger looks = new AtomicInteger();
            team.finish(looks::incrementAndGet);
            assertThat(done).hasValue(100);
            assertThat(looks).hasValue(4);
        }
    }

    @Test
    void everyRowIsDoneOnceInEveryOfManyRoundsWhicheverWayTheyAreRun() {
        try (Team team = of(3)) {
            for (int round = 0; round < 2_000; round++) {
                int rows = 1 + round % 97;
                AtomicIntegerArray done = new AtomicIntegerArray(rows);
                Team.Rows count = (from, to, worker) -> {
                    for (int i = from; i < to; i++) {
                        done.incrementAndGet(i);
                    }
                };
                if (round % 2 == 0) {
                    team.begin(count, rows, 1 + round % 5);
                    team.finish();
                } else {
                    team.run(count, rows, 1 + round % 5);
                }
                for (int i = 0; i < rows; i++) {
                    assertThat(done.get(i)).as("round %d, row %d", round, i).isEqualTo(1);
                }
            }
        }
    }

    @Test
    void aLookThatThrowsComesAfterTheLastRow() {
        try (Team team = of(1)) {
            AtomicInteger done = new AtomicInteger();
            team.begin((from, to, worker) -> done.addAndGet(to - from), 64, 8);
            assertThatThrownBy(() -> team.finish(() -> {
                        throw new IllegalStateException("lost");
                    }))
                    .hasMessage("lost");
            assertThat(done).hasValue(64);
        }
    }
}
