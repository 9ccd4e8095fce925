package dev.portal.app.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MachineTest {
    @Test
    void homeIsThePropertyThenPortalHomeThenTheUsersCache() {
        Map<String, String> both = Map.of("PORTAL_HOME", "/p", "XDG_CACHE_HOME", "/x");
        assertThat(Machine.home("/given", both, "/u")).isEqualTo(Path.of("/given"));
        assertThat(Machine.home(null, both, "/u")).isEqualTo(Path.of("/p"));
        assertThat(Machine.home(null, Map.of("XDG_CACHE_HOME", "/x"), "/u")).isEqualTo(Path.of("/x/portal"));
        assertThat(Machine.home("", Map.of("PORTAL_HOME", ""), "/u")).isEqualTo(Path.of("/u/.cache/portal"));
    }

    @Test
    void architecturesHaveTheKernelsNames() {
        assertThat(Machine.architecture("amd64")).isEqualTo("x86_64");
        assertThat(Machine.architecture("aarch64")).isEqualTo("aarch64");
        assertThat(Machine.architecture("riscv64")).isEqualTo("riscv64");
    }

    @Test
    void theSystemsLibrariesDoNotServeAnotherArchitecture() {
        Machine machine =
                new Machine(Path.of("/h"), Path.of("/r"), "x86_64", List.of(), List.of(Path.of("/usr/lib")), false);
        assertThat(machine.preparing("aarch64").libraryFolders()).isEmpty();
        assertThat(machine.preparing("x86_64")).isSameAs(machine);
    }
}
