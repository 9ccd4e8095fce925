package dev.portal.emulator;

import dev.portal.emulator.EmulatedDevice.CacheLines;
import dev.portal.emulator.EmulatedDevice.Descriptors;
import dev.portal.emulator.EmulatedDevice.OpenFile;
import dev.portal.emulator.EmulatedDevice.Opened;
import dev.portal.kernel.Answer;
import dev.portal.kernel.CacheMaintenance;
import dev.portal.kernel.Errno;
import dev.portal.kernel.FileStatus;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An operating system with nothing in it but emulated drivers: their nodes, a few text files, descriptors, mappings,
 * locks. It receives the bytes that the machine's kernel would and answers with the same ints and errnos.
 *
 * <p>Any thread may call. Every entry first lets events run that are due ({@link RealTime}); on a virtual clock that is
 * the clock's own affair.
 */
public final class EmulatedKernel implements Kernel {
    private static final int PAGE = 4096;
    private static final int MAX_DESCRIPTORS = 1024;
    private static final int FIRST_DESCRIPTOR = 3;
    private static final int CHARACTER_DEVICE = 0020660;
    private static final int REGULAR_FILE = 0100444;
    private static final int DIRECTORY = 0040755;
    private static final int GROUP_RENDER = 105;

    /** The device number of the folder of nodes. */
    private static final int NODES_DEVICE = 5;

    /** Number of the one process that everything here belongs to; {@code /proc/708/comm} can be put as a text. */
    public static final int PROCESS = 708;

    /** What {@code open} makes; descriptors that were duplicated share it, and calls that run keep it. */
    private static final class Description {
        final String path;
        final @Nullable OpenFile device;
        final byte[] text;
        final int owner;
        final int mode;
        int references;
        int position;

        Description(String path, @Nullable OpenFile device, byte[] text, int owner, int mode) {
            this.path = path;
            this.device = device;
            this.text = text;
            this.owner = owner;
            this.mode = mode;
        }
    }

    /** A file of a disk that nobody writes. */
    private record Stored(byte[] bytes, int owner, int mode) {}

    private final List<EmulatedDevice> devices;
    private final Runnable onEntry;
    private final boolean cacheInstructions;
    private final Map<String, Stored> files = new TreeMap<>();
    private final TreeMap<Integer, Description> descriptors = new TreeMap<>();
    private final Set<Integer> inherited = new TreeSet<>();
    private final Map<String, Description> exclusiveLocks = new HashMap<>();
    private final Map<String, List<Description>> sharedLocks = new HashMap<>();
    private final Map<Long, Deque<OpenFile>> mappings = new HashMap<>();
    private final Map<Long, Arena> anonymous = new HashMap<>();
    private final Descriptors table = new Table();

    /** On a virtual clock, with cache instructions. */
    public EmulatedKernel(List<EmulatedDevice> devices) {
        this(devices, true);
    }

    /**
     * On a virtual clock.
     *
     * @param cacheInstructions whether programs may move cache lines themselves; else the drivers' ioctls are the only way
     */
    public EmulatedKernel(List<EmulatedDevice> devices, boolean cacheInstructions) {
        this(devices, () -> {}, cacheInstructions);
    }

    /** In real time, with cache instructions. */
    public EmulatedKernel(List<EmulatedDevice> devices, RealTime time) {
        this(devices, time::runDue, true);
    }

    private EmulatedKernel(List<EmulatedDevice> devices, Runnable onEntry, boolean cacheInstructions) {
        this.cacheInstructions = cacheInstructions;
        this.devices = List.copyOf(devices);
        this.onEntry = onEntry;
        devices.forEach(device -> device.texts().forEach(this::putText));
    }

    /** Adds a text file, or replaces it. */
    public void putText(String path, String text) {
        putFile(path, text.getBytes(StandardCharsets.UTF_8), 0, REGULAR_FILE);
    }

    /**
     * Adds a file, or replaces it.
     *
     * @param owner the user's number
     * @param mode as {@code stat} says it, kind and permissions: {@code 0100444}
     */
    public synchronized void putFile(String path, byte[] bytes, int owner, int mode) {
        files.put(path, new Stored(bytes.clone(), owner, mode));
    }

    /** Takes a file away; files that are open go on. */
    public synchronized void removeFile(String path) {
        files.remove(path);
    }

    /** Descriptors that are open. */
    public synchronized int openDescriptors() {
        return descriptors.size();
    }

    /** Descriptors that a child process would inherit, since nobody made them close-on-exec. */
    public synchronized Set<Integer> inheritedDescriptors() {
        return Set.copyOf(inherited);
    }

    /** Mappings that were made and not ended. */
    public synchronized int openMappings() {
        return mappings.values().stream().mapToInt(Deque::size).sum() + anonymous.size();
    }

    @Override
    public boolean exists(String path) {
        return isNode(path) || stored(path) != null || !list(path).isEmpty();
    }

    private synchronized @Nullable Stored stored(String path) {
        return files.get(path);
    }

    private boolean isNode(String path) {
        return devices.stream().anyMatch(device -> device.nodes().contains(path));
    }

    @Override
    public long open(String path, int flags) {
        onEntry.run();
        for (EmulatedDevice device : devices) {
            if (device.nodes().contains(path)) {
                if ((flags & Open.DIRECTORY) != 0) {
                    return Answer.error(Errno.ENOTDIR);
                }
                Opened opened = device.open(path);
                OpenFile file = opened.file();
                return file == null
                        ? Answer.error(opened.errno())
                        : install(new Description(path, file, new byte[0], 0, CHARACTER_DEVICE), flags);
            }
        }
        Description made = describe(path);
        if (made == null) {
            return Answer.error(Errno.ENOENT);
        }
        if ((flags & Open.DIRECTORY) != 0 && made.mode != DIRECTORY) {
            return Answer.error(Errno.ENOTDIR);
        }
        return install(made, flags);
    }

    private long install(Description made, int flags) {
        synchronized (this) {
            int fd = free(FIRST_DESCRIPTOR);
            if (fd >= 0) {
                return Answer.of(put(fd, made, (flags & Open.CLOEXEC) != 0));
            }
        }
        close(made);
        return Answer.error(Errno.EMFILE);
    }

    private @Nullable Description describe(String path) {
        Stored file = stored(path);
        if (file != null) {
            return new Description(path, null, file.bytes(), file.owner(), file.mode());
        }
        return list(path).isEmpty() ? null : new Description(path, null, new byte[0], 0, DIRECTORY);
    }

    private int free(int from) {
        int fd = from;
        while (descriptors.containsKey(fd)) {
            fd++;
        }
        return fd < MAX_DESCRIPTORS ? fd : -1;
    }

    private int put(int fd, Description description, boolean closeOnExec) {
        description.references++;
        descriptors.put(fd, description);
        if (!closeOnExec) {
            inherited.add(fd);
        }
        return fd;
    }

    @Override
    public long openat(int dirFd, String path, int flags) {
        if (path.startsWith("/") || dirFd == AT_FDCWD) {
            return open(path, flags);
        }
        Description directory = description(dirFd);
        if (directory == null) {
            return Answer.error(Errno.EBADF);
        }
        if (directory.mode != DIRECTORY) {
            return Answer.error(Errno.ENOTDIR);
        }
        return open(directory.path + "/" + path, flags);
    }

    private synchronized @Nullable Description description(int fd) {
        return descriptors.get(fd);
    }

    @Override
    public long dup(int fd) {
        return duplicate(fd, 0, false);
    }

    private synchronized long duplicate(int fd, int from, boolean closeOnExec) {
        Description description = descriptors.get(fd);
        if (description == null) {
            return Answer.error(Errno.EBADF);
        }
        int copy = free(Math.max(from, FIRST_DESCRIPTOR));
        return copy < 0 ? Answer.error(Errno.EMFILE) : Answer.of(put(copy, description, closeOnExec));
    }

    @Override
    public long fcntl(int fd, int command, int argument) {
        if (description(fd) == null) {
            return Answer.error(Errno.EBADF);
        }
        return switch (command) {
            case F_GETFD -> Answer.of(inheritedDescriptors().contains(fd) ? 0 : FD_CLOEXEC);
            case F_SETFD -> closeOnExec(fd, (argument & FD_CLOEXEC) != 0);
            case F_DUPFD_CLOEXEC -> duplicate(fd, argument, true);
            default -> Answer.error(Errno.EINVAL);
        };
    }

    private synchronized long closeOnExec(int fd, boolean set) {
        if (set) {
            inherited.remove(fd);
        } else {
            inherited.add(fd);
        }
        return Answer.of(0);
    }

    @Override
    public long read(int fd, MemorySegment into) {
        Description description = description(fd);
        if (description == null) {
            return Answer.error(Errno.EBADF);
        }
        if (description.device != null || description.mode == DIRECTORY) {
            return Answer.error(Errno.EINVAL);
        }
        synchronized (this) {
            int count = (int) Math.min(into.byteSize(), description.text.length - description.position);
            MemorySegment.copy(MemorySegment.ofArray(description.text), description.position, into, 0, count);
            description.position += count;
            return Answer.of(count);
        }
    }

    @Override
    public FileStatus fstat(int fd) {
        Description description = description(fd);
        if (description == null) {
            return FileStatus.error(Errno.EBADF);
        }
        int group = description.mode == CHARACTER_DEVICE ? GROUP_RENDER : 0;
        return new FileStatus(
                0,
                description.mode,
                description.owner,
                group,
                description.text.length,
                NODES_DEVICE,
                inode(description.path));
    }

    @Override
    public List<String> list(String directory) {
        String prefix = directory.endsWith("/") ? directory : directory + "/";
        SortedSet<String> names = new TreeSet<>();
        List<String> paths;
        synchronized (this) {
            paths = new ArrayList<>(files.keySet());
        }
        devices.forEach(device -> paths.addAll(device.nodes()));
        for (String path : paths) {
            if (path.startsWith(prefix)) {
                String rest = path.substring(prefix.length());
                int slash = rest.indexOf('/');
                names.add(slash < 0 ? rest : rest.substring(0, slash));
            }
        }
        return List.copyOf(names);
    }

    @Override
    public long close(int fd) {
        onEntry.run();
        Description description;
        synchronized (this) {
            description = descriptors.remove(fd);
            inherited.remove(fd);
        }
        if (description == null) {
            return Answer.error(Errno.EBADF);
        }
        release(description);
        return Answer.of(0);
    }

    /** The last to let go closes the file: a descriptor, or a call that outlived it. */
    private void release(Description description) {
        synchronized (this) {
            description.references--;
            if (description.references > 0) {
                return;
            }
            unlock(description);
        }
        close(description);
    }

    private synchronized @Nullable Description hold(int fd) {
        Description description = descriptors.get(fd);
        if (description != null) {
            description.references++;
        }
        return description;
    }

    private static void close(Description description) {
        if (description.device != null) {
            description.device.close();
        }
    }

    @Override
    public long ioctl(int fd, int request, MemorySegment argument) {
        onEntry.run();
        Description description = hold(fd);
        if (description == null) {
            return Answer.error(Errno.EBADF);
        }
        try {
            return description.device == null
                    ? Answer.error(Errno.ENOTTY)
                    : description.device.ioctl(request, argument, table);
        } finally {
            release(description);
        }
    }

    /** Descriptors as drivers hand them out and take them. */
    private final class Table implements Descriptors {
        @Override
        public int install(OpenFile file, boolean closeOnExec) {
            synchronized (EmulatedKernel.this) {
                int fd = free(FIRST_DESCRIPTOR);
                Description made = new Description("anon_inode:[dmabuf]", file, new byte[0], 0, REGULAR_FILE);
                return fd < 0 ? -1 : put(fd, made, closeOnExec);
            }
        }

        @Override
        public boolean isOpen(int fd) {
            return description(fd) != null;
        }

        @Override
        public Optional<OpenFile> file(int fd) {
            Description description = description(fd);
            return description == null ? Optional.empty() : Optional.ofNullable(description.device);
        }
    }

    @Override
    public Mapping mmap(int fd, long offset, long lengthBytes, int protection, int flags) {
        onEntry.run();
        if (lengthBytes <= 0) {
            return Mapping.error(Errno.EINVAL);
        }
        if ((flags & MAP_ANONYMOUS) != 0) {
            return anonymous(lengthBytes);
        }
        Description description = description(fd);
        if (description == null) {
            return Mapping.error(Errno.EBADF);
        }
        if (description.device == null) {
            return Mapping.error(Errno.ENODEV);
        }
        Mapping mapping = description.device.mmap(offset, lengthBytes, protection);
        if (mapping.errno() == 0) {
            synchronized (this) {
                mappings.computeIfAbsent(mapping.memory().address(), address -> new ArrayDeque<>())
                        .add(description.device);
            }
        }
        return mapping;
    }

    @SuppressWarnings("MustBeClosedChecker") // closed by munmap
    private synchronized Mapping anonymous(long lengthBytes) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(lengthBytes, PAGE);
        anonymous.put(memory.address(), arena);
        return Mapping.of(memory);
    }

    /** Protection is not enforced: nothing here runs from mapped memory. */
    @Override
    public synchronized long mprotect(MemorySegment mapping, int protection) {
        boolean known = anonymous.containsKey(mapping.address()) || mappings.containsKey(mapping.address());
        return known ? Answer.of(0) : Answer.error(Errno.ENOMEM);
    }

    @Override
    public long munmap(MemorySegment mapping) {
        onEntry.run();
        OpenFile owner;
        synchronized (this) {
            Arena arena = anonymous.remove(mapping.address());
            if (arena != null) {
                arena.close();
                return Answer.of(0);
            }
            Deque<OpenFile> owners = mappings.get(mapping.address());
            if (owners == null) {
                return Answer.error(Errno.EINVAL);
            }
            owner = owners.remove();
            if (owners.isEmpty()) {
                mappings.remove(mapping.address());
            }
        }
        owner.munmap(mapping);
        return Answer.of(0);
    }

    @Override
    public Optional<String> readText(String path) {
        if (path.equals("/proc/locks")) {
            return Optional.of(locks());
        }
        return Optional.ofNullable(stored(path)).map(file -> new String(file.bytes(), StandardCharsets.UTF_8));
    }

    /** As the kernel lists them; every holder is {@link #PROCESS}. */
    private synchronized String locks() {
        StringBuilder text = new StringBuilder();
        int number = 0;
        for (String path : exclusiveLocks.keySet()) {
            text.append(++number)
                    .append(": FLOCK  ADVISORY  WRITE ")
                    .append(PROCESS)
                    .append(String.format(Locale.ROOT, " 00:%02x:%d 0 EOF%n", NODES_DEVICE, inode(path)));
        }
        return text.toString();
    }

    private static int inode(String path) {
        return path.hashCode() & 0x7fff_ffff;
    }

    @Override
    public synchronized long flock(int fd, int operation) {
        Description description = descriptors.get(fd);
        if (description == null) {
            return Answer.error(Errno.EBADF);
        }
        Description holder = exclusiveLocks.get(description.path);
        List<Description> shared = sharedLocks.computeIfAbsent(description.path, path -> new ArrayList<>());
        boolean othersShare = shared.stream().anyMatch(other -> other != description);
        boolean heldByOther = holder != null && holder != description;
        switch (operation & ~LOCK_NONBLOCK) {
            case LOCK_UNLOCK -> unlock(description);
            case LOCK_EXCLUSIVE -> {
                if (heldByOther || othersShare) {
                    return Answer.error(Errno.EAGAIN);
                }
                unlock(description);
                exclusiveLocks.put(description.path, description);
            }
            case LOCK_SHARED -> {
                if (heldByOther) {
                    return Answer.error(Errno.EAGAIN);
                }
                unlock(description);
                shared.add(description);
            }
            default -> {
                return Answer.error(Errno.EINVAL);
            }
        }
        return Answer.of(0);
    }

    private void unlock(Description description) {
        exclusiveLocks.remove(description.path, description);
        List<Description> shared = sharedLocks.get(description.path);
        if (shared != null) {
            shared.remove(description);
        }
    }

    @Override
    public int pageSize() {
        return PAGE;
    }

    @Override
    public Optional<CacheMaintenance> cacheMaintenance() {
        return cacheInstructions ? Optional.of(new Lines()) : Optional.empty();
    }

    /** The cache instructions: they find the buffer by address, and do nothing to other memory. */
    private final class Lines implements CacheMaintenance {
        @Override
        public int lineBytes() {
            return TwoViewMemory.LINE_BYTES;
        }

        @Override
        public void clean(MemorySegment memory, long offset, long bytes) {
            onEntry.run();
            long address = memory.address() + offset;
            lines(address).ifPresent(lines -> lines.clean(address, bytes));
        }

        @Override
        public void cleanInvalidate(MemorySegment memory, long offset, long bytes) {
            onEntry.run();
            long address = memory.address() + offset;
            lines(address).ifPresent(lines -> lines.cleanInvalidate(address, bytes));
        }

        private Optional<CacheLines> lines(long address) {
            return devices.stream()
                    .map(device -> device.linesAt(address))
                    .flatMap(Optional::stream)
                    .findFirst();
        }
    }

    @Override
    public long threadHandle() {
        return Thread.currentThread().threadId();
    }

    @Override
    public long blockSignals() {
        return Answer.of(0);
    }

    @Override
    public long interrupt(long threadHandle) {
        devices.forEach(device -> device.interrupt(threadHandle));
        return Answer.of(0);
    }
}
