package dev.portal.emulator;

import dev.portal.emulator.EmulatedDevice.CacheLines;
import dev.portal.emulator.EmulatedDevice.Descriptors;
import dev.portal.emulator.EmulatedDevice.OpenFile;
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

    /** What {@code open} makes; descriptors that were duplicated share it. */
    private static final class Description {
        final String path;
        final @Nullable OpenFile device;
        final byte[] text;
        final int mode;
        int references;
        int position;

        Description(String path, @Nullable OpenFile device, byte[] text, int mode) {
            this.path = path;
            this.device = device;
            this.text = text;
            this.mode = mode;
        }
    }

    private final List<EmulatedDevice> devices;
    private final Runnable onEntry;
    private final boolean cacheInstructions;
    private final Map<String, String> texts = new TreeMap<>();
    private final TreeMap<Integer, Description> descriptors = new TreeMap<>();
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
        devices.forEach(device -> texts.putAll(device.texts()));
    }

    /** Adds a text file, or replaces it. */
    public synchronized void putText(String path, String text) {
        texts.put(path, text);
    }

    /** Descriptors that are open. */
    public synchronized int openDescriptors() {
        return descriptors.size();
    }

    /** Mappings that were made and not ended. */
    public synchronized int openMappings() {
        return mappings.values().stream().mapToInt(Deque::size).sum() + anonymous.size();
    }

    @Override
    public boolean exists(String path) {
        return isNode(path) || texts.containsKey(path) || !list(path).isEmpty();
    }

    private boolean isNode(String path) {
        return devices.stream().anyMatch(device -> device.nodes().contains(path));
    }

    @Override
    public long open(String path, int flags) {
        onEntry.run();
        for (EmulatedDevice device : devices) {
            int refused = device.nodes().contains(path) ? device.openErrno(path) : 0;
            if (refused != 0) {
                return Answer.error(refused);
            }
        }
        Description made = describe(path, flags);
        if (made == null) {
            return Answer.error(Errno.ENOENT);
        }
        if ((flags & Open.DIRECTORY) != 0 && made.mode != DIRECTORY) {
            close(made);
            return Answer.error(Errno.ENOTDIR);
        }
        synchronized (this) {
            int fd = free(FIRST_DESCRIPTOR);
            if (fd < 0) {
                close(made);
                return Answer.error(Errno.EMFILE);
            }
            return Answer.of(put(fd, made));
        }
    }

    private @Nullable Description describe(String path, int flags) {
        for (EmulatedDevice device : devices) {
            if (device.nodes().contains(path)) {
                boolean refused = (flags & Open.DIRECTORY) != 0;
                return new Description(path, refused ? null : device.open(path), new byte[0], CHARACTER_DEVICE);
            }
        }
        String text = texts.get(path);
        if (text != null) {
            return new Description(path, null, text.getBytes(StandardCharsets.UTF_8), REGULAR_FILE);
        }
        return list(path).isEmpty() ? null : new Description(path, null, new byte[0], DIRECTORY);
    }

    private int free(int from) {
        int fd = from;
        while (descriptors.containsKey(fd)) {
            fd++;
        }
        return fd < MAX_DESCRIPTORS ? fd : -1;
    }

    private int put(int fd, Description description) {
        description.references++;
        descriptors.put(fd, description);
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
        return duplicate(fd, 0);
    }

    private synchronized long duplicate(int fd, int from) {
        Description description = descriptors.get(fd);
        if (description == null) {
            return Answer.error(Errno.EBADF);
        }
        int copy = free(Math.max(from, FIRST_DESCRIPTOR));
        return copy < 0 ? Answer.error(Errno.EMFILE) : Answer.of(put(copy, description));
    }

    @Override
    public long fcntl(int fd, int command, int argument) {
        if (description(fd) == null) {
            return Answer.error(Errno.EBADF);
        }
        return switch (command) {
            case F_GETFD -> Answer.of(FD_CLOEXEC);
            case F_SETFD -> Answer.of(0);
            case F_DUPFD_CLOEXEC -> duplicate(fd, argument);
            default -> Answer.error(Errno.EINVAL);
        };
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
                0, description.mode, 0, group, description.text.length, NODES_DEVICE, inode(description.path));
    }

    @Override
    public List<String> list(String directory) {
        String prefix = directory.endsWith("/") ? directory : directory + "/";
        SortedSet<String> names = new TreeSet<>();
        List<String> paths = new ArrayList<>(texts.keySet());
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
            if (description == null) {
                return Answer.error(Errno.EBADF);
            }
            description.references--;
            if (description.references > 0) {
                return Answer.of(0);
            }
            unlock(description);
        }
        close(description);
        return Answer.of(0);
    }

    private static void close(Description description) {
        if (description.device != null) {
            description.device.close();
        }
    }

    @Override
    public long ioctl(int fd, int request, MemorySegment argument) {
        onEntry.run();
        Description description = description(fd);
        if (description == null) {
            return Answer.error(Errno.EBADF);
        }
        return description.device == null
                ? Answer.error(Errno.ENOTTY)
                : description.device.ioctl(request, argument, table);
    }

    /** Descriptors as drivers hand them out and take them. */
    private final class Table implements Descriptors {
        @Override
        public int install(OpenFile file) {
            synchronized (EmulatedKernel.this) {
                int fd = free(FIRST_DESCRIPTOR);
                return fd < 0 ? -1 : put(fd, new Description("anon_inode:[dmabuf]", file, new byte[0], REGULAR_FILE));
            }
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
        return Optional.ofNullable(texts.get(path));
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
