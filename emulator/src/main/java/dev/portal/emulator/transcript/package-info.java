/**
 * Transcripts of a process's talk with FastRPC: recorded at the kernel's seam, dumped as text, read again, and replayed on
 * another kernel, a board's or an emulated one, with every difference named. That is how the model of the driver and the
 * DSP is to earn trust.
 *
 * <p>One call is one line, words with a blank between them, numbers in hexadecimal:
 *
 * <pre>
 *   open   n=0 t=1200 thread=1 path=/dev/fastrpc-cdsp-secure flags=102 ret=3 errno=0
 *   ioctl  n=7 t=90f0 thread=1 fd=3 request=c0105203 in=… out=… args=… inline=i:…,i:… outline=i:… ret=0 errno=0
 *   mmap   n=5 t=8000 thread=1 fd=5 offset=0 length=1000 address=7f… errno=0
 *   sync   as ioctl, with the buffer's bytes at the end of a write and the begin of a read: data=…
 * </pre>
 */
@NullMarked
package dev.portal.emulator.transcript;

import org.jspecify.annotations.NullMarked;
