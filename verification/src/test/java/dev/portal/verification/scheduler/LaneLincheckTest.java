package dev.portal.verification.scheduler;

import dev.portal.base.Clock;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuPriority;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The lane as a concurrent object: submitting, cancelling, stepping and looking by several threads give results that some
 * order of single calls gives too. Capacity 2, so that refusals happen. One thread steps, as a lane has one.
 */
@Tag("slow")
public class LaneLincheckTest {
    /** A job that leaves its number where the stepping thread finds it. */
    private final class Numbered implements NpuJob {
        private final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        public NpuWorkload workload() {
            return NpuWorkload.LLM;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            ran = number;
            return NpuJobResult.DONE;
        }
    }

    private static final class StandingClock implements Clock {
        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public void spin() {}

        @Override
        public void parkUntil(long deadlineNanos) {}

        @Override
        public void unpark(Thread thread) {}
    }

    private static final NpuDetection EMULATED = NpuDetection.detect(
            "any", Map.of("PORTAL_NPU_TRANSPORT", "emulated", "PORTAL_NPU_CORE_COUNT", "1"), p -> false);

    private static final SchedulerOptions CAPACITY_TWO =
            new SchedulerOptions(1, 1, 2, 1_000_000_000, 3, 10, 1, 1, false, 0, null, null);

    private final PortalNpuScheduler scheduler =
            PortalNpuScheduler.stepped(EMULATED, CAPACITY_TWO, new StandingClock(), SchedulerListener.NONE);
    private CompletableFuture<?> lastLow = new CompletableFuture<>();
    private int ran;

    private CompletableFuture<?> submit(int number, NpuPriority priority) {
        return scheduler.sharedSubmit(NpuWorkload.LLM, priority, new Numbered(number));
    }

    /** The stepping thread may complete an accepted one at once, so only a failure says that it was refused. */
    private static boolean isAccepted(CompletableFuture<?> future) {
        return !future.isCompletedExceptionally();
    }

    @Operation(nonParallelGroup = "low")
    public boolean submitLow() {
        lastLow = submit(1, NpuPriority.LOW);
        return isAccepted(lastLow);
    }

    @Operation(nonParallelGroup = "low")
    public void cancelLow() {
        lastLow.cancel(true);
    }

    @Operation
    public boolean submitMedium() {
        return isAccepted(submit(2, NpuPriority.MEDIUM));
    }

    @Operation
    public boolean submitHigh() {
        return isAccepted(submit(3, NpuPriority.HIGH));
    }

    @Operation(nonParallelGroup = "lane")
    public int step() {
        ran = 0;
        scheduler.step();
        return ran;
    }

    @Operation
    public int depth() {
        return scheduler.queueDepth();
    }

    private void check(Options<?, ?> options) {
        options.check(LaneLincheckTest.class);
    }

    @Test
    void everyInterleavingOfAFewCallsIsAnOrderOfThem() {
        check(new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(60)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(1));
    }

    @Test
    void underStressCallsStillHaveAnOrder() {
        check(new StressOptions()
                .iterations(8)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(1));
    }
}
