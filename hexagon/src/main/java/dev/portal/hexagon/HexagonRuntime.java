package dev.portal.hexagon;

import dev.portal.base.Clock;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.FileStatus;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The compute DSP of this process: one session at a time with its verified shell, its skeleton and the models that are to
 * be there. After a restart of the DSP, or a hung call, the next use opens a new session and loads the models again.
 *
 * <p>Any thread. {@link #close} ends everything in order.
 */
public final class HexagonRuntime implements AutoCloseable {
    private static final long RETRY_NANOS = 20_000_000L;

    /** What belongs to one session. */
    private record Connection(FastRpcSession session, RemoteModule module) {
        void close() {
            session.close();
        }
    }

    private final Kernel kernel;
    private final Kernel files;
    private final Clock clock;
    private final HexagonOptions options;
    private final ShellPolicy shell;
    private final InvokeThreads threads;
    private final boolean threaded;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<HexagonModel> models = new ArrayList<>();
    private final AtomicLong sessions = new AtomicLong();
    private volatile @Nullable Connection connection;
    private boolean closed;

    private HexagonRuntime(
            Kernel kernel, Kernel files, Clock clock, HexagonOptions options, ShellPolicy shell, boolean threaded) {
        this.kernel = kernel;
        this.files = files;
        this.clock = clock;
        this.options = options;
        this.shell = shell;
        this.threaded = threaded;
        this.threads =
                threaded ? InvokeThreads.start(kernel, clock, options) : InvokeThreads.stepped(kernel, clock, options);
    }

    /**
     * Opens the DSP.
     *
     * @param kernel of the DSP: the machine's, or the emulator's
     * @param files of the shell and the models; the machine's also where the DSP is emulated
     * @throws HexagonException when there is none, it may not be opened, or its shell is refused; nothing is left open
     */
    public static HexagonRuntime start(
            Kernel kernel, Kernel files, Clock clock, HexagonOptions options, ShellPolicy shell) {
        return opened(new HexagonRuntime(kernel, files, clock, options, shell, true));
    }

    /** The same without a watchdog's thread: {@link #watch()} takes its looks. For simulations. */
    public static HexagonRuntime stepped(
            Kernel kernel, Kernel files, Clock clock, HexagonOptions options, ShellPolicy shell) {
        return opened(new HexagonRuntime(kernel, files, clock, options, shell, false));
    }

    private static HexagonRuntime opened(HexagonRuntime runtime) {
        try {
            runtime.connection = runtime.connect();
            return runtime;
        } catch (RuntimeException | Error e) {
            runtime.threads.close();
            throw e;
        }
    }

    private Connection connect() {
        FastRpcSession session = FastRpcSession.open(kernel, clock, options, threads);
        try {
            loadShell(session);
            if (options.listener()) {
                ReverseListener.start(session, new ReverseServices(Map.of()));
            }
            RemoteModule module = RemoteModule.open(session, options.skeletonUri());
            sessions.incrementAndGet();
            return new Connection(session, module);
        } catch (RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    /** The shell is read once, into the buffer that the kernel is given, and judged there (spec 7.4). */
    private void loadShell(FastRpcSession session) {
        byte[] signature = ShellFile.signatureOf(files, shell.path(), shell.ownerUid());
        try (ShellFile file = ShellFile.open(files, shell.path(), shell.ownerUid());
                DmaBuffer buffer = session.allocate(file.sizeBytes())) {
            buffer.withDataMut(file::readInto);
            long size = file.sizeBytes();
            buffer.<Boolean>withData(memory -> {
                new ShellVerifier(shell, clock).verify(memory.asSlice(0, size), signature);
                return true;
            });
            session.createProcess(buffer, (int) size);
        }
    }

    /**
     * Loads a model and keeps it there.
     *
     * @param name for messages
     * @param path its file, at most {@link DmaBuffer#MAX_DMA_ALLOC}
     * @param graphs what it declares, at most 8
     * @throws HexagonException.BudgetExceeded when four models are loaded, or addresses run out
     */
    public HexagonModel load(String name, String path, List<GraphSpec> graphs) {
        lock.lock();
        try {
            if (models.size() >= QnnWire.MAX_MODELS) {
                throw new HexagonException.BudgetExceeded("model " + name + " would be one more than the "
                        + QnnWire.MAX_MODELS + " that fit into the DSP's table: " + models + "; unload one");
            }
            HexagonModel model = new HexagonModel(name, path, graphs);
            Connection now = connected(clock.nanos() + options.restartWaitNanos());
            model.loaded(bring(now, model));
            models.add(model);
            return model;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a model from the DSP; no effect when it is not there. */
    public void unload(HexagonModel model) {
        lock.lock();
        try {
            models.remove(model);
            QnnModel loaded = model.loaded();
            model.loaded(null);
            if (loaded != null) {
                loaded.close();
            }
        } finally {
            lock.unlock();
        }
    }

    private QnnModel bring(Connection to, HexagonModel model) {
        DmaBuffer binary = read(to.session(), model.path());
        try {
            to.session().mapToDsp(binary);
        } catch (RuntimeException e) {
            binary.close();
            throw e;
        }
        return QnnModel.load(to.module(), model.name(), binary, sizeOf(model.path()), model.graphs());
    }

    private long sizeOf(String path) {
        int fd = openFile(path);
        try {
            return files.fstat(fd).sizeBytes();
        } finally {
            files.close(fd);
        }
    }

    private int openFile(String path) {
        long answer = files.open(path, Open.READ_ONLY | Open.CLOEXEC);
        if (Answer.failed(answer)) {
            throw new HexagonException.Refused(
                    "open " + path, Answer.errno(answer), "check that the model is installed");
        }
        return Answer.value(answer);
    }

    private DmaBuffer read(FastRpcSession session, String path) {
        int fd = openFile(path);
        try {
            FileStatus status = files.fstat(fd);
            DmaBuffer buffer = session.allocate(status.sizeBytes());
            try {
                buffer.withDataMut(memory -> readFully(fd, path, memory.asSlice(0, status.sizeBytes())));
                return buffer;
            } catch (RuntimeException e) {
                buffer.close();
                throw e;
            }
        } finally {
            files.close(fd);
        }
    }

    private void readFully(int fd, String path, MemorySegment into) {
        long at = 0;
        while (at < into.byteSize()) {
            long answer = files.read(fd, into.asSlice(at));
            if (Answer.errno(answer) == Errno.EINTR) {
                continue;
            }
            if (Answer.failed(answer) || Answer.value(answer) == 0) {
                throw new HexagonException.Refused(
                        "read " + path + " at " + at + " of " + into.byteSize(),
                        Answer.failed(answer) ? Answer.errno(answer) : Errno.EIO,
                        "the file changes while it is read");
            }
            at += Answer.value(answer);
        }
    }

    /**
     * Where a model is loaded now; opens a new session first when the last one is over.
     *
     * @param deadlineNanos until which a new session may be waited for
     */
    QnnModel current(HexagonModel model, long deadlineNanos) {
        QnnModel loaded = model.loaded();
        if (loaded != null && loaded.session().isOpen()) {
            return loaded;
        }
        lock.lock();
        try {
            connected(deadlineNanos);
            QnnModel again = model.loaded();
            if (again == null) {
                throw new HexagonException.SessionOver(model + " is not loaded; register it again");
            }
            return again;
        } finally {
            lock.unlock();
        }
    }

    private Connection connected(long deadlineNanos) {
        if (closed) {
            throw new HexagonException.SessionOver("the runtime was closed");
        }
        Connection now = connection;
        if (now != null && now.session().isOpen()) {
            return now;
        }
        if (now != null) {
            connection = null;
            retire(now);
        }
        long until = Math.min(deadlineNanos, clock.nanos() + options.restartWaitNanos());
        while (true) {
            try {
                return reconnect();
            } catch (HexagonException.Unavailable
                    | HexagonException.NoSession
                    | HexagonException.DspRestarted
                    | HexagonException.SessionOver e) {
                if (clock.nanos() >= until) {
                    throw e;
                }
                clock.parkUntil(Math.min(until, clock.nanos() + RETRY_NANOS));
            }
        }
    }

    /** A new session with every model in it. */
    private Connection reconnect() {
        Connection next = connect();
        try {
            for (HexagonModel model : models) {
                model.loaded(bring(next, model));
            }
        } catch (RuntimeException e) {
            next.close();
            throw e;
        }
        connection = next;
        return next;
    }

    /** Closing a session whose call hung may take 10 s in the kernel (spec 1.8), and nobody should wait for it. */
    private void retire(Connection old) {
        if (threaded) {
            threads.background(old::close);
        } else {
            old.close();
        }
    }

    /** The session in use. */
    public FastRpcSession session() {
        Connection now = connection;
        if (now == null) {
            throw new HexagonException.SessionOver("no session is open");
        }
        return now.session();
    }

    /** The skeleton's handle in the session in use. */
    public int moduleHandle() {
        Connection now = connection;
        if (now == null) {
            throw new HexagonException.SessionOver("no session is open");
        }
        return now.module().handle();
    }

    /**
     * The graphs of a model in the session in use, for callers that make the calls themselves; a new session is opened
     * first where the last one is over. Whoever uses them holds the model for himself.
     */
    public List<QnnGraph> graphs(HexagonModel model) {
        return current(model, Clock.NEVER).graphs();
    }

    /** How many sessions were opened since the start: one, and one for each recovery. */
    public long sessionsOpened() {
        return sessions.get();
    }

    Clock clock() {
        return clock;
    }

    HexagonOptions options() {
        return options;
    }

    /** One look of the watchdog. */
    public void watch() {
        threads.doWork();
    }

    /** What the runtime says of a shell, without loading it. */
    public static void verifyShell(Kernel files, Clock clock, ShellPolicy policy) throws ShellRefused {
        byte[] signature = ShellFile.signatureOf(files, policy.path(), policy.ownerUid());
        try (ShellFile file = ShellFile.open(files, policy.path(), policy.ownerUid());
                java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(file.sizeBytes());
            file.readInto(bytes);
            new ShellVerifier(policy, clock).verify(bytes, signature);
        }
    }

    /** Unloads the models, closes the module and the session, and ends the threads. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            Connection now = connection;
            connection = null;
            try {
                if (now != null && now.session().isOpen()) {
                    closeModels();
                    now.module().close();
                }
            } catch (HexagonException e) {
                // The DSP does not answer; the session's end frees what is left.
            } finally {
                if (now != null) {
                    now.close();
                }
                threads.close();
            }
        } finally {
            lock.unlock();
        }
    }

    private void closeModels() {
        for (HexagonModel model : models) {
            QnnModel loaded = model.loaded();
            model.loaded(null);
            if (loaded != null) {
                loaded.close();
            }
        }
        models.clear();
    }
}
