package dev.portal.hardware.fastrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.hardware.fastrpc.Golden.Row;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every number of the package against the golden file, which neither driver nor emulator wrote. */
class FastrpcAbiTest {
    /** Of the C library and the processor, not of this package: {@code Kernel}, {@code Open} and {@code Errno} have them. */
    private static final Set<String> ELSEWHERE = Set.of("O_", "PR", "MA", "E");

    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("FASTRPC_IOCTL_ALLOC_DMA_BUFF", Fastrpc.ALLOC_DMA_BUFF),
            Map.entry("FASTRPC_IOCTL_FREE_DMA_BUFF", Fastrpc.FREE_DMA_BUFF),
            Map.entry("FASTRPC_IOCTL_INVOKE", Fastrpc.INVOKE),
            Map.entry("FASTRPC_IOCTL_INIT_ATTACH", Fastrpc.INIT_ATTACH),
            Map.entry("FASTRPC_IOCTL_INIT_CREATE", Fastrpc.INIT_CREATE),
            Map.entry("FASTRPC_IOCTL_MMAP", Fastrpc.MMAP),
            Map.entry("FASTRPC_IOCTL_MUNMAP", Fastrpc.MUNMAP),
            Map.entry("FASTRPC_IOCTL_INIT_ATTACH_SNS", Fastrpc.INIT_ATTACH_SNS),
            Map.entry("FASTRPC_IOCTL_INIT_CREATE_STATIC", Fastrpc.INIT_CREATE_STATIC),
            Map.entry("FASTRPC_IOCTL_MEM_MAP", Fastrpc.MEM_MAP),
            Map.entry("FASTRPC_IOCTL_MEM_UNMAP", Fastrpc.MEM_UNMAP),
            Map.entry("FASTRPC_IOCTL_GET_DSP_INFO", Fastrpc.GET_DSP_INFO),
            Map.entry("DMA_HEAP_IOCTL_ALLOC", Fastrpc.DMA_HEAP_ALLOC),
            Map.entry("DMA_BUF_IOCTL_SYNC", Fastrpc.DMA_BUF_SYNC),
            Map.entry("DMA_BUF_SET_NAME_A", Fastrpc.DMA_BUF_SET_NAME_A),
            Map.entry("DMA_BUF_SET_NAME_B", Fastrpc.DMA_BUF_SET_NAME_B),
            Map.entry("DMA_BUF_IOCTL_EXPORT_SYNC_FILE", Fastrpc.DMA_BUF_EXPORT_SYNC_FILE),
            Map.entry("DMA_BUF_IOCTL_IMPORT_SYNC_FILE", Fastrpc.DMA_BUF_IMPORT_SYNC_FILE),
            Map.entry("FASTRPC_IOCTL_SET_OPTION", Fastrpc.SET_OPTION),
            Map.entry("FASTRPC_MAP_STATIC", Fastrpc.MAP_STATIC),
            Map.entry("FASTRPC_MAP_RESERVED", Fastrpc.MAP_RESERVED),
            Map.entry("FASTRPC_MAP_FD", Fastrpc.MAP_FD),
            Map.entry("FASTRPC_MAP_FD_DELAYED", Fastrpc.MAP_FD_DELAYED),
            Map.entry("FASTRPC_MAP_FD_NOMAP", Fastrpc.MAP_FD_NOMAP),
            Map.entry("FASTRPC_MAP_MAX", Fastrpc.MAP_MAX),
            Map.entry("FASTRPC_MODE_DEBUG", Fastrpc.MODE_DEBUG),
            Map.entry("FASTRPC_MODE_PTRACE", Fastrpc.MODE_PTRACE),
            Map.entry("FASTRPC_MODE_CRC", Fastrpc.MODE_CRC),
            Map.entry("FASTRPC_MODE_UNSIGNED_MODULE", Fastrpc.MODE_UNSIGNED_MODULE),
            Map.entry("FASTRPC_MODE_ADAPTIVE_QOS", Fastrpc.MODE_ADAPTIVE_QOS),
            Map.entry("FASTRPC_MODE_SYSTEM_PROCESS", Fastrpc.MODE_SYSTEM_PROCESS),
            Map.entry("FASTRPC_MODE_PRIVILEGED", Fastrpc.MODE_PRIVILEGED),
            Map.entry("FASTRPC_ATTR_SECUREMAP", Fastrpc.ATTR_SECUREMAP),
            Map.entry("DMA_HEAP_VALID_FD_FLAGS", Fastrpc.DMA_HEAP_VALID_FD_FLAGS),
            Map.entry("DMA_HEAP_VALID_HEAP_FLAGS", (int) Fastrpc.DMA_HEAP_VALID_HEAP_FLAGS),
            Map.entry("DMA_BUF_SYNC_READ", (int) Fastrpc.SYNC_READ),
            Map.entry("DMA_BUF_SYNC_WRITE", (int) Fastrpc.SYNC_WRITE),
            Map.entry("DMA_BUF_SYNC_RW", (int) Fastrpc.SYNC_RW),
            Map.entry("DMA_BUF_SYNC_START", (int) Fastrpc.SYNC_START),
            Map.entry("DMA_BUF_SYNC_END", (int) Fastrpc.SYNC_END),
            Map.entry("DMA_BUF_SYNC_VALID_FLAGS_MASK", (int) Fastrpc.SYNC_VALID_FLAGS_MASK),
            Map.entry("DMA_BUF_NAME_LEN", Fastrpc.DMA_BUF_NAME_LEN),
            Map.entry("FASTRPC_DEV_MAX_6_1", Fastrpc.DEV_MAX_6_1),
            Map.entry("FASTRPC_MAX_SESSIONS", Fastrpc.MAX_SESSIONS),
            Map.entry("FASTRPC_CTX_MAX", Fastrpc.CTX_MAX),
            Map.entry("FASTRPC_CTXID_MASK", Fastrpc.CTXID_MASK),
            Map.entry("FASTRPC_ALIGN", Fastrpc.ALIGN),
            Map.entry("FASTRPC_MAX_FDLIST", Fastrpc.MAX_FDLIST),
            Map.entry("FASTRPC_MAX_CRCLIST", Fastrpc.MAX_CRCLIST),
            Map.entry("INIT_FILELEN_MAX", Fastrpc.INIT_FILELEN_MAX),
            Map.entry("INIT_FILE_NAMELEN_MAX", Fastrpc.INIT_FILE_NAMELEN_MAX),
            Map.entry("FASTRPC_MAX_DSP_ATTRIBUTES", Fastrpc.MAX_DSP_ATTRIBUTES),
            Map.entry("FASTRPC_MAX_VMIDS", Fastrpc.MAX_VMIDS),
            Map.entry("kernel_invoke_timeout_s", Fastrpc.KERNEL_INVOKE_TIMEOUT_S),
            Map.entry("handle remotectl", Fastrpc.HANDLE_REMOTECTL),
            Map.entry("handle kernel_init", Fastrpc.HANDLE_KERNEL),
            Map.entry("handle dsp_utilities", Fastrpc.HANDLE_DSP_UTILITIES),
            Map.entry("handle adsp_listener", Fastrpc.HANDLE_LISTENER),
            Map.entry("handle adsp_current_process1", Fastrpc.HANDLE_CURRENT_PROCESS1),
            Map.entry("handle adspmsgd_adsp1", Fastrpc.HANDLE_MSGD1),
            Map.entry("handle adsp_perf", Fastrpc.HANDLE_PERF),
            Map.entry("handle adsp_listener1", Fastrpc.HANDLE_LISTENER1),
            Map.entry("handle remotectl1", Fastrpc.HANDLE_REMOTECTL1),
            Map.entry("handle adsp_perf1", Fastrpc.HANDLE_PERF1),
            Map.entry("handle max_static", Fastrpc.HANDLE_MAX_STATIC),
            Map.entry("domain adsp", Fastrpc.DOMAIN_ADSP),
            Map.entry("domain mdsp", Fastrpc.DOMAIN_MDSP),
            Map.entry("domain sdsp", Fastrpc.DOMAIN_SDSP),
            Map.entry("domain cdsp", Fastrpc.DOMAIN_CDSP),
            Map.entry("domain cdsp1", Fastrpc.DOMAIN_CDSP1),
            Map.entry("domain gdsp0", Fastrpc.DOMAIN_GDSP0),
            Map.entry("domain gdsp1", Fastrpc.DOMAIN_GDSP1),
            Map.entry("domain user_session_stride", Fastrpc.SESSION_STRIDE),
            Map.entry("pd root_or_audio", Fastrpc.PD_ROOT),
            Map.entry("pd user", Fastrpc.PD_USER),
            Map.entry("pd sensors", Fastrpc.PD_SENSORS),
            Map.entry("attr ENABLE_PDDUMP", Fastrpc.MODE_ENABLE_PDDUMP),
            Map.entry("attr DEBUG_PDDUMP", Fastrpc.MODE_DEBUG_PDDUMP),
            Map.entry("attr PERF_KERNEL", Fastrpc.MODE_PERF_KERNEL),
            Map.entry("attr PERF_DSP", Fastrpc.MODE_PERF_DSP),
            Map.entry("attr ENABLE_IREGION_LOG", Fastrpc.MODE_ENABLE_IREGION_LOG),
            Map.entry("attr ENABLE_QTF_TRACING", Fastrpc.MODE_ENABLE_QTF_TRACING),
            Map.entry("attr ENABLE_UAF", Fastrpc.MODE_ENABLE_UAF),
            Map.entry("attr SYSTEM_UNSIGNED_PD", Fastrpc.MODE_SYSTEM_UNSIGNED_PD),
            Map.entry("attr LOG_PACKET", Fastrpc.MODE_LOG_PACKET),
            Map.entry("mmap ADSP_MMAP_HEAP_ADDR", Fastrpc.MMAP_HEAP),
            Map.entry("mmap ADSP_MMAP_DMA_BUFFER", Fastrpc.MMAP_DMA_BUFFER),
            Map.entry("mmap ADSP_MMAP_REMOTE_HEAP_ADDR", Fastrpc.MMAP_REMOTE_HEAP),
            Map.entry("mmap ADSP_MMAP_ADD_PAGES", Fastrpc.MMAP_ADD_PAGES),
            Map.entry("mmap ADSP_MMAP_ADD_PAGES_LLC", Fastrpc.MMAP_ADD_PAGES_LLC),
            Map.entry("attribute DOMAIN_SUPPORT", Fastrpc.ATTRIBUTE_DOMAIN_SUPPORT),
            Map.entry("attribute UNSIGNED_PD_SUPPORT", Fastrpc.ATTRIBUTE_UNSIGNED_PD_SUPPORT),
            Map.entry("attribute HVX_SUPPORT_64B", Fastrpc.ATTRIBUTE_HVX_SUPPORT_64B),
            Map.entry("attribute HVX_SUPPORT_128B", Fastrpc.ATTRIBUTE_HVX_SUPPORT_128B),
            Map.entry("attribute VTCM_PAGE", Fastrpc.ATTRIBUTE_VTCM_PAGE),
            Map.entry("attribute VTCM_COUNT", Fastrpc.ATTRIBUTE_VTCM_COUNT),
            Map.entry("attribute ARCH_VER", Fastrpc.ATTRIBUTE_ARCH_VER),
            Map.entry("attribute HMX_SUPPORT_DEPTH", Fastrpc.ATTRIBUTE_HMX_SUPPORT_DEPTH),
            Map.entry("attribute HMX_SUPPORT_SPATIAL", Fastrpc.ATTRIBUTE_HMX_SUPPORT_SPATIAL),
            Map.entry("attribute ASYNC_FASTRPC_SUPPORT", Fastrpc.ATTRIBUTE_ASYNC_FASTRPC_SUPPORT),
            Map.entry("attribute STATUS_NOTIFICATION_SUPPORT", Fastrpc.ATTRIBUTE_STATUS_NOTIFICATION_SUPPORT),
            Map.entry("attribute MCID_MULTICAST", Fastrpc.ATTRIBUTE_MCID_MULTICAST),
            Map.entry("attribute PERF_V2_DSP_SUPPORT", Fastrpc.ATTRIBUTE_PERF_V2_DSP_SUPPORT),
            Map.entry("attribute MAP_DMA_HANDLE_REVERSERPC", Fastrpc.ATTRIBUTE_MAP_DMA_HANDLE_REVERSERPC),
            Map.entry("attribute DSPSIGNAL_DSP_SUPPORT", Fastrpc.ATTRIBUTE_DSPSIGNAL_DSP_SUPPORT),
            Map.entry("attribute PROC_SHARED_BUFFER_SUPPORT", Fastrpc.ATTRIBUTE_PROC_SHARED_BUFFER_SUPPORT),
            Map.entry("attribute PERF_V2_DRIVER_SUPPORT", Fastrpc.ATTRIBUTE_PERF_V2_DRIVER_SUPPORT),
            Map.entry("attribute DRIVER_ERROR_CODE_CHANGE", Fastrpc.ATTRIBUTE_DRIVER_ERROR_CODE_CHANGE),
            Map.entry("attribute USERSPACE_ALLOCATION_SUPPORT", Fastrpc.ATTRIBUTE_USERSPACE_ALLOCATION_SUPPORT),
            Map.entry("attribute DSPSIGNAL_DRIVER_SUPPORT", Fastrpc.ATTRIBUTE_DSPSIGNAL_DRIVER_SUPPORT),
            Map.entry("sc INIT_ATTACH", Scalars.KERNEL_ATTACH),
            Map.entry("sc INIT_RELEASE", Scalars.KERNEL_RELEASE),
            Map.entry("sc INIT_MMAP", Scalars.KERNEL_MMAP),
            Map.entry("sc INIT_MUNMAP", Scalars.KERNEL_MUNMAP),
            Map.entry("sc INIT_CREATE", Scalars.KERNEL_CREATE),
            Map.entry("sc INIT_CREATE_ATTR", Scalars.KERNEL_CREATE_ATTR),
            Map.entry("sc INIT_CREATE_STATIC", Scalars.KERNEL_CREATE_STATIC),
            Map.entry("sc INIT_MEM_MAP", Scalars.KERNEL_MEM_MAP),
            Map.entry("sc INIT_MEM_UNMAP", Scalars.KERNEL_MEM_UNMAP),
            Map.entry("sc GET_ATTRIBUTES(handle 2)", Scalars.KERNEL_GET_ATTRIBUTES),
            Map.entry("sc remotectl_open (handle 0, method 0)", RemotectlWire.OPEN_SCALARS),
            Map.entry("sc remotectl_close (handle 0, method 1)", RemotectlWire.CLOSE_SCALARS),
            Map.entry("sc remotectl1_open1 (handle 8, method 2)", RemotectlWire.OPEN1_SCALARS),
            Map.entry("sc remotectl1_close1 (handle 8, method 3)", RemotectlWire.CLOSE1_SCALARS),
            Map.entry("sc adsp_listener_next2 (handle 3, method 4)", ListenerWire.NEXT2_SCALARS),
            Map.entry("qnn max_models", QnnWire.MAX_MODELS),
            Map.entry("qnn max_graphs_per_model", QnnWire.MAX_GRAPHS_PER_MODEL));

    private static StructLayout layout(String name) {
        return Objects.requireNonNull(Structs.ALL.get(name), name);
    }

    @Test
    void everyStructHasTheGoldenSizeAndEveryFieldItsOffset() {
        Set<String> seen = new HashSet<>();
        for (Row row : Golden.rows("struct", "wire")) {
            assertThat(layout(row.name()).byteSize()).as(row.name()).isEqualTo(row.number());
        }
        for (Row row : Golden.rows("field")) {
            String[] name = row.name().split("\\.", -1);
            PathElement field = PathElement.groupElement(name[1]);
            assertThat(layout(name[0]).byteOffset(field)).as(row.name()).isEqualTo(row.part(0));
            assertThat(layout(name[0]).select(field).byteSize()).as(row.name()).isEqualTo(row.part(1));
            seen.add(row.name());
        }
        Set<String> ours = Structs.ALL.values().stream()
                .flatMap(layout -> layout.memberLayouts().stream()
                        .filter(member -> member.name().isPresent())
                        .map(member -> layout.name().orElseThrow() + "."
                                + member.name().orElseThrow()))
                .collect(Collectors.toSet());
        assertThat(seen).isEqualTo(ours);
    }

    @Test
    void everyNumberIsTheGoldenOne() {
        Set<String> seen = new HashSet<>();
        for (Row row :
                Golden.rows("ioctl", "const", "limit", "handle", "domain", "pd", "attr", "mmap", "attribute", "sc")) {
            String key = List.of("ioctl", "const", "limit").contains(row.kind())
                    ? row.name()
                    : row.kind() + " " + row.name();
            boolean elsewhere = row.kind().equals("const") && ELSEWHERE.stream().anyMatch(row.name()::startsWith);
            if (!elsewhere && !row.name().equals("page_size")) {
                assertThat(NUMBERS.get(key)).as(key).isEqualTo(row.number());
                seen.add(key);
            }
        }
        assertThat(seen).hasSizeGreaterThan(120);
    }

    @Test
    void theRulesOfTheDriverAreTheGoldenOnes() {
        // align_up(max(2 MiB, 4 * filelen), 1 MiB)
        assertThat(Fastrpc.initMemoryBytes(1)).isEqualTo(2 << 20);
        assertThat(Fastrpc.initMemoryBytes(1 << 19)).isEqualTo(2 << 20);
        assertThat(Fastrpc.initMemoryBytes((1 << 19) + 1)).isEqualTo(3 << 20);
        assertThat(Fastrpc.initMemoryBytes(Fastrpc.INIT_FILELEN_MAX)).isEqualTo(8 << 20);
        // metadata size = 40 N + 128 + 256
        assertThat(Fastrpc.payloadMetadataBytes(0)).isEqualTo(384);
        assertThat(Fastrpc.payloadMetadataBytes(7)).isEqualTo(384 + 280);
    }

    @Test
    void accessorsReadAndWriteTheFieldOfTheirName() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment raw = arena.allocate(MemMap.LAYOUT);
            MemMap map = new MemMap(raw);
            map.fd(7);
            map.flags(Fastrpc.MAP_FD_DELAYED);
            map.vaddrin(0x7f00_0000_1000L);
            map.length(8192);
            map.vaddrout(0xbfff_0000L);
            assertThat(raw.get(ValueLayout.JAVA_INT, 4)).isEqualTo(7);
            assertThat(raw.get(ValueLayout.JAVA_INT, 12)).isEqualTo(3);
            assertThat(raw.get(ValueLayout.JAVA_LONG, 32)).isEqualTo(0xbfff_0000L);
            assertThat(map.toString())
                    .isEqualTo("version=0 fd=7 offset=0 flags=0x3 vaddrin=0x7f0000001000 length=8192"
                            + " vaddrout=0xbfff0000 attrs=0x0");
            MemorySegment args = arena.allocate(InvokeArgs.LAYOUT, 3);
            InvokeArgs.at(args, 2).fd(Fastrpc.NO_FD);
            assertThat(args.get(ValueLayout.JAVA_INT, 2 * 24 + 16)).isEqualTo(-1);
            assertThatThrownBy(() -> InvokeArgs.at(args, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            MemorySegment capability = arena.allocate(28, 4);
            new Capability(capability).capability(0xffff_ffff);
            assertThat(capability.get(ValueLayout.JAVA_INT, 8)).isEqualTo(-1);
        }
    }

    @Test
    void aRequestIsNamedAndAWrongSizeIsNot() {
        assertThat(Fastrpc.requestName(Fastrpc.MEM_MAP)).isEqualTo("MEM_MAP");
        assertThat(Fastrpc.requestName(0xC0105201)).isEqualTo("ALLOC_DMA_BUFF");
        assertThat(Fastrpc.requestName(0xC030520A)).isEqualTo("ioctl 0xc030520a");
    }
}
