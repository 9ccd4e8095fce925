/**
 * The RK3588 NPU and its vendor kernel driver 0.9.8 in software, after spec/rk3588-npu.md.
 *
 * <p>{@link dev.portal.emulator.rk3588.RknpuDriver} is the kernel side: ioctls, jobs, queues, time-outs, resets. {@link
 * dev.portal.emulator.rk3588.CoreModel} is one core: the program controller fetches register programs from modelled
 * DRAM, the engine computes, the output stage converts and writes. A register write never does the work: it books an
 * event. Modelled: matrix products in int8 and fp16. Not modelled: pooling, lookup tables, convolutions with a window,
 * the elementwise stage as part of a program, other precisions; programs that ask for them are reported.
 */
@NullMarked
package dev.portal.emulator.rk3588;

import org.jspecify.annotations.NullMarked;
