package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuMemDestroy;
import dev.portal.hardware.rk3588.RknpuMemMap;
import dev.portal.hardware.rk3588.RknpuMemSync;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Call sequences that were logged on boards, made again on the emulated node: the same returns, handles, sizes and mmap
 * offsets, and the same device addresses relative to the first one (a board's window is not empty at the start).
 *
 * <p>Listed divergences: kernel pointers differ; SUBMIT is made with a task array of the emulator's own, since the
 * traces carry no program words (T1 holds submissions only and is not replayed).
 */
class TraceReplayTest {
    private final Map<String, Long> objects = new HashMap<>();
    private long addressShift;
    private boolean shifted;

    @ParameterizedTest
    @ValueSource(strings = {"L1", "L2", "A1", "O1"})
    void theBoardsCallsGiveTheBoardsAnswers(String trace) {
        VirtualClock clock = new VirtualClock();
        RknpuDriver driver = new RknpuDriver(clock, Rk3588Options.standard(), new KernelLog(), new ModelReport());
        EmulatedKernel kernel = new EmulatedKernel(List.of(driver));
        int fd = Answer.value(kernel.open(RknpuDriver.CARD_NODE, Open.DEVICE));
        int calls = 0;
        try (Arena arena = Arena.ofConfined()) {
            for (String line : Golden.lines("silicon/ioctl_traces.tsv")) {
                String[] f = line.split("\t", -1);
                if (f[0].equals(trace) && !f[2].equals("submit")) {
                    long answer = call(kernel, fd, arena, f[2], f[3]);
                    assertThat(Answer.value(answer)).as(line).isEqualTo(Integer.parseInt(f[4].trim()));
                    calls++;
                }
            }
        }
        assertThat(calls).isPositive();
        kernel.close(fd);
    }

    private long call(EmulatedKernel kernel, int fd, Arena arena, String name, String text) {
        boolean both = text.contains("->");
        Map<String, Long> in = fields(both ? text.substring(0, text.indexOf("->")) : text);
        Map<String, Long> out = fields(both ? text.substring(text.indexOf("->")) : text);
        MemorySegment memory = arena.allocate(64, 8);
        return switch (name) {
            case "action" -> action(kernel, fd, new RknpuAction(memory), in);
            case "mem_create" -> create(kernel, fd, new RknpuMemCreate(memory), in, out);
            case "mem_map" -> map(kernel, fd, new RknpuMemMap(memory), out);
            case "mem_sync" -> sync(kernel, fd, new RknpuMemSync(memory), in);
            case "mem_destroy" -> {
                RknpuMemDestroy args = new RknpuMemDestroy(memory);
                args.handle((int) value(in, "handle"));
                yield kernel.ioctl(fd, RknpuAbi.DRM_MEM_DESTROY, memory);
            }
            case "drm_gem_flink" -> {
                memory.set(ValueLayout.JAVA_INT, 0, (int) value(in, "handle"));
                long answer = kernel.ioctl(fd, 0xC008640A, memory);
                assertThat(memory.get(ValueLayout.JAVA_INT, 4)).isEqualTo((int) value(in, "name"));
                yield answer;
            }
            case "drm_prime_handle" -> {
                memory.set(ValueLayout.JAVA_INT, 0, (int) value(in, "handle"));
                long answer = kernel.ioctl(fd, RknpuAbi.DRM_PRIME_HANDLE_TO_FD, memory);
                assertThat(memory.get(ValueLayout.JAVA_INT, 8)).isEqualTo((int) value(in, "fd"));
                yield answer;
            }
            default -> throw new AssertionError(name);
        };
    }

    private static long action(EmulatedKernel kernel, int fd, RknpuAction args, Map<String, Long> in) {
        args.flags((int) value(in, "flags"));
        args.value((int) value(in, "value"));
        long answer = kernel.ioctl(fd, RknpuAbi.DRM_ACTION, args.segment());
        boolean logsTheAnswer = value(in, "value") > 1 && args.flags() < 2;
        if (logsTheAnswer && value(in, "value") != 0xffffffffL) {
            assertThat(args.value()).isEqualTo((int) value(in, "value"));
        }
        return answer;
    }

    private long create(
            EmulatedKernel kernel, int fd, RknpuMemCreate args, Map<String, Long> in, Map<String, Long> out) {
        args.size(value(in, "size"));
        args.flags((int) (long) in.getOrDefault("flags", out.getOrDefault("flags", 0L)));
        long answer = kernel.ioctl(fd, RknpuAbi.DRM_MEM_CREATE, args.segment());
        assertThat((long) args.handle()).isEqualTo(value(out, "handle"));
        long board = out.getOrDefault("dma_addr", out.getOrDefault("dma", 0L));
        if (!shifted) {
            shifted = true;
            addressShift = args.dmaAddr() - board;
        }
        assertThat(args.dmaAddr() - addressShift).isEqualTo(board);
        objects.put(Long.toHexString(out.getOrDefault("obj_addr", out.getOrDefault("obj", 0L))), args.objAddr());
        if (out.containsKey("mmap_offset")) {
            RknpuMemMap map = new RknpuMemMap(Arena.ofAuto().allocate(16, 8));
            map.handle(args.handle());
            assertThat(kernel.ioctl(fd, RknpuAbi.DRM_MEM_MAP, map.segment())).isZero();
            assertThat(map.offset()).isEqualTo(value(out, "mmap_offset"));
        }
        return answer;
    }

    private static long map(EmulatedKernel kernel, int fd, RknpuMemMap args, Map<String, Long> out) {
        args.handle((int) value(out, "handle"));
        long answer = kernel.ioctl(fd, RknpuAbi.DRM_MEM_MAP, args.segment());
        assertThat(args.offset()).isEqualTo(value(out, "offset"));
        return answer;
    }

    private long sync(EmulatedKernel kernel, int fd, RknpuMemSync args, Map<String, Long> in) {
        String board = Long.toHexString(in.getOrDefault("obj_addr", in.getOrDefault("obj", 0L)));
        args.flags((int) value(in, "flags"));
        args.objAddr(objects.getOrDefault(board, 0L));
        args.offset(value(in, "offset"));
        args.size(value(in, "size"));
        return kernel.ioctl(fd, RknpuAbi.DRM_MEM_SYNC, args.segment());
    }

    private static long value(Map<String, Long> fields, String name) {
        return Objects.requireNonNull(fields.get(name), name);
    }

    private static Map<String, Long> fields(String text) {
        Map<String, Long> fields = new HashMap<>();
        var matcher = Pattern.compile("(\\w+)=(0x)?([0-9a-fA-F]+)").matcher(text);
        while (matcher.find()) {
            fields.put(matcher.group(1), Long.parseUnsignedLong(matcher.group(3), matcher.group(2) == null ? 10 : 16));
        }
        return fields;
    }
}
