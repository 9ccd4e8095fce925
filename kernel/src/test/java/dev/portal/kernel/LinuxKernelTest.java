package dev.portal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On ordinary files and pipes, which every Linux has. */
class LinuxKernelTest {
    private static final int UNKNOWN_REQUEST = 0xC0686441;

    private final LinuxKernel kernel = new LinuxKernel();

    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("file"), text);
    }

    private Path pipe() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }

    private int open(Path path, int flags) {
        long answer = kernel.open(path.toString(), flags);
        assertThat(Answer.failed(answer)).as(Answer.describe(answer)).isFalse();
        return Answer.value(answer);
    }

    @Test
    void anUnknownIoctlOnAPipeIsMinusOneAndNotATerminal() throws Exception {
        int fd = open(pipe(), Open.READ_WRITE | Open.CLOEXEC);
        try (Arena arena = Arena.ofConfined()) {
            long answer = kernel.ioctl(fd, UNKNOWN_REQUEST, arena.allocate(104, 8));
            assertThat(Answer.value(answer)).isEqualTo(-1);
            assertThat(Answer.errno(answer)).isEqualTo(25);
        }
        assertThat(kernel.close(fd)).isZero();
        assertThat(Answer.errno(kernel.close(fd))).isEqualTo(Errno.EBADF);
    }

    @Test
    void aMissingFileIsAnAnswerAndNotAnException() {
        assertThat(Answer.errno(kernel.open(folder + "/absent", Open.READ_ONLY)))
                .isEqualTo(Errno.ENOENT);
        assertThat(kernel.exists(folder + "/absent")).isFalse();
        assertThat(kernel.readText(folder + "/absent")).isEmpty();
        assertThat(kernel.list(folder + "/absent")).isEmpty();
        assertThat(kernel.fstat(-1).errno()).isEqualTo(Errno.EBADF);
    }

    @Test
    void openFlagsAreThoseOfTheArchitecture() throws Exception {
        Path file = file("x");
        Files.createSymbolicLink(folder.resolve("link"), file);
        assertThat(Answer.errno(kernel.open(folder + "/link", Open.READ_ONLY | Open.NOFOLLOW)))
                .isEqualTo(Errno.ELOOP);
        assertThat(Answer.errno(kernel.open(file.toString(), Open.READ_ONLY | Open.DIRECTORY)))
                .isEqualTo(Errno.ENOTDIR);
        int directory = open(folder, Open.READ_ONLY | Open.DIRECTORY | Open.CLOEXEC);
        assertThat(kernel.fstat(directory).isDirectory()).isTrue();
        assertThat(Answer.value(kernel.fcntl(directory, Kernel.F_GETFD, 0))).isEqualTo(Kernel.FD_CLOEXEC);
        int inside = Answer.value(kernel.openat(directory, "file", Open.READ_ONLY));
        assertThat(kernel.fstat(inside).isRegularFile()).isTrue();
        int copy = Answer.value(kernel.fcntl(inside, Kernel.F_DUPFD_CLOEXEC, 100));
        assertThat(copy).isGreaterThanOrEqualTo(100);
        for (int fd : new int[] {directory, inside, copy}) {
            assertThat(kernel.close(fd)).isZero();
        }
        assertThat(LinuxKernel.Abi.AARCH64.openFlags(Open.DIRECTORY | Open.NOFOLLOW | Open.CLOEXEC | Open.NONBLOCK))
                .isEqualTo(0x4000 | 0x8000 | 0x80000 | 0x800);
        assertThatThrownBy(() -> LinuxKernel.Abi.of("riscv64")).hasMessageContaining("riscv64");
    }

    @Test
    void statusAndContentOfAFileAreItsOwn() throws Exception {
        Path file = file("four");
        int fd = open(file, Open.READ_ONLY);
        int second = Answer.value(kernel.dup(fd));
        FileStatus status = kernel.fstat(second);
        assertThat(status.sizeBytes()).isEqualTo(4);
        assertThat(status.inode()).isEqualTo(Files.getAttribute(file, "unix:ino"));
        assertThat(status.uid()).isEqualTo(Files.getAttribute(file, "unix:uid"));
        assertThat(status.mode()).isEqualTo(Files.getAttribute(file, "unix:mode"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(16);
            assertThat(Answer.value(kernel.read(fd, bytes))).isEqualTo(4);
            assertThat(bytes.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo("four".getBytes(StandardCharsets.UTF_8));
            assertThat(kernel.read(fd, bytes)).isZero();
        }
        assertThat(kernel.readText(file.toString())).hasValue("four");
        assertThat(kernel.list(folder.toString())).containsExactly("file");
        kernel.close(fd);
        kernel.close(second);
    }

    @Test
    void mappingsShareAFileAndAreProtected() throws Exception {
        int fd = open(file("a".repeat(kernel.pageSize())), Open.READ_WRITE);
        Mapping mapping =
                kernel.mmap(fd, 0, kernel.pageSize(), Kernel.PROT_READ | Kernel.PROT_WRITE, Kernel.MAP_SHARED);
        assertThat(mapping.errno()).isZero();
        mapping.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) 'b');
        assertThat(kernel.readText(folder.resolve("file").toString()).orElseThrow())
                .startsWith("ba");
        assertThat(kernel.mprotect(mapping.memory(), Kernel.PROT_READ)).isZero();
        assertThat(NativeMemory.at(mapping.memory().address(), 1).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 'b');
        assertThat(kernel.munmap(mapping.memory())).isZero();
        kernel.close(fd);
        assertThat(kernel.mmap(fd, 0, 4096, Kernel.PROT_READ, Kernel.MAP_SHARED).errno())
                .isEqualTo(Errno.EBADF);
        assertThatThrownBy(() -> NativeMemory.at(0, 8)).hasMessageContaining("null pointer");
    }

    @Test
    void aSecondOwnerIsToldWhoTheFirstIs() throws Exception {
        Path node = file("");
        int first = open(node, Open.READ_WRITE);
        int second = open(node, Open.READ_WRITE);
        DeviceLock.acquire(kernel, first, node.toString());
        assertThatThrownBy(() -> DeviceLock.acquire(kernel, second, node.toString()))
                .isInstanceOf(DeviceException.Busy.class)
                .hasMessageContaining(
                        "in use by process " + ProcessHandle.current().pid() + " (java)");
        kernel.close(first);
        DeviceLock.acquire(kernel, second, node.toString());
        kernel.close(second);
    }

    @Test
    void aBlockedThreadIsInterruptedAndTheOthersAreNot() throws Exception {
        int fd = open(pipe(), Open.READ_WRITE);
        CompletableFuture<Long> handle = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        CompletableFuture<Long> answer = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment byteOfPipe = arena.allocate(1);
                assertThat(kernel.blockSignals()).isZero();
                handle.complete(kernel.threadHandle());
                answer.complete(kernel.read(fd, byteOfPipe));
                released.join();
            }
        });
        // A signal that comes before the call blocks is lost: send until one is seen, while the thread surely lives.
        while (!answer.isDone()) {
            assertThat(kernel.interrupt(handle.get())).isZero();
            reader.join(1);
        }
        assertThat(Answer.errno(answer.get())).isEqualTo(Errno.EINTR);
        assertThat(Answer.value(answer.get())).isEqualTo(-1);
        released.complete(null);
        reader.join();
        kernel.close(fd);
    }

    @Test
    void cacheInstructionsAreOfferedOnAarch64Only() {
        assertThat(kernel.cacheMaintenance().isPresent()).isEqualTo("aarch64".equals(System.getProperty("os.arch")));
    }
}
