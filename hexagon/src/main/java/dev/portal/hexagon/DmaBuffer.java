package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.DmaBufSync;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Answer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Memory that both the processor and the DSP see.
 *
 * <p>Contents are lent: {@link #withData} and {@link #withDataMut} hand the memory to one thread at a time, bracketed by
 * a full fence and the kernel's DMA-BUF sync. The fence orders the processor's accesses and moves no cache line; the sync
 * moves lines, and is a no-op on coherent buffers (spec 1.11, 7.8). What was lent must not be kept.
 *
 * <p>Its owner closes it, and cannot while it is lent or a call holds it: the DSP may still write there. The other methods
 * may be called by any thread.
 */
public final class DmaBuffer implements AutoCloseable {
    /** The largest buffer, in bytes: 256 MB of 1024 * 1024 (scheduling seed). */
    public static final long MAX_DMA_ALLOC = 256L * 1024 * 1024;

    private static final int CLOSED = -1;

    /** Reads lent memory. */
    @FunctionalInterface
    public interface Reader<R> {
        R read(MemorySegment memory);
    }

    /** Writes lent memory. */
    @FunctionalInterface
    public interface Writer {
        void write(MemorySegment memory);
    }

    private final FastRpcSession session;
    private final int fd;
    private final String heap;
    private final MemorySegment memory;
    private final MemorySegment readOnly;
    private final DmaBufSync sync;

    /** Calls that hold it, or {@link #CLOSED}. */
    private final AtomicInteger held = new AtomicInteger();

    private final AtomicReference<@Nullable Thread> borrower = new AtomicReference<>();

    /** The DSP's address, or 0; written by the session under its lock. */
    private volatile long dspAddress;

    DmaBuffer(FastRpcSession session, int fd, String heap, MemorySegment memory) {
        this.session = session;
        this.fd = fd;
        this.heap = heap;
        this.memory = memory;
        this.readOnly = memory.asReadOnly();
        this.sync = new DmaBufSync(Arena.ofAuto().allocate(DmaBufSync.LAYOUT));
    }

    public long sizeBytes() {
        return memory.byteSize();
    }

    /** Which allocator it came from, such as {@code system} or {@code ALLOC_DMA_BUFF}. */
    public String heap() {
        return heap;
    }

    /** The descriptor; it is this buffer's to close. */
    public int fd() {
        return fd;
    }

    /**
     * The DSP's address of the first byte.
     *
     * @throws IllegalStateException when it is not mapped there; {@link FastRpcSession#mapToDsp} does that
     */
    public long dspAddress() {
        long address = dspAddress;
        if (address == 0) {
            throw new IllegalStateException(this + " is not mapped to the DSP");
        }
        return address;
    }

    public boolean isMappedToDsp() {
        return dspAddress != 0;
    }

    void dspAddress(long address) {
        dspAddress = address;
    }

    /** The processor's view, for the session and the frames of this package. */
    MemorySegment mapping() {
        return memory;
    }

    /**
     * Lends the contents for reading: what the DSP wrote before is visible.
     *
     * @throws IllegalStateException when it is closed, lent already, or held by a call
     */
    public <R> R withData(Reader<R> reader) {
        borrow();
        try {
            syncForRead();
            try {
                return reader.read(readOnly);
            } finally {
                syncAfterRead();
            }
        } finally {
            giveBack();
        }
    }

    /**
     * Lends the contents for writing: what is written is visible to the DSP afterwards.
     *
     * @throws IllegalStateException when it is closed, lent already, or held by a call
     */
    public void withDataMut(Writer writer) {
        borrow();
        try {
            syncForWrite();
            try {
                writer.write(memory);
            } finally {
                syncAfterWrite();
            }
        } finally {
            giveBack();
        }
    }

    /** Copies {@code bytes} from {@code source} to the start of the buffer. Allocates nothing. */
    void copyIn(MemorySegment source, long bytes) {
        borrow();
        try {
            syncForWrite();
            try {
                MemorySegment.copy(source, 0, memory, 0, bytes);
            } finally {
                syncAfterWrite();
            }
        } finally {
            giveBack();
        }
    }

    /** Copies {@code bytes} from the start of the buffer to {@code target}. Allocates nothing. */
    void copyOut(MemorySegment target, long bytes) {
        borrow();
        try {
            syncForRead();
            try {
                MemorySegment.copy(memory, 0, target, 0, bytes);
            } finally {
                syncAfterRead();
            }
        } finally {
            giveBack();
        }
    }

    private void borrow() {
        Thread thread = Thread.currentThread();
        Thread other = borrower.compareAndExchange(null, thread);
        if (other != null) {
            throw new IllegalStateException(
                    this + " is lent to thread '" + other.getName() + "'; its contents belong to one thread at a time");
        }
        int calls = held.get();
        if (calls != 0) {
            borrower.set(null);
            throw new IllegalStateException(
                    calls == CLOSED ? this + " is closed" : this + " is held by a call: the DSP may write it now");
        }
    }

    private void giveBack() {
        borrower.set(null);
    }

    void syncForRead() {
        sync(Fastrpc.SYNC_START | Fastrpc.SYNC_READ);
        VarHandle.fullFence();
    }

    void syncAfterRead() {
        VarHandle.fullFence();
        sync(Fastrpc.SYNC_END | Fastrpc.SYNC_READ);
    }

    void syncForWrite() {
        sync(Fastrpc.SYNC_START | Fastrpc.SYNC_RW);
        VarHandle.fullFence();
    }

    void syncAfterWrite() {
        VarHandle.fullFence();
        sync(Fastrpc.SYNC_END | Fastrpc.SYNC_RW);
    }

    private void sync(long flags) {
        sync.flags(flags);
        long answer = session.kernel().ioctl(fd, Fastrpc.DMA_BUF_SYNC, sync.segment());
        if (Answer.failed(answer)) {
            throw new HexagonException.Refused(
                    "DMA_BUF_IOCTL_SYNC of " + this,
                    Answer.errno(answer),
                    "the descriptor was closed by somebody else");
        }
    }

    /** A call that names it begins. */
    void retain() {
        held.updateAndGet(calls -> {
            if (calls == CLOSED) {
                throw new IllegalStateException(this + " is closed");
            }
            return calls + 1;
        });
    }

    /** The call has ended. */
    void release() {
        held.decrementAndGet();
    }

    /**
     * Unmaps it from the DSP and from the process, and gives the memory back.
     *
     * @throws IllegalStateException while it is lent or a call holds it
     */
    @Override
    public void close() {
        Thread reader = borrower.get();
        if (reader != null) {
            throw new IllegalStateException(this + " is lent to thread '" + reader.getName() + "'");
        }
        int calls = held.getAndUpdate(count -> count == 0 ? CLOSED : count);
        if (calls > 0) {
            throw new IllegalStateException(
                    this + " is in use: " + calls + " call(s) hold it, and the DSP may still write there");
        }
        if (calls == 0) {
            session.destroy(this);
        }
    }

    /**
     * For a session that ends, when no call can hold the buffer any more: nobody may read or write it from now on.
     *
     * @return false while it is lent; ask again
     * @throws IllegalStateException when the caller itself has borrowed it
     */
    boolean abandon() {
        Thread reader = borrower.compareAndExchange(null, Thread.currentThread());
        if (reader == Thread.currentThread() && held.get() != CLOSED) {
            throw new IllegalStateException("the session of " + this + " is closed by the thread that it is lent to");
        }
        if (reader != null && reader != Thread.currentThread()) {
            return held.get() == CLOSED;
        }
        held.set(CLOSED);
        return true;
    }

    @Override
    public String toString() {
        return "buffer " + fd + " (" + memory.byteSize() + " bytes of " + heap + ")";
    }
}
