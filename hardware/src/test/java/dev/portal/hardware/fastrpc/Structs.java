package dev.portal.hardware.fastrpc;

import java.lang.foreign.StructLayout;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every struct of the package by its C name. */
final class Structs {
    /** Those of the user's header. */
    static final List<StructLayout> UAPI = List.of(
            Invoke.LAYOUT,
            InvokeArgs.LAYOUT,
            InitCreate.LAYOUT,
            AllocDmaBuf.LAYOUT,
            ReqMmap.LAYOUT,
            ReqMunmap.LAYOUT,
            MemMap.LAYOUT,
            MemUnmap.LAYOUT,
            Capability.LAYOUT);

    /** Those that no installed header has, and those of DMA heaps and DMA-BUF. */
    static final List<StructLayout> OTHERS =
            List.of(InitCreateStatic.LAYOUT, SetOption.LAYOUT, DmaHeap.LAYOUT, DmaBufSync.LAYOUT);

    static final List<StructLayout> WIRE = List.of(
            WireMessage.LAYOUT,
            WireResponse.LAYOUT,
            WireBuffer.LAYOUT,
            WireDmaHandle.LAYOUT,
            WireInvokeBuf.LAYOUT,
            WirePage.LAYOUT,
            WireMmapRequest.LAYOUT,
            WireMmapResponse.LAYOUT,
            WireMunmapRequest.LAYOUT,
            WireMemMapRequest.LAYOUT,
            WireMemUnmapRequest.LAYOUT,
            WireCreate.LAYOUT,
            WireCreateStatic.LAYOUT);

    static final Map<String, StructLayout> ALL = Stream.of(UAPI, OTHERS, WIRE)
            .flatMap(List::stream)
            .collect(Collectors.toMap(layout -> layout.name().orElseThrow(), Function.identity()));

    private Structs() {}
}
