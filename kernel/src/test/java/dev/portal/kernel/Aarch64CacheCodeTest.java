package dev.portal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class Aarch64CacheCodeTest {
    private static final String ASSEMBLY = """
            dc cvac, x0
            add x0, x0, x2
            cmp x0, x1
            b.lo #-12
            dsb ish
            ret
            dc civac, x0
            mrs x0, ctr_el0
            """;
    private static final int[] WORDS = {
        0xD50B7A20, 0x8B020000, 0xEB01001F, 0x54FFFFA3, 0xD5033B9F, 0xD65F03C0, 0xD50B7E20, 0xD53B0020
    };

    @Test
    void theMachineCodeIsTheWordsOfTheArchitecture() {
        assertThat(Aarch64CacheCode.lineLoop(Aarch64CacheCode.DC_CVAC_X0))
                .containsExactly(0xD50B7A20, 0x8B020000, 0xEB01001F, 0x54FFFFA3, 0xD5033B9F, 0xD65F03C0);
        assertThat(Aarch64CacheCode.DC_CIVAC_X0).isEqualTo(0xD50B7E20);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment page = arena.allocate(4096, 4096);
            Aarch64CacheCode.write(page);
            assertThat(page.get(ValueLayout.JAVA_INT, 0)).isEqualTo(0xD50B7A20);
            assertThat(page.get(ValueLayout.JAVA_INT, 20)).isEqualTo(0xD65F03C0);
            assertThat(page.get(ValueLayout.JAVA_INT, 32)).isEqualTo(0xD50B7E20);
            assertThat(page.get(ValueLayout.JAVA_INT, 64)).isEqualTo(0xD53B0020);
        }
    }

    @Test
    void anAssemblerAgrees() throws Exception {
        Path assembler = Path.of("/usr/bin/llvm-mc");
        assumeThat(assembler)
                .as("llvm-mc is not installed; the Debian package llvm brings it")
                .exists();
        Process process = new ProcessBuilder(assembler.toString(), "--triple=aarch64", "--show-encoding", "--assemble")
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().write(ASSEMBLY.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        List<Integer> words = new ArrayList<>();
        String listing = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        for (String line :
                listing.lines().filter(l -> l.contains("encoding: [")).toList()) {
            String bytes = line.substring(line.indexOf('[') + 1, line.indexOf(']'))
                    .replace("0x", "")
                    .toLowerCase(Locale.ROOT);
            byte[] littleEndian = HexFormat.ofDelimiter(",").parseHex(bytes);
            words.add(MemorySegment.ofArray(littleEndian).get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        }
        assertThat(words)
                .as(listing)
                .containsExactly(Arrays.stream(WORDS).boxed().toArray(Integer[]::new));
    }

    @Test
    void aRangeIsWalkedInWholeLinesAndInBoundedChunks() throws Exception {
        List<String> calls = new ArrayList<>();
        MethodHandle record = MethodHandles.lookup()
                .findVirtual(
                        Aarch64CacheCodeTest.Recorder.class,
                        "lines",
                        MethodType.methodType(void.class, long.class, long.class, long.class));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1 << 18, 4096);
            long base = memory.address();
            MethodHandle code = record.bindTo(new Recorder(base, calls));
            Aarch64CacheCode cache = new Aarch64CacheCode(code, code, MethodHandles.constant(long.class, 0x8444C004L));
            assertThat(cache.lineBytes()).isEqualTo(64);
            cache.clean(memory, 70, 1);
            cache.cleanInvalidate(memory, 0, 0);
            cache.cleanInvalidate(memory, 100, (1 << 16) + 10);
            assertThat(calls).containsExactly("64..71 by 64", "64..65600 by 64", "65600..65646 by 64");
            assertThatThrownBy(() -> cache.clean(memory, 1 << 18, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    private record Recorder(long base, List<String> calls) {
        @SuppressWarnings("unused")
        void lines(long start, long end, long step) {
            calls.add((start - base) + ".." + (end - base) + " by " + step);
        }
    }
}
