package dev.portal.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RandomStreamTest {
    @Test
    void aDrawDoesNotShiftTheNeighbours() {
        RandomStream root = new RandomStream(42);
        long before = root.derive("lane").nextLong();
        root.nextLong();
        root.derive("other").nextLong();
        assertThat(root.derive("lane").nextLong()).isEqualTo(before);
    }

    @Test
    void pathsAndSeedsGiveDifferentStreams() {
        RandomStream root = new RandomStream(42);
        assertThat(root.derive("a").nextLong()).isNotEqualTo(root.derive("b").nextLong());
        assertThat(new RandomStream(1).nextLong()).isNotEqualTo(new RandomStream(2).nextLong());
        assertThat(root.derive("a").derive("b").toString()).isEqualTo("seed 42 path /a/b");
    }
}
