/**
 * The FastRPC kernel driver, its DMA heaps, and the compute DSP behind it in software, after
 * spec/hexagon-and-voice.md sections 1 to 3 and 8.
 *
 * <p>{@link dev.portal.emulator.hexagon.FastRpcDriver} is the kernel side: nodes, sessions, contexts, maps, the checks of
 * each ioctl in their order, and the payload of each message byte by byte. {@link dev.portal.emulator.hexagon.Dsp} is the
 * firmware; {@link dev.portal.emulator.hexagon.DspProcess} a user process on it, with its address space, its modules and
 * its listener; {@link dev.portal.emulator.hexagon.QnnSkeleton} the module {@code portal_qnn}, which loads containers
 * ({@link dev.portal.emulator.hexagon.ContextBinary}, {@link dev.portal.emulator.hexagon.ModelLibrary}) and hands their
 * graphs to a {@link dev.portal.emulator.hexagon.GraphBackend}.
 *
 * <p>The DSP sees memory only through its own mappings, and of a cached buffer only what a sync made visible. Code of the
 * DSP runs on the thread of the call that it serves; where that caller has left, events of the clock carry it on.
 *
 * <p>Not modelled: HVX and VTCM, signed modules, the audio and sensor processes, dspqueue, other domains than the
 * compute DSP.
 */
@NullMarked
package dev.portal.emulator.hexagon;

import org.jspecify.annotations.NullMarked;
