package dev.portal.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.Clock;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EmulatedKernelTest {
    private final VirtualClock clock = new VirtualClock();
    private final EmulatedKernel kernel = new EmulatedKernel(
            List.of(new RknpuDriver(clock, Rk3588Options.standard(), new KernelLog(), new ModelReport())));

    private int open(String path) {
        return Answer.value(kernel.open(path, Open.DEVICE));
    }

    @Test
    void nodesAndTextsAreThereAndNothingElse() {
        assertThat(kernel.exists(RknpuDriver.RENDER_NODE)).isTrue();
        assertThat(kernel.exists("/dev/dri/renderD128")).isFalse();
        assertThat(kernel.list("/dev/dri")).containsExactly("card1", "renderD129");
        assertThat(kernel.readText("/proc/device-tree/compatible").orElseThrow())
                .contains("rockchip,rk3588");
        assertThat(kernel.readText("/nowhere")).isEmpty();
        assertThat(Answer.errno(kernel.open("/nowhere", Open.READ_ONLY))).isEqualTo(Errno.ENOENT);
        assertThat(Answer.errno(kernel.open(RknpuDriver.CARD_NODE, Open.DEVICE | Open.DIRECTORY)))
                .isEqualTo(Errno.ENOTDIR);
    }

    @Test
    void descriptorsAreTheLowestFreeAndDuplicatesShareTheFile() {
        int first = open(RknpuDriver.RENDER_NODE);
        int copy = Answer.value(kernel.dup(first));
        assertThat(copy).isEqualTo(first + 1);
        assertThat(kernel.fstat(copy).isCharacterDevice()).isTrue();
        assertThat(kernel.close(first)).isZero();
        try (Arena arena = Arena.ofConfined()) {
            RknpuAction args = new RknpuAction(arena.allocate(8, 8));
            args.flags(RknpuAbi.ACTION_GET_DRV_VERSION);
            assertThat(kernel.ioctl(copy, RknpuAbi.DRM_ACTION, args.segment())).isZero();
            assertThat(args.value()).isEqualTo(908);
            assertThat(Answer.errno(kernel.ioctl(first, RknpuAbi.DRM_ACTION, args.segment())))
                    .isEqualTo(Errno.EBADF);
        }
        assertThat(open(RknpuDriver.CARD_NODE)).isEqualTo(first);
        kernel.close(first);
        kernel.close(copy);
        assertThat(kernel.openDescriptors()).isZero();
        assertThat(Answer.errno(kernel.close(copy))).isEqualTo(Errno.EBADF);
    }

    @Test
    void aTextFileIsReadToItsEnd() {
        int fd = open("/sys/kernel/debug/rknpu/version");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(8);
            StringBuilder text = new StringBuilder();
            int count;
            while ((count = Answer.value(kernel.read(fd, into))) > 0) {
                for (int i = 0; i < count; i++) {
                    text.append((char) into.get(ValueLayout.JAVA_BYTE, i));
                }
            }
            assertThat(text.toString()).isEqualTo("RKNPU driver: v0.9.8\n");
        }
    }

    @Test
    void anExclusiveLockKeepsAnotherFileOutUntilItIsClosed() {
        int mine = open(RknpuDriver.RENDER_NODE);
        int other = open(RknpuDriver.RENDER_NODE);
        assertThat(kernel.flock(mine, Kernel.LOCK_EXCLUSIVE | Kernel.LOCK_NONBLOCK))
                .isZero();
        assertThat(Answer.errno(kernel.flock(other, Kernel.LOCK_EXCLUSIVE | Kernel.LOCK_NONBLOCK)))
                .isEqualTo(Errno.EAGAIN);
        kernel.close(mine);
        assertThat(kernel.flock(other, Kernel.LOCK_EXCLUSIVE | Kernel.LOCK_NONBLOCK))
                .isZero();
        kernel.close(other);
    }

    @Test
    void anonymousMemoryIsMappedProtectedAndUnmapped() {
        MemorySegment memory = kernel.mmap(-1, 0, 4096, 3, Kernel.MAP_PRIVATE | Kernel.MAP_ANONYMOUS)
                .memory();
        memory.set(ValueLayout.JAVA_LONG, 0, 42);
        assertThat(kernel.mprotect(memory, Kernel.PROT_READ)).isZero();
        assertThat(kernel.munmap(memory)).isZero();
        assertThat(Answer.errno(kernel.munmap(memory))).isEqualTo(Errno.EINVAL);
        assertThat(kernel.openMappings()).isZero();
    }

    /** A machine clock whose time passes by looking at it. */
    private static final class Steps implements Clock {
        private long now;

        @Override
        public long nanos() {
            return now += 100;
        }

        @Override
        public long wallMillis() {
            return now / 1_000_000;
        }

        @Override
        public void spin() {
            now += 1_000;
        }

        @Override
        public void parkUntil(long deadlineNanos) {
            now = Math.max(now, deadlineNanos);
        }

        @Override
        public void unpark(Thread thread) {}
    }

    @Test
    void inRealTimeEventsRunAtSpinsParksAndKernelEntries() {
        RealTime time = new RealTime(new Steps());
        List<String> ran = new ArrayList<>();
        time.at(10_000, () -> ran.add("second"));
        time.at(5_000, () -> ran.add("first"));
        time.at(1_000_000, () -> ran.add("late"));
        while (ran.size() < 2) {
            time.spin();
        }
        assertThat(ran).containsExactly("first", "second");
        time.parkUntil(2_000_000);
        assertThat(ran).contains("late");
        time.at(0, () -> ran.add("entry"));
        EmulatedKernel real = new EmulatedKernel(
                List.of(new RknpuDriver(time, Rk3588Options.standard(), new KernelLog(), new ModelReport())), time);
        real.open(RknpuDriver.RENDER_NODE, Open.DEVICE);
        assertThat(ran).contains("entry");
    }

    /** A device that comes back while somebody opens its node. */
    private static final class Returning implements EmulatedDevice {
        private boolean asked;

        @Override
        public List<String> nodes() {
            List<String> nodes = asked ? List.of("/dev/returning") : List.of();
            asked = true;
            return nodes;
        }

        @Override
        public Map<String, String> texts() {
            return Map.of();
        }

        @Override
        public Opened open(String node) {
            return Opened.refused(Errno.EBUSY);
        }

        @Override
        public Optional<CacheLines> linesAt(long address) {
            return Optional.empty();
        }
    }

    @Test
    void aNodeThatAppearsDuringAnOpenIsMissingOrOpenedAndNeverAFileWithoutADevice() {
        EmulatedKernel returning = new EmulatedKernel(List.of(new Returning()));
        assertThat(Answer.errno(returning.open("/dev/returning", Open.DEVICE))).isEqualTo(Errno.ENOENT);
        assertThat(Answer.errno(returning.open("/dev/returning", Open.DEVICE))).isEqualTo(Errno.EBUSY);
    }

    @Test
    void filesHaveAnOwnerAndAModeAndCanBeTakenAway() {
        kernel.putFile("/etc/secret", new byte[] {1, 2, 3}, 1000, 0100600);
        int fd = open("/etc/secret");
        assertThat(kernel.fstat(fd).sizeBytes()).isEqualTo(3);
        assertThat(kernel.fstat(fd).uid()).isEqualTo(1000);
        kernel.removeFile("/etc/secret");
        assertThat(Answer.errno(kernel.open("/etc/secret", Open.READ_ONLY))).isEqualTo(Errno.ENOENT);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(8);
            assertThat(Answer.value(kernel.read(fd, into)))
                    .as("what is open goes on")
                    .isEqualTo(3);
        }
    }

    @Test
    void aDescriptorIsInheritedUnlessItIsMadeCloseOnExec() {
        int plain = Answer.value(kernel.open(RknpuDriver.RENDER_NODE, Open.READ_WRITE));
        int closing = open(RknpuDriver.RENDER_NODE);
        int copy = Answer.value(kernel.dup(closing));
        assertThat(kernel.inheritedDescriptors()).containsExactlyInAnyOrder(plain, copy);
        assertThat(kernel.fcntl(plain, Kernel.F_SETFD, Kernel.FD_CLOEXEC)).isZero();
        assertThat(Answer.value(kernel.fcntl(plain, Kernel.F_GETFD, 0))).isEqualTo(Kernel.FD_CLOEXEC);
        assertThat(kernel.inheritedDescriptors()).containsExactly(copy);
    }
}
