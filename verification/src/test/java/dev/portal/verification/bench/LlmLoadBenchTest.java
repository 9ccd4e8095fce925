package dev.portal.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.scheduler.SchedulerOptions.Reservation;
import dev.portal.verification.bench.LlmLoad.Bound;
import dev.portal.verification.bench.LlmLoad.Model;
import dev.portal.verification.bench.LlmLoad.Result;
import dev.portal.verification.bench.LlmLoad.Setting;
import dev.portal.verification.bench.LlmLoad.Speech;
import dev.portal.verification.bench.LlmNpuBench.Shape;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the load of a spoken turn shows, on a small model; its clock is the emulator's, so that the figures repeat. */
class LlmLoadBenchTest {
    private static final Model SMALL = new Model(new Shape("small", 256, 3, 4, 2, 512, 4096), 1, 1024);
    private static final long MS = 1_000_000;
    private static final long RUN = 70 * MS;
    private static final Reservation SHARE = new Reservation(10 * MS, MS);

    private static Result run(
            int tokens, int cores, boolean retires, boolean answers, Speech speech, @Nullable Reservation share) {
        return LlmLoad.run(SMALL, new Setting(tokens, cores, retires, answers, speech, share), RUN, 1);
    }

    private static void assertKept(Result result) {
        assertThat(result.bounds()).isNotEmpty().allMatch(Bound::isKept);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onACoreOfItsOwnTheLanguageModelAndSpeechDoNotWaitForEachOther(boolean retires) {
        Result alone = run(3, 1, retires, false, Speech.TURN, null);
        Result both = run(3, 1, retires, true, Speech.TURN, null);
        Result model = run(3, 1, retires, true, Speech.NONE, null);
        assertKept(both);
        assertThat(alone.sttWaits()).hasSizeGreaterThanOrEqualTo(6).hasSameSizeAs(both.sttWaits());
        // The emulated call of 5 us is the whole of it.
        assertThat(Result.worst(both.sttWaits())).isLessThan(10_000);
        assertThat(both.tokensPerSecond()).isGreaterThan(0.9 * model.tokensPerSecond());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLentCoreIsBackWithinASegment(boolean retires) {
        Result both = run(3, 3, retires, true, Speech.TURN, null);
        assertKept(both);
        assertThat(both.loans()).isPositive();
        assertThat(both.tokensPerSecond()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onOneTokenSpeechWaitsForASegment(boolean retires) {
        Result both = run(1, 1, retires, true, Speech.TURN, null);
        assertKept(both);
        assertThat(both.bounds()).extracting(Bound::name).anyMatch(name -> name.startsWith("flag to yield"));
        assertThat(both.tokensPerSecond()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void underEndlessSpeechTokensNeverStopForLongerThanThePublishedBound(boolean retires) {
        Result without = run(1, 1, retires, true, Speech.CONTINUOUS, null);
        Result with = run(1, 1, retires, true, Speech.CONTINUOUS, SHARE);
        assertThat(without.pauseNanos()).as("nothing helps it for 30 s").isGreaterThan(RUN * 9 / 10);
        assertKept(with);
        assertThat(with.bounds()).extracting(Bound::name).contains("pause of the LLM");
        assertThat(with.pauseNanos()).isBetween(SHARE.everyNanos(), SHARE.everyNanos() + MS);
        assertThat(with.tokensPerSecond()).isGreaterThan(without.tokensPerSecond());
        assertThat(with.windowsPerSecond(RUN)).isGreaterThan(0.8 * without.windowsPerSecond(RUN));
    }

    @Test
    void aRunRepeats() {
        assertThat(run(3, 1, false, true, Speech.TURN, null))
                .usingRecursiveComparison()
                .isEqualTo(run(3, 1, false, true, Speech.TURN, null));
    }
}
