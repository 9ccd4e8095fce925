/**
 * Tensors to the Hexagon DSP and back: sessions, DMA-BUFs, the verified shell, remote modules, QNN graphs as jobs.
 *
 * <pre>
 *   QnnGraphJob ─► QnnGraph ─► CallFrame ─► FastRpcSession ─► InvokeThreads ─► Kernel.ioctl(INVOKE)
 *                     │                         │                  ▲
 *                 DmaBuffer ◄── DmaAllocator ───┘              Watchdog: hung calls, aborts
 * </pre>
 *
 * <p>{@link dev.portal.hexagon.HexagonRuntime} owns one session at a time and makes a new one after a restart of the DSP.
 */
@NullMarked
package dev.portal.hexagon;

import org.jspecify.annotations.NullMarked;
