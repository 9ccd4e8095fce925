package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.llm.LlmException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Children that fail in random ways, one after another; then good ones. Whatever happened, the bridge serves again. */
class BridgeFuzzTest {
    private static final List<String> FAULTS = List.of(
            "crash_at",
            "garbage_at",
            "oversize_at",
            "skip_at",
            "hang_at",
            "eof_at",
            "ignore_cancel",
            "ignore_ping",
            "late_token",
            "split",
            "silent",
            "no_pause",
            "die_at_start",
            "unkillable_ms");

    static LongStream seeds() {
        String one = System.getProperty("portal.seed");
        return one != null ? LongStream.of(Long.parseLong(one)) : LongStream.rangeClosed(1, 10);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void afterAnyFaultsTheBridgeServesAgain(long seed) {
        try {
            run(new RandomStream(seed).derive("bridge"));
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "seed " + seed + "; rerun: mvn -pl llm -am test -Dtest=BridgeFuzzTest -Dportal.seed=" + seed
                            + " -Dsurefire.failIfNoSpecifiedTests=false",
                    e);
        }
    }

    private static void run(RandomStream random) {
        Bench bench = new Bench(fault(random), fault(random));
        for (int i = random.nextInt(4); i > 0; i--) {
            bench.then(fault(random), fault(random));
        }
        bench.then();
        bench.bridge.start();
        for (int turn = 0; turn < 8; turn++) {
            String id = "turn-" + turn;
            int cancelAt = random.nextInt(10);
            bench.tokens.clear();
            try {
                var _ = bench.bridge.generate(Bench.ask(id, "hi"), (sequence, text) -> {
                    bench.collect(sequence, text);
                    if (sequence == cancelAt) {
                        bench.bridge.cancel(id, "at random");
                    }
                });
            } catch (LlmException e) {
                assertThat(e.kind()).isIn(LlmException.Kind.BACKEND, LlmException.Kind.NOT_READY);
            }
            assertThat(bench.bridge.generating()).isFalse();
            assertThat(bench.children.stream().filter(child -> !child.gone()).count())
                    .as("children at one time")
                    .isLessThanOrEqualTo(1);
            bench.pass(Duration.ofSeconds(random.nextInt(20)));
        }
        // Heal: every further child is good, and an owner that was told of a give-up starts again.
        bench.heal();
        for (int i = 0; i < 6 && !servesOnce(bench, "healed-" + i); i++) {
            bench.pass(Duration.ofMinutes(11));
            if (bench.bridge.status().state().equals("gave_up")) {
                bench.bridge.start();
            }
        }
        assertThat(servesOnce(bench, "last"))
                .as("serves again; %s", bench.events)
                .isTrue();
        bench.bridge.close();
        assertThat(bench.children).allMatch(ScriptedProcess::gone);
    }

    private static boolean servesOnce(Bench bench, String id) {
        bench.tokens.clear();
        try {
            return bench.bridge
                    .generate(Bench.ask(id, "hi"), bench::collect)
                    .text()
                    .equals("sure, turning on the light.");
        } catch (LlmException e) {
            return false;
        }
    }

    private static String fault(RandomStream random) {
        String name = FAULTS.get(random.nextInt(FAULTS.size()));
        return name + "=" + (name.endsWith("_at") ? random.nextInt(6) : name.endsWith("_ms") ? 3000 : 1);
    }
}
