package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.llm.LlmException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The child's life in virtual time. */
class ChildSupervisorTest {
    @Test
    void restartsAfterGrowingPausesAndGivesUpAtTheFifthFailure() {
        Bench bench = new Bench("die_at_start=1");
        bench.bridge.start();
        bench.pass(Duration.ofMinutes(30));
        assertThat(bench.children).hasSize(5);
        List<Long> pausesMs = bench.events(BridgeEvent.RetryLater.class).stream()
                .map(event -> event.inUs() / 1000)
                .toList();
        assertThat(pausesMs).containsExactly(500L, 1000L, 2000L, 4000L);
        assertThat(bench.events(BridgeEvent.GaveUp.class)).hasSize(1);
        assertThat(bench.events(BridgeEvent.Lost.class))
                .allSatisfy(
                        event -> assertThat(event.why()).contains("status 3").contains("cannot load the model"));
    }

    @Test
    void thePauseDoublesToThirtySecondsAtMost() {
        BridgeOptions options = BridgeOptions.defaults();
        assertThat(List.of(1, 2, 3, 4, 5, 6, 7, 8, 60).stream()
                        .map(n -> options.backoff(n).toMillis())
                        .toList())
                .containsExactly(500L, 1000L, 2000L, 4000L, 8000L, 16000L, 30000L, 30000L, 30000L);
    }

    @Test
    void failuresThatLieTenMinutesBackAreForgotten() {
        Bench bench = new Bench("hang_at=0");
        bench.started();
        for (int i = 0; i < 8; i++) {
            bench.children.getLast().crash();
            bench.pass(Duration.ofMinutes(3));
        }
        assertThat(bench.events(BridgeEvent.GaveUp.class)).isEmpty();
        assertThat(bench.children).hasSize(9);
    }

    @Test
    void afterGivingUpAStartTriesAgain() {
        Bench bench = new Bench("die_at_start=1")
                .then("die_at_start=1")
                .then("die_at_start=1")
                .then("die_at_start=1")
                .then("die_at_start=1")
                .then();
        bench.bridge.start();
        bench.pass(Duration.ofMinutes(1));
        assertThat(bench.bridge.awaitReady(Duration.ofMinutes(1))).isFalse();
        bench.bridge.start();
        assertThat(bench.bridge.awaitReady(Duration.ofMinutes(1))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "handshake=hang, did not answer 'initialize', 60000",
        "handshake=refuse, refused the handshake, 1",
        "handshake=garbage, broke the protocol, 1",
        "protocol=2, speaks protocol 2, 1",
    })
    void aHandshakeThatFailsLosesTheChild(String fault, String why, long afterMs) {
        Bench bench = new Bench(fault).then();
        bench.bridge.start();
        assertThat(bench.bridge.awaitReady(Duration.ofMinutes(2))).isTrue();
        assertThat(bench.events(BridgeEvent.Lost.class))
                .singleElement()
                .satisfies(event -> assertThat(event.why()).contains(why));
        assertThat(bench.launchedAtNanos.get(1) / 1_000_000).isBetween(afterMs + 500, afterMs + 502);
    }

    @Test
    void anIdleChildIsPingedEveryFiveSecondsAndLostWhenItDoesNotAnswer() {
        Bench bench = new Bench("ignore_ping=0").started();
        bench.pass(Duration.ofSeconds(26));
        assertThat(bench.children.getFirst().received().stream().filter("ping"::equals))
                .hasSize(5);

        Bench deaf = new Bench("ignore_ping=1").then().started();
        deaf.pass(Duration.ofSeconds(12));
        assertThat(deaf.events(BridgeEvent.Lost.class))
                .singleElement()
                .satisfies(event -> assertThat(event.why()).contains("did not answer 'ping'"));
        assertThat(deaf.children).hasSize(2);
    }

    @Test
    void aBusyChildIsNotPinged() {
        Bench bench = new Bench("gap_us=4000000").started();
        bench.bridge.generate(Bench.ask("turn-1", "hi"), bench::collect);
        assertThat(bench.children.getFirst().received()).doesNotContain("ping");
    }

    @Test
    void thereAreNeverTwoChildrenEvenWhenOneIsSlowToDie() {
        Bench bench = new Bench("handshake=garbage", "unkillable_ms=10000").then();
        bench.bridge.start();
        assertThat(bench.bridge.awaitReady(Duration.ofMinutes(1))).isTrue();
        assertThat(bench.launchedAtNanos.get(1))
                .isGreaterThan(Duration.ofSeconds(10).toNanos());
        assertThat(bench.children.getFirst().gone()).isTrue();
    }

    @Test
    void aStartAfterGivingUpWaitsForTheLastChildToDie() {
        String[] stubborn = {"handshake=garbage", "unkillable_ms=20000"};
        Bench bench = new Bench(stubborn)
                .then(stubborn)
                .then(stubborn)
                .then(stubborn)
                .then(stubborn)
                .then();
        bench.bridge.start();
        while (bench.events(BridgeEvent.GaveUp.class).isEmpty()) {
            bench.pass(Duration.ofMillis(100));
        }
        bench.bridge.start();
        assertThat(bench.children).hasSize(5);
        assertThat(bench.bridge.awaitReady(Duration.ofMinutes(1))).isTrue();
        assertThat(bench.children.get(4).gone()).isTrue();
        bench.bridge.close();
    }

    @Test
    void closingWhileTheLastChildIsStillDyingWaitsForIt() {
        Bench bench = new Bench("handshake=garbage", "unkillable_ms=1000");
        bench.bridge.start();
        bench.pass(Duration.ofMillis(700));
        bench.bridge.close();
        assertThat(bench.children).hasSize(1).allMatch(ScriptedProcess::gone);
    }

    @Test
    void aFloodOnStandardErrorIsLimitedCountedAndItsEndKept() {
        Bench bench = new Bench("stderr_flood=10000", "crash_at=0").started();
        bench.pass(Duration.ofSeconds(1));
        bench.bridge.status();
        assertThat(bench.events(BridgeEvent.ErrorLine.class)).hasSize(50);
        bench.pass(Duration.ofSeconds(6));
        assertThat(bench.events(BridgeEvent.ErrorLinesDropped.class).stream()
                        .mapToLong(BridgeEvent.ErrorLinesDropped::lines)
                        .sum())
                .isEqualTo(9950);
        bench.children.getFirst().crash();
        bench.pass(Duration.ofMillis(10));
        assertThat(bench.events(BridgeEvent.Lost.class).getFirst().why())
                .contains("noise 9999")
                .doesNotContain("noise 9979 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"split=0", "ignore_shutdown=1", "ignore_eof=1"})
    void closingAsksThenKillsAndLeavesNoChild(String behaviour) {
        Bench bench = new Bench(behaviour).started();
        bench.bridge.close();
        bench.bridge.close();
        assertThat(bench.children).allMatch(ScriptedProcess::gone);
        assertThat(bench.children.getFirst().received()).contains("shutdown");
    }

    @Test
    void aChildThatObeysNothingIsKilledOnClose() {
        Bench bench = new Bench("ignore_shutdown=1", "ignore_eof=1").started();
        long began = bench.clock.nanos();
        bench.bridge.close();
        assertThat(bench.children).allMatch(ScriptedProcess::gone);
        assertThat(Duration.ofNanos(bench.clock.nanos() - began))
                .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3));
    }

    @Test
    void closingBetweenTwoChildrenStartsNoOther() {
        Bench bench = new Bench("die_at_start=1");
        bench.bridge.start();
        bench.pass(Duration.ofMillis(100));
        bench.bridge.close();
        bench.pass(Duration.ofMinutes(1));
        assertThat(bench.children).hasSize(1);
    }

    @Test
    void aStormOfCrashesReplaysBitForBit() {
        assertThat(storm()).isEqualTo(storm());
    }

    private static List<BridgeEvent> storm() {
        Bench bench = new Bench("crash_at=3")
                .then("handshake=hang")
                .then("garbage_at=1", "split=1")
                .then()
                .started();
        for (int i = 0; i < 6; i++) {
            try {
                bench.fresh().bridge.generate(Bench.ask("turn-" + i, "hi"), bench::collect);
            } catch (LlmException e) {
                bench.events.add(new BridgeEvent.Log("test", String.valueOf(e.getMessage())));
            }
            bench.pass(Duration.ofSeconds(20));
        }
        return bench.events;
    }

    @Test
    void theTableOfTransitionsIsTheDocumentedOne() {
        assertThat(Lifecycle.table()).isEqualTo("""
                        NEW + START -> STARTING / SPAWN
                        NEW + CLOSE -> CLOSED / NOTHING
                        STARTING + ANSWERED -> READY / ANNOUNCE
                        STARTING + LOST -> BACKING_OFF / RETRY_LATER
                        STARTING + EXHAUSTED -> GAVE_UP / GIVE_UP
                        STARTING + CLOSE -> CLOSING / SHUT_DOWN
                        READY + LOST -> BACKING_OFF / RETRY_LATER
                        READY + EXHAUSTED -> GAVE_UP / GIVE_UP
                        READY + CLOSE -> CLOSING / SHUT_DOWN
                        BACKING_OFF + DUE -> STARTING / SPAWN
                        BACKING_OFF + CLOSE -> CLOSED / NOTHING
                        GAVE_UP + START -> STARTING / SPAWN
                        GAVE_UP + CLOSE -> CLOSED / NOTHING
                        CLOSING + CLOSE -> CLOSING / NOTHING
                        CLOSING + GONE -> CLOSED / NOTHING
                        CLOSED + CLOSE -> CLOSED / NOTHING
                        """);
    }
}
