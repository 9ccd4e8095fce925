package dev.portal.hardware.fastrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sizes, offsets and request numbers against the header of the installed kernel, through the C compiler. */
@Tag("slow")
class FastrpcHeaderTest {
    private static final Path COMPILER = Path.of("/usr/bin/gcc");
    private static final Path HEADER = Path.of("/usr/include/misc/fastrpc.h");

    /** What kernels older than 5.19 call otherwise. */
    private static final String ATTRIBUTE_OF_ARGUMENTS = "attr";

    @Test
    void theHeaderOfThisMachineAgrees(@TempDir Path folder) throws Exception {
        assumeTrue(Files.isExecutable(COMPILER), "no gcc on this machine: install gcc to check the FastRPC structs");
        assumeTrue(
                Files.exists(HEADER),
                "no misc/fastrpc.h on this machine: install linux-libc-dev to check the FastRPC structs");
        boolean hasAttribute = Files.readString(HEADER).contains("attr;");
        List<StructLayout> structs = new ArrayList<>(Structs.UAPI);
        structs.addAll(List.of(DmaHeap.LAYOUT, DmaBufSync.LAYOUT));
        StringBuilder c = new StringBuilder("""
                #include <stddef.h>
                #include <stdio.h>
                #include <linux/types.h>
                #include <linux/ioctl.h>
                #include <misc/fastrpc.h>
                #include <linux/dma-heap.h>
                #include <linux/dma-buf.h>
                #define N(name) printf(#name " %u\\n", (unsigned) (name));
                int main(void) {
                """);
        List<String> expected = new ArrayList<>();
        for (StructLayout struct : structs) {
            String name = struct.name().orElseThrow();
            c.append("printf(\"%s %zu\\n\", \"")
                    .append(name)
                    .append("\", sizeof(struct ")
                    .append(name)
                    .append("));\n");
            expected.add(name + " " + struct.byteSize());
            for (MemoryLayout member : struct.memberLayouts()) {
                String field = member.name().orElse("");
                if (field.isEmpty() || (field.equals(ATTRIBUTE_OF_ARGUMENTS) && !hasAttribute)) {
                    continue;
                }
                c.append("printf(\"%s %zu\\n\", \"").append(name).append('.').append(field);
                c.append("\", offsetof(struct ")
                        .append(name)
                        .append(", ")
                        .append(field)
                        .append("));\n");
                expected.add(name + "." + field + " " + struct.byteOffset(PathElement.groupElement(field)));
            }
        }
        for (String[] request : new String[][] {
            {"FASTRPC_IOCTL_ALLOC_DMA_BUFF", Integer.toUnsignedString(Fastrpc.ALLOC_DMA_BUFF)},
            {"FASTRPC_IOCTL_FREE_DMA_BUFF", Integer.toUnsignedString(Fastrpc.FREE_DMA_BUFF)},
            {"FASTRPC_IOCTL_INVOKE", Integer.toUnsignedString(Fastrpc.INVOKE)},
            {"FASTRPC_IOCTL_INIT_CREATE", Integer.toUnsignedString(Fastrpc.INIT_CREATE)},
            {"FASTRPC_IOCTL_MMAP", Integer.toUnsignedString(Fastrpc.MMAP)},
            {"FASTRPC_IOCTL_MUNMAP", Integer.toUnsignedString(Fastrpc.MUNMAP)},
            {"FASTRPC_IOCTL_MEM_MAP", Integer.toUnsignedString(Fastrpc.MEM_MAP)},
            {"FASTRPC_IOCTL_MEM_UNMAP", Integer.toUnsignedString(Fastrpc.MEM_UNMAP)},
            {"FASTRPC_IOCTL_GET_DSP_INFO", Integer.toUnsignedString(Fastrpc.GET_DSP_INFO)},
            {"DMA_HEAP_IOCTL_ALLOC", Integer.toUnsignedString(Fastrpc.DMA_HEAP_ALLOC)},
            {"DMA_BUF_IOCTL_SYNC", Integer.toUnsignedString(Fastrpc.DMA_BUF_SYNC)},
        }) {
            c.append("N(").append(request[0]).append(")\n");
            expected.add(request[0] + " " + request[1]);
        }
        c.append("return 0; }\n");
        Path source = folder.resolve("abi.c");
        Path program = folder.resolve("abi");
        Files.writeString(source, c);
        run(COMPILER.toString(), "-o", program.toString(), source.toString());
        assertThat(Objects.requireNonNull(run(program.toString())).strip().lines())
                .containsExactlyElementsOf(expected);
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
