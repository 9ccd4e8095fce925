package dev.portal.emulator.hexagon;

import dev.portal.emulator.Diagnostic.Severity;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * The way of a call: context, payload, message, the DSP's work, answer (spec 1.6, 1.7, 1.8). The caller holds the
 * device's lock, which is given up while it waits and while a graph computes.
 *
 * <p>The DSP's work is done by the thread that called, as long as it waits. When a signal takes it away, events of the
 * clock go on with the work: the DSP does not know that nobody waits any more.
 */
final class Calls {
    private static final long KERNEL_TIMEOUT = Fastrpc.KERNEL_INVOKE_TIMEOUT_S * 1_000_000_000L;
    private static final long LARGEST_PAYLOAD = 512L << 20;
    private static final long NEVER = Long.MAX_VALUE;

    final Dsp dsp;
    private final FastRpcDriver driver;
    private final Semaphore cores;
    private final Map<Long, CallContext> waiting = new HashMap<>();
    private final List<CallContext> live = new ArrayList<>();

    Calls(FastRpcDriver driver, Dsp dsp) {
        this.driver = driver;
        this.dsp = dsp;
        this.cores = new Semaphore(driver.options.parallelGraphs());
    }

    /** A call of the process's: the answer of INVOKE. */
    long invoke(FastRpcFile file, int handle, int scalars, CallArgument[] arguments) {
        long sent = send(file, handle, scalars, arguments, false);
        if (sent < 0) {
            return Answer.error((int) -sent);
        }
        CallContext context = file.context((int) sent);
        if (driver.fault(Kind.DSP_RESTART).map(this::restart).isPresent()) {
            return finish(file, context);
        }
        boolean module = handle < 0 || handle > Fastrpc.HANDLE_MAX_STATIC;
        if (module && driver.fault(Kind.INVOKE_RESENT).isPresent()) {
            return resend(file, context, arguments);
        }
        if (module && driver.fault(Kind.INVOKE_INTERRUPTED).isPresent()) {
            context.interrupt();
        }
        work(context, NEVER);
        return finish(file, context);
    }

    private boolean restart(Fault fault) {
        driver.restart(fault.amount());
        return true;
    }

    /** A signal with SA_RESTART: the wait is left, and the same call is sent in a new context (spec 1.8). */
    private long resend(FastRpcFile file, CallContext first, CallArgument[] arguments) {
        first.interrupt();
        work(first, NEVER);
        first.abandoned = true;
        CallArgument[] again = new CallArgument[arguments.length];
        for (int i = 0; i < again.length; i++) {
            again[i] = CallArgument.ofProcess(arguments[i].ptr, arguments[i].length, arguments[i].fd);
        }
        long sent = file.mapArguments(again) ? send(file, first.handle, first.scalars, again, false) : -Errno.EINVAL;
        if (sent < 0) {
            return Answer.error((int) -sent);
        }
        CallContext second = file.context((int) sent);
        work(second, NEVER);
        return finish(file, second);
    }

    /**
     * A call of the kernel's own, which waits ten seconds at most.
     *
     * @return the DSP's result in the low half, or an errno as {@link Answer} has it
     */
    long kernelCall(FastRpcFile file, int handle, int scalars, MemorySegment... buffers) {
        CallArgument[] arguments = new CallArgument[buffers.length];
        long ptr = Long.MIN_VALUE;
        for (int i = 0; i < buffers.length; i++) {
            arguments[i] = CallArgument.ofKernel(ptr, buffers[i]);
            ptr += AddressSpace.pages(buffers[i].byteSize() + 1);
        }
        long sent = send(file, handle, scalars, arguments, true);
        if (sent < 0) {
            return Answer.error((int) -sent);
        }
        CallContext context = file.context((int) sent);
        work(context, driver.clock.nanos() + KERNEL_TIMEOUT);
        return finish(file, context);
    }

    /** Context, payload, copies; the context's id, or minus the errno. */
    private long send(FastRpcFile file, int handle, int scalars, CallArgument[] arguments, boolean fromKernel) {
        Channel channel = file.channel;
        if (!channel.up) {
            file.dropMaps(arguments);
            return -Errno.EPIPE;
        }
        int id = channel.freeContext();
        if (id < 0) {
            file.dropMaps(arguments);
            return -Errno.ENOSPC;
        }
        CallContext context = new CallContext(
                id, file, handle, scalars, Thread.currentThread().threadId(), arguments, fromKernel);
        Payload payload = new Payload(arguments, scalars);
        long bytes = payload.measure();
        long address = bytes > LARGEST_PAYLOAD ? 0 : file.takeAddresses(bytes);
        if (address == 0) {
            file.dropMaps(arguments);
            return -Errno.ENOMEM;
        }
        context.payload = MemorySegment.ofArray(new byte[(int) AddressSpace.pages(bytes)]);
        context.payloadAddress = address;
        payload.layOut(context.payload, address, this::areaOffset);
        int errno = copyIn(context);
        if (errno != 0) {
            file.freeAddresses(address);
            file.dropMaps(arguments);
            return -errno;
        }
        channel.put(context);
        file.put(context);
        live.add(context);
        return id;
    }

    private long areaOffset(CallArgument argument) {
        DmaBufs.Place place = driver.buffers.at(argument.ptr);
        BufferMap map = argument.map;
        if (place != null && map != null && place.buffer() == map.buffer) {
            return place.offset();
        }
        driver.report.add(
                Severity.WRONG,
                "foreign-pointer",
                "a pointer of a call lies outside the process's mapping of descriptor " + argument.fd
                        + ": the DSP is given other pages without a word; point into the mapping (spec 1.6)");
        return place != null ? place.offset() : argument.ptr - driver.memory.areaStart(argument.ptr);
    }

    private int copyIn(CallContext context) {
        int inBuffers = Scalars.inBuffers(context.scalars);
        for (int i = 0; i < Scalars.buffers(context.scalars); i++) {
            CallArgument argument = context.arguments[i];
            BufferMap map = argument.map;
            if (map != null) {
                maintain(argument, map, true);
            } else if (i < inBuffers && argument.length > 0) {
                MemorySegment own = argument.kernelBytes;
                if (own == null && !driver.memory.readable(argument.ptr, argument.length)) {
                    return Errno.EFAULT;
                }
                MemorySegment from = own == null ? UserMemory.at(argument.ptr, argument.length) : own;
                MemorySegment.copy(from, 0, context.payload, offset(context, i), argument.length);
            }
        }
        return 0;
    }

    private static long offset(CallContext context, int index) {
        return Payload.offsetOf(context.payload, context.payloadAddress, index);
    }

    /** What the driver does for a buffer that a call carries by descriptor; one that is only mapped gets nothing. */
    private void maintain(CallArgument argument, BufferMap map, boolean before) {
        DmaBufs.Place place = driver.buffers.at(argument.ptr);
        if (place == null || place.buffer() != map.buffer) {
            return;
        }
        if (before) {
            map.buffer.clean(place.offset(), argument.length);
        } else {
            map.buffer.invalidate(place.offset(), argument.length);
        }
    }

    /** The DSP's part, and the wait for it. */
    private void work(CallContext context, long deadline) {
        dsp.telemetry.called();
        waiting.put(context.thread, context);
        try {
            RemoteCall call = new RemoteCall(context, driver.report);
            DspProcess process = dsp.process(call.client());
            long late = 0;
            if (process != null && process.isModule(call.handle())) {
                if (driver.fault(Kind.HUNG_INVOKE).isPresent()) {
                    process.hung = true;
                    await(context, deadline);
                    return;
                }
                late = driver.fault(Kind.LATE_REPLY).map(Fault::amount).orElse(0L);
                if (process.mustWait(call)) {
                    driver.lock.await(() -> left(context) || !process.mustWait(call), deadline);
                    if (left(context)) {
                        return;
                    }
                }
            }
            long travel = driver.options.invokeNanos() + Math.max(0, late);
            switch (dsp.handle(call)) {
                case Outcome.Reply(int result) -> {
                    if (travel == 0) {
                        complete(context, result);
                    } else {
                        driver.lock.at(driver.clock.nanos() + travel, () -> complete(context, result));
                    }
                }
                case Outcome.Run(GraphRun run) -> run(context, run, travel);
                case Outcome.Parked _ -> {}
            }
            await(context, deadline);
        } finally {
            waiting.remove(context.thread, context);
        }
    }

    private static boolean left(CallContext context) {
        return context.done() || context.interrupted() || !context.file.channel.isLive(context);
    }

    private void await(CallContext context, long deadline) {
        driver.lock.await(() -> left(context), deadline);
    }

    /** A graph, step by step, on the thread of its caller while that one waits. */
    private void run(CallContext context, GraphRun run, long travel) {
        int refused = run.begin();
        if (refused != 0) {
            driver.lock.at(driver.clock.nanos() + travel, () -> complete(context, refused));
            return;
        }
        long due = driver.clock.nanos() + travel;
        int step = 0;
        while (step < run.steps() && !run.wantsToStop()) {
            due += run.nanosOf(step);
            driver.lock.await(() -> left(context), due);
            if (left(context)) {
                later(context, run, step, due);
                return;
            }
            if (!compute(run, step)) {
                break;
            }
            step++;
            run.progressed(step);
        }
        complete(context, run.finish());
    }

    private boolean compute(GraphRun run, int step) {
        driver.lock.unlock();
        try {
            cores.acquireUninterruptibly();
            try {
                return run.compute(step);
            } finally {
                cores.release();
            }
        } finally {
            driver.lock.lock();
        }
    }

    /** The caller has left: events go on. */
    private void later(CallContext context, GraphRun run, int step, long due) {
        driver.lock.at(due, () -> {
            int done = step;
            if (!run.wantsToStop() && run.compute(step)) {
                done = step + 1;
                run.progressed(done);
                if (done < run.steps()) {
                    later(context, run, done, driver.clock.nanos() + run.nanosOf(done));
                    return;
                }
            }
            complete(context, run.finish());
        });
    }

    /** The DSP's answer arrives. */
    void complete(CallContext context, int result) {
        if (!context.file.channel.isLive(context)) {
            driver.log.add("qcom,fastrpc: No context ID matches response");
            driver.lock.wakeWaiters();
            return;
        }
        context.answer(result);
        driver.lock.wakeWaiters();
    }

    /** Copies back, frees the context, and says what the ioctl returns. An abandoned context stays until close. */
    private long finish(FastRpcFile file, CallContext context) {
        if (!context.done()) {
            context.abandoned = true;
            return Answer.error(context.interrupted() ? Errno.EINTR : Errno.ETIMEDOUT);
        }
        int errno = context.channelLost() ? 0 : copyOut(context);
        if (!context.channelLost()) {
            file.dropListed(context.payload, context.arguments.length);
        }
        end(context);
        if (context.channelLost()) {
            return Answer.error(Errno.EPIPE);
        }
        if (errno != 0) {
            return Answer.error(errno);
        }
        return asReturned(context.result());
    }

    /** The C library takes -4095 to -1 for an errno, and hands out everything else as it is (spec 1.5). */
    private static long asReturned(int result) {
        return result < 0 && result >= -4095 ? Answer.error(-result) : Answer.of(result);
    }

    private int copyOut(CallContext context) {
        int inBuffers = Scalars.inBuffers(context.scalars);
        for (int i = inBuffers; i < Scalars.buffers(context.scalars); i++) {
            CallArgument argument = context.arguments[i];
            BufferMap map = argument.map;
            if (map != null) {
                maintain(argument, map, false);
            } else if (argument.length > 0) {
                MemorySegment own = argument.kernelBytes;
                if (own == null && !driver.memory.writable(argument.ptr, argument.length)) {
                    return Errno.EFAULT;
                }
                MemorySegment to = own == null ? UserMemory.at(argument.ptr, argument.length) : own;
                MemorySegment.copy(context.payload, offset(context, i), to, 0, argument.length);
            }
        }
        return 0;
    }

    /** The context is over. */
    void end(CallContext context) {
        context.file.channel.remove(context);
        context.file.remove(context);
        live.remove(context);
        context.file.freeAddresses(context.payloadAddress);
        context.file.dropMaps(context.arguments);
    }

    /** The DSP is gone. */
    void loseChannel() {
        live.forEach(CallContext::loseChannel);
        driver.lock.wakeWaiters();
    }

    void interrupt(long thread) {
        CallContext context = waiting.get(thread);
        if (context != null && !context.fromKernel) {
            context.interrupt();
            driver.lock.wakeWaiters();
        }
    }

    /** The descriptors at the end of a payload's metadata, whose maps the DSP wants dropped. */
    static int listed(MemorySegment payload, int arguments, int index) {
        long at = 40L * arguments + 8L * index;
        return (int) payload.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }
}
