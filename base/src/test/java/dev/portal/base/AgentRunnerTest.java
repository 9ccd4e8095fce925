package dev.portal.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentRunnerTest {
    private static final class Counter implements Agent {
        final AtomicInteger work = new AtomicInteger();
        final AtomicInteger done = new AtomicInteger();
        final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public String name() {
            return "counter";
        }

        @Override
        public int doWork() {
            if (work.get() == 0) {
                return 0;
            }
            work.decrementAndGet();
            done.incrementAndGet();
            return 1;
        }

        @Override
        public void onClose() {
            closed.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 20_000})
    void noWakeIsLost(long spinNanos) throws Exception {
        Counter counter = new Counter();
        AgentRunner runner = new AgentRunner(counter, new SystemClock(), spinNanos, Clock.NEVER, (t, e) -> {}).start();
        for (int i = 1; i <= 2_000; i++) {
            counter.work.incrementAndGet();
            runner.wake();
            if (i % 3 == 0) {
                while (counter.done.get() < i) {
                    Thread.onSpinWait();
                }
            }
        }
        assertThat(runner.close(30_000)).isTrue();
        assertThat(counter.closed.await(1, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aDefectGoesToTheHandlerAndTheAgentGoesOn() throws Exception {
        List<String> defects = new CopyOnWriteArrayList<>();
        CountDownLatch second = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        Agent agent = new Agent() {
            @Override
            public String name() {
                return "careless";
            }

            @Override
            public int doWork() {
                if (calls.incrementAndGet() == 1) {
                    throw new IllegalStateException("oops");
                }
                second.countDown();
                return 0;
            }
        };
        AgentRunner runner = new AgentRunner(
                        agent,
                        new SystemClock(),
                        0,
                        Clock.NEVER,
                        (t, e) -> defects.add(t.getName() + ": " + e.getMessage()))
                .start();
        assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
        runner.close();
        assertThat(defects).containsExactly("careless: oops");
    }
}
