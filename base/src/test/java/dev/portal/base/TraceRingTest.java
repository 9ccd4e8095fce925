package dev.portal.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TraceRingTest {
    private enum Kind {
        ONE,
        TWO
    }

    @Test
    void theLastEventsAreKeptInOrderAndCountsAreNeverLost() {
        TraceRing<Kind> ring = new TraceRing<>(Kind.values(), 3);
        for (int i = 0; i < 10; i++) {
            ring.record(i % 2 == 0 ? Kind.ONE : Kind.TWO, i, i + 1, 100 + i, 0, 7, "label " + i);
        }
        assertThat(ring.events()).extracting(TraceRing.Event::number).containsExactly(6L, 7L, 8L, 9L);
        assertThat(ring.events().getLast()).isEqualTo(new TraceRing.Event<>(9, Kind.TWO, 9, 10, 109, 0, 7, "label 9"));
        assertThat(ring.count(Kind.ONE)).isEqualTo(5);
        assertThat(ring.count(Kind.TWO)).isEqualTo(5);
    }

    @Test
    void anEventReadWhileItIsOverwrittenIsNeverAMixture() throws Exception {
        TraceRing<Kind> ring = new TraceRing<>(Kind.values(), 8);
        int written = 300_000;
        Thread writer = Thread.ofPlatform().start(() -> {
            for (long v = 0; v < written; v++) {
                ring.record(Kind.ONE, v, v, v, v, v, null);
            }
        });
        int mixtures = 0;
        do {
            for (TraceRing.Event<Kind> e : ring.events()) {
                long v = e.number();
                if (e.startNanos() != v || e.endNanos() != v || e.subject() != v || e.cause() != v || e.detail() != v) {
                    mixtures++;
                }
            }
        } while (writer.isAlive());
        writer.join();
        assertThat(mixtures).isZero();
        assertThat(ring.count(Kind.ONE)).isEqualTo(written);
        assertThat(ring.events()).hasSize(8);
    }
}
