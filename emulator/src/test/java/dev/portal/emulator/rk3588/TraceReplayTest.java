package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.EmulatedKernel;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuMemDestroy;
import dev.portal.hardware.rk3588.RknpuMemMap;
import dev.portal.hardware.rk3588.RknpuMemSync;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.kernel.Answer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Call sequences that were logged on boards, made again on the emulated node: the same returns, handles, sizes and mmap
 * offsets, and the same device addresses relative to the first one (a board's window is not empty at the start).
 *
 * <p>Listed divergences: kernel pointers differ; the traces carry no program words, so each SUBMIT, with its own flags, masks
 * and ranges, is given a task array of linked programs of this test, and elapsed times are the model's; T1 holds only how
 * its submissions were cut, so that is what is replayed.
 */
class TraceReplayTest {
    private static final Pattern RANGE = Pattern.compile("\\{(?:task_start=)?(\\d+), ?(?:task_number=)?(\\d+)\\}");

    private final Map<String, Long> objects = new HashMap<>();
    private long addressShift;
    private boolean shifted;

    @ParameterizedTest
    @ValueSource(strings = {"L1", "L2", "A1", "O1"})
    void theBoardsCallsGiveTheBoardsAnswers(String trace) {
        int calls = 0;
        try (Board board = new Board(Rk3588Options.standard(), RknpuDriver.CARD_NODE);
                Arena arena = Arena.ofConfined()) {
            for (String line : Golden.lines("silicon/ioctl_traces.tsv")) {
                String[] f = line.split("\t", -1);
                if (f[0].equals(trace)) {
                    long answer = f[2].equals("submit")
                            ? submit(board, f[3])
                            : call(board.kernel, board.fd, arena, f[2], f[3]);
                    assertThat(Answer.value(answer)).as(line).isEqualTo(Integer.parseInt(f[4].trim()));
                    calls++;
                }
            }
        }
        assertThat(calls).isPositive();
    }

    private static List<int[]> ranges(String text) {
        return RANGE.matcher(text)
                .results()
                .map(range -> new int[] {Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2))})
                .toList();
    }

    /** L2 was logged after the call, A1 before, O1 both; what they share is asked for and compared. */
    private static long submit(Board board, String text) {
        // The ranges have fields of the same names.
        Map<String, Long> fields = fields(text.replaceAll("subcore_task.*", ""));
        int number = (int) value(fields, "task_number");
        try (Board other = new Board(board)) {
            Chain chain = new Chain(other, number);
            RknpuSubmit args = board.submission((int) value(fields, "flags"), chain.tasks, number);
            args.timeout((int) value(fields, "timeout"));
            args.coreMask((int) (long) fields.getOrDefault("core_mask", 0L));
            List<int[]> ranges = ranges(text);
            for (int i = 0; i < 3 && !ranges.isEmpty(); i++) {
                int[] range = ranges.get(text.contains("}x3") ? 0 : i);
                args.subcoreTask(i).taskStart(range[0]);
                args.subcoreTask(i).taskNumber(range[1]);
            }
            long answer = board.submit(args);
            assertThat(args.taskCounter()).isEqualTo(number);
            assertThat(args.fenceFd()).isEqualTo(-1);
            assertThat(args.coreMask()).isEqualTo(1);
            assertThat(args.hwElapseTime()).isBetween(11_000L, 200_000L);
            int ran = ranges.isEmpty() ? number : ranges.getFirst()[1];
            assertThat(chain.countRight()).as("programs that ran").isEqualTo(ran);
            return answer;
        }
    }

    /** The teaching book's inference: 120 announced tasks of which 40 and 10 run on one core, and 3 x 28 on three. */
    @Test
    void submissionsThatAreCutOverRangesAndCoresRunExactlyTheirRanges() {
        List<String> rows = Golden.lines("silicon/ioctl_traces.tsv").stream()
                .filter(line -> line.startsWith("T1\t"))
                .map(line -> line.split("\t", -1)[3])
                .toList();
        assertThat(rows).hasSize(2);
        List<int[]> single = ranges(rows.getFirst());
        List<int[]> triple = ranges(rows.getLast());
        int announced = number(rows.getFirst(), "(\\d+) tasks announced");
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 240);
            int[] first = single.getFirst();
            assertThat(submit(board, chain, 0x5, 1, announced, List.of(first, first, first)))
                    .isEqualTo(announced);
            assertRan(chain, List.of(first));
            int[] second = single.getLast();
            int more = number(rows.getFirst(), "task_number=(\\d+)");
            assertThat(submit(board, chain, 0x1, 1, more, List.of(second, second, second)))
                    .isEqualTo(more);
            assertRan(chain, List.of(first, second));
            int all = number(rows.getLast(), "task_number=(\\d+)");
            int[] none = {0, 0};
            assertThat(submit(
                            board,
                            chain,
                            0x5,
                            7,
                            all,
                            List.of(none, none, triple.get(0), triple.get(1), triple.get(2))))
                    .isEqualTo(all);
            assertRan(chain, List.of(first, second, triple.get(0), triple.get(1), triple.get(2)));
            assertThat(board.report.faults()).isEmpty();
            assertThat(board.driver.usage().jobs()).isZero();
        }
    }

    private static int number(String text, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        assertThat(found.find()).as(pattern).isTrue();
        return Integer.parseInt(found.group(1));
    }

    /** Submits and returns the task counter. */
    private static int submit(Board board, Chain chain, int flags, int mask, int number, List<int[]> ranges) {
        RknpuSubmit args = board.submission(flags, chain.tasks, number);
        args.coreMask(mask);
        for (int i = 0; i < ranges.size(); i++) {
            args.subcoreTask(i).taskStart(ranges.get(i)[0]);
            args.subcoreTask(i).taskNumber(ranges.get(i)[1]);
        }
        assertThat(board.submit(args)).isZero();
        return args.taskCounter();
    }

    private static void assertRan(Chain chain, List<int[]> ranges) {
        for (int step = 0; step < chain.steps; step++) {
            int at = step;
            boolean inside = ranges.stream().anyMatch(range -> at >= range[0] && at < range[0] + range[1]);
            assertThat(chain.isRight(step)).as("program %d", step).isEqualTo(inside);
        }
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
