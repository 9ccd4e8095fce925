package dev.portal.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The host's work for a compiled chain. */
class HostCostsTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCompiledRunAllocatesNothing(boolean cacheInstructions) {
        try (HostCosts host = new HostCosts(cacheInstructions)) {
            assertThat(host.bytesOfACompiledRun()).isLessThan(1);
        }
    }
}
