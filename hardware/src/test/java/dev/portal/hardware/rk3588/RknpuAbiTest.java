package dev.portal.hardware.rk3588;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Against golden/rknpu-abi.tsv: the vendor header 0.9.8 compiled by gcc, sizes, offsets and numbers printed. */
class RknpuAbiTest {
    private static final Map<String, StructLayout> STRUCTS = Map.of(
            "rknpu_action", RknpuAction.LAYOUT,
            "rknpu_mem_create", RknpuMemCreate.LAYOUT,
            "rknpu_mem_map", RknpuMemMap.LAYOUT,
            "rknpu_mem_destroy", RknpuMemDestroy.LAYOUT,
            "rknpu_mem_sync", RknpuMemSync.LAYOUT,
            "rknpu_task", RknpuTask.LAYOUT,
            "rknpu_subcore_task", RknpuSubcoreTask.LAYOUT,
            "rknpu_submit", RknpuSubmit.LAYOUT);

    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("DRM_IOCTL_RKNPU_ACTION", RknpuAbi.DRM_ACTION),
            Map.entry("DRM_IOCTL_RKNPU_SUBMIT", RknpuAbi.DRM_SUBMIT),
            Map.entry("DRM_IOCTL_RKNPU_MEM_CREATE", RknpuAbi.DRM_MEM_CREATE),
            Map.entry("DRM_IOCTL_RKNPU_MEM_MAP", RknpuAbi.DRM_MEM_MAP),
            Map.entry("DRM_IOCTL_RKNPU_MEM_DESTROY", RknpuAbi.DRM_MEM_DESTROY),
            Map.entry("DRM_IOCTL_RKNPU_MEM_SYNC", RknpuAbi.DRM_MEM_SYNC),
            Map.entry("IOCTL_RKNPU_ACTION", RknpuAbi.HEAP_ACTION),
            Map.entry("IOCTL_RKNPU_SUBMIT", RknpuAbi.HEAP_SUBMIT),
            Map.entry("IOCTL_RKNPU_MEM_CREATE", RknpuAbi.HEAP_MEM_CREATE),
            Map.entry("IOCTL_RKNPU_MEM_MAP", RknpuAbi.HEAP_MEM_MAP),
            Map.entry("IOCTL_RKNPU_MEM_DESTROY", RknpuAbi.HEAP_MEM_DESTROY),
            Map.entry("IOCTL_RKNPU_MEM_SYNC", RknpuAbi.HEAP_MEM_SYNC),
            Map.entry("RKNPU_JOB_PC", RknpuAbi.JOB_PC),
            Map.entry("RKNPU_JOB_NONBLOCK", RknpuAbi.JOB_NONBLOCK),
            Map.entry("RKNPU_JOB_PINGPONG", RknpuAbi.JOB_PINGPONG),
            Map.entry("RKNPU_JOB_FENCE_IN", RknpuAbi.JOB_FENCE_IN),
            Map.entry("RKNPU_JOB_FENCE_OUT", RknpuAbi.JOB_FENCE_OUT),
            Map.entry("RKNPU_MEM_NON_CONTIGUOUS", RknpuAbi.MEM_NON_CONTIGUOUS),
            Map.entry("RKNPU_MEM_CACHEABLE", RknpuAbi.MEM_CACHEABLE),
            Map.entry("RKNPU_MEM_WRITE_COMBINE", RknpuAbi.MEM_WRITE_COMBINE),
            Map.entry("RKNPU_MEM_KERNEL_MAPPING", RknpuAbi.MEM_KERNEL_MAPPING),
            Map.entry("RKNPU_MEM_IOMMU", RknpuAbi.MEM_IOMMU),
            Map.entry("RKNPU_MEM_ZEROING", RknpuAbi.MEM_ZEROING),
            Map.entry("RKNPU_MEM_SECURE", RknpuAbi.MEM_SECURE),
            Map.entry("RKNPU_MEM_DMA32", RknpuAbi.MEM_DMA32),
            Map.entry("RKNPU_MEM_TRY_ALLOC_SRAM", RknpuAbi.MEM_TRY_ALLOC_SRAM),
            Map.entry("RKNPU_MEM_TRY_ALLOC_NBUF", RknpuAbi.MEM_TRY_ALLOC_NBUF),
            Map.entry("RKNPU_MEM_IOMMU_LIMIT_IOVA_ALIGNMENT", RknpuAbi.MEM_IOMMU_LIMIT_IOVA_ALIGNMENT),
            Map.entry("RKNPU_MEM_MASK", RknpuAbi.MEM_MASK),
            Map.entry("RKNPU_MEM_SYNC_TO_DEVICE", RknpuAbi.SYNC_TO_DEVICE),
            Map.entry("RKNPU_MEM_SYNC_FROM_DEVICE", RknpuAbi.SYNC_FROM_DEVICE),
            Map.entry("RKNPU_GET_HW_VERSION", RknpuAbi.ACTION_GET_HW_VERSION),
            Map.entry("RKNPU_GET_DRV_VERSION", RknpuAbi.ACTION_GET_DRV_VERSION),
            Map.entry("RKNPU_GET_FREQ", RknpuAbi.ACTION_GET_FREQ),
            Map.entry("RKNPU_ACT_RESET", RknpuAbi.ACTION_RESET),
            Map.entry("RKNPU_GET_BW_PRIORITY", RknpuAbi.ACTION_GET_BW_PRIORITY),
            Map.entry("RKNPU_ACT_CLR_TOTAL_RW_AMOUNT", RknpuAbi.ACTION_CLR_TOTAL_RW_AMOUNT),
            Map.entry("RKNPU_GET_TOTAL_RW_AMOUNT", RknpuAbi.ACTION_GET_TOTAL_RW_AMOUNT),
            Map.entry("RKNPU_GET_IOMMU_EN", RknpuAbi.ACTION_GET_IOMMU_EN),
            Map.entry("RKNPU_SET_PROC_NICE", RknpuAbi.ACTION_SET_PROC_NICE),
            Map.entry("RKNPU_POWER_ON", RknpuAbi.ACTION_POWER_ON),
            Map.entry("RKNPU_POWER_OFF", RknpuAbi.ACTION_POWER_OFF),
            Map.entry("RKNPU_GET_TOTAL_SRAM_SIZE", RknpuAbi.ACTION_GET_TOTAL_SRAM_SIZE),
            Map.entry("RKNPU_GET_FREE_SRAM_SIZE", RknpuAbi.ACTION_GET_FREE_SRAM_SIZE),
            Map.entry("RKNPU_GET_IOMMU_DOMAIN_ID", RknpuAbi.ACTION_GET_IOMMU_DOMAIN_ID),
            Map.entry("RKNPU_SET_IOMMU_DOMAIN_ID", RknpuAbi.ACTION_SET_IOMMU_DOMAIN_ID));

    private static StructLayout layout(String name) {
        return Objects.requireNonNull(STRUCTS.get(name), name);
    }

    /** One row: kind, name, what, value. */
    private static List<String[]> rows(String... kinds) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(RknpuAbiTest.class.getResourceAsStream("/golden/rknpu-abi.tsv")),
                StandardCharsets.UTF_8))) {
            return in.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t"))
                    .filter(row -> List.of(kinds).contains(row[0]))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyStructHasTheCompiledSizeAndEveryFieldItsOffset() {
        Set<String> seen = new HashSet<>();
        for (String[] row : rows("struct")) {
            assertThat(layout(row[1]).byteSize()).as(row[1]).isEqualTo(Long.parseLong(row[3]));
        }
        for (String[] row : rows("field")) {
            String[] name = row[1].split("\\.");
            String[] offsetAndSize = row[3].split(",");
            StructLayout layout = layout(name[0]);
            PathElement field = PathElement.groupElement(name[1]);
            assertThat(layout.byteOffset(field)).as(row[1]).isEqualTo(Long.parseLong(offsetAndSize[0]));
            assertThat(layout.select(field).byteSize()).as(row[1]).isEqualTo(Long.parseLong(offsetAndSize[1]));
            seen.add(row[1]);
        }
        Set<String> ours = STRUCTS.values().stream()
                .flatMap(layout -> layout.memberLayouts().stream()
                        .map(member -> layout.name().orElseThrow() + "."
                                + member.name().orElseThrow()))
                .collect(Collectors.toSet());
        assertThat(seen).isEqualTo(ours);
    }

    @Test
    void everyNumberIsTheCompiledOne() {
        assertThat(rows("ioctl", "const"))
                .hasSizeGreaterThan(40)
                .allSatisfy(row -> assertThat(NUMBERS.get(row[1]))
                        .as(row[1])
                        .isEqualTo(Integer.parseUnsignedInt(row[3].substring(2), 16)));
    }

    @Test
    void theOlderMemCreateIsFortyBytesUnderItsOwnRequestCode() {
        assertThat(RknpuMemCreate40.LAYOUT.byteSize()).isEqualTo(40);
        assertThat(RknpuAbi.DRM_MEM_CREATE_40).isEqualTo(0xC0286442);
        for (String field : List.of("handle", "flags", "size", "obj_addr", "dma_addr", "sram_size")) {
            assertThat(RknpuMemCreate40.LAYOUT.byteOffset(PathElement.groupElement(field)))
                    .isEqualTo(RknpuMemCreate.LAYOUT.byteOffset(PathElement.groupElement(field)));
        }
    }

    @Test
    void theGenericRequestsAreThoseOfTheKernel() {
        assertThat(Stream.of(
                        RknpuAbi.DRM_VERSION,
                        RknpuAbi.DRM_GEM_CLOSE,
                        RknpuAbi.DRM_PRIME_HANDLE_TO_FD,
                        RknpuAbi.DRM_PRIME_FD_TO_HANDLE,
                        RknpuAbi.DMA_HEAP_ALLOC,
                        RknpuAbi.DMA_BUF_SYNC))
                .containsExactly(0xC0406400, 0x40086409, 0xC00C642D, 0xC00C642E, 0xC0184800, 0x40086200);
    }

    @Test
    void accessorsReadAndWriteTheFieldOfTheirName() {
        try (Arena arena = Arena.ofConfined()) {
            RknpuSubmit submit = new RknpuSubmit(arena.allocate(RknpuSubmit.LAYOUT));
            submit.flags(5);
            submit.timeout(6000);
            submit.hwElapseTime(11_667);
            submit.fenceFd(-1);
            submit.subcoreTask(4).taskNumber(9);
            MemorySegment raw = submit.segment();
            assertThat(raw.get(ValueLayout.JAVA_INT, 4)).isEqualTo(6000);
            assertThat(raw.get(ValueLayout.JAVA_INT, 64 + 4 * 8 + 4)).isEqualTo(9);
            assertThat(submit.toString())
                    .contains("flags=0x5", "timeout=6000", "hw_elapse_time=11667", "fence_fd=-1")
                    .contains("subcore_task[4]={task_start=0 task_number=9}");
            assertThatThrownBy(() -> submit.subcoreTask(5)).hasMessageContaining("subcore_task[5] of 5");
            BiConsumer<Integer, String> version = (packed, text) ->
                    assertThat(RknpuAbi.driverVersionText(packed)).isEqualTo(text);
            version.accept(908, "0.9.8");
            version.accept(10_203, "1.2.3");
        }
    }
}
