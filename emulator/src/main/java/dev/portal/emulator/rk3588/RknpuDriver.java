package dev.portal.emulator.rk3588;

import dev.portal.base.Clock;
import dev.portal.base.Timers;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.DeviceLock;
import dev.portal.emulator.EmulatedDevice;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuAction;
import dev.portal.kernel.Errno;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The vendor kernel driver 0.9.8 over three emulated cores: what stands behind {@code /dev/dri/renderD129} and {@code
 * /dev/dri/card1} (spec 2, 8).
 *
 * <p>Two ways to run it. With a {@link VirtualClock}, everything happens inside the calls and waits of one thread, and a
 * run with the same seed repeats bit for bit. With {@link RealTime}, any thread may call, and events run when somebody
 * calls the kernel, waits, or spins on that clock.
 */
public final class RknpuDriver implements EmulatedDevice {
    public static final String RENDER_NODE = "/dev/dri/renderD129";
    public static final String CARD_NODE = "/dev/dri/card1";

    private static final int MICROVOLTS = 800_000;

    final Chip chip;
    final DeviceLock lock;
    final Domains domains;
    final Buffers buffers;
    final JobEngine jobs;
    final KernelLog log;
    private final Map<GemObject, Integer> names = new HashMap<>();
    private int nameCount;

    /** On a virtual clock, with the full timing model. */
    public RknpuDriver(VirtualClock clock, Rk3588Options options, KernelLog log, ModelReport report) {
        this(clock, clock, TimingModel.standard(), options, log, report);
    }

    /** In real time: the chip takes the model's time, calls take what they take. */
    public RknpuDriver(RealTime time, Rk3588Options options, KernelLog log, ModelReport report) {
        this(time, time, TimingModel.standard().withoutCallTimes(), options, log, report);
    }

    RknpuDriver(
            Clock clock, Timers timers, TimingModel timing, Rk3588Options options, KernelLog log, ModelReport report) {
        this.log = log;
        this.lock = new DeviceLock(clock, timers);
        this.chip = new Chip(clock, lock, timing, report, options);
        this.domains = new Domains(lock, log, clock);
        this.buffers = new Buffers(chip, domains);
        this.jobs = new JobEngine(chip, lock, domains, log);
        jobs.onRelease(buffers::release);
    }

    /** What is alive now: all zero when everything was given back. */
    public record Usage(int buffers, int jobs, int domainReferences, long iovaBytes) {}

    public Usage usage() {
        lock.lock();
        try {
            return new Usage(
                    buffers.count(),
                    jobs.pending(),
                    domains.references(),
                    domains.current().window.takenBytes());
        } finally {
            lock.unlock();
        }
    }

    /** Everything that was said of misuse. */
    public ModelReport report() {
        return chip.report;
    }

    /** Lifts every fault of the plan. */
    public void heal() {
        lock.lock();
        try {
            chip.faults.heal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<String> nodes() {
        return List.of(RENDER_NODE, CARD_NODE);
    }

    @Override
    public Map<String, String> texts() {
        String name = "rockchip," + chip.options.chip();
        String uevent = "DRIVER=RKNPU\nOF_COMPATIBLE_0=" + name + "-rknpu\n";
        return Map.of(
                "/proc/device-tree/compatible",
                name + "-evb\0" + name + "\0",
                "/sys/class/drm/card1/device/uevent",
                uevent,
                "/sys/class/drm/renderD129/device/uevent",
                uevent,
                "/sys/kernel/debug/rknpu/version",
                "RKNPU driver: v" + RknpuAbi.driverVersionText(chip.options.driverVersion()) + "\n");
    }

    @Override
    public Opened open(String node) {
        return chip.options.denied()
                ? Opened.refused(Errno.EACCES)
                : Opened.of(new RknpuFile(this, node.equals(RENDER_NODE)));
    }

    @Override
    public Optional<CacheLines> linesAt(long address) {
        lock.lock();
        try {
            return buffers.byAddress(address).map(object -> new CacheLines() {
                @Override
                public void clean(long at, long bytes) {
                    locked(() ->
                            object.memory().clean(at - object.memory().cpu().address(), bytes));
                }

                @Override
                public void cleanInvalidate(long at, long bytes) {
                    locked(() -> object.memory()
                            .cleanInvalidate(at - object.memory().cpu().address(), bytes));
                }
            });
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    int flinkName(GemObject object) {
        return names.computeIfAbsent(object, unnamed -> ++nameCount);
    }

    /** ACTION (spec 2.5). */
    int action(RknpuAction args) {
        switch (args.flags()) {
            case RknpuAbi.ACTION_GET_HW_VERSION ->
                args.value(jobs.core(0).read(PcRegisters.PC_VERSION)
                        + (jobs.core(0).read(PcRegisters.PC_VERSION_NUM) & 0xffff));
            case RknpuAbi.ACTION_GET_DRV_VERSION -> args.value(chip.options.driverVersion());
            case RknpuAbi.ACTION_GET_FREQ -> args.value((int) chip.timing.clockHz());
            case RknpuAbi.ACTION_GET_VOLT -> args.value(MICROVOLTS);
            case RknpuAbi.ACTION_RESET -> jobs.actReset();
            case RknpuAbi.ACTION_CLR_TOTAL_RW_AMOUNT,
                    RknpuAbi.ACTION_GET_DT_WR_AMOUNT,
                    RknpuAbi.ACTION_GET_DT_RD_AMOUNT,
                    RknpuAbi.ACTION_GET_WT_RD_AMOUNT,
                    RknpuAbi.ACTION_GET_TOTAL_RW_AMOUNT ->
                log.add("RKNPU: does not support read/write amount statistics");
            case RknpuAbi.ACTION_GET_IOMMU_EN -> args.value(1);
            case RknpuAbi.ACTION_SET_PROC_NICE -> {}
            case RknpuAbi.ACTION_GET_TOTAL_SRAM_SIZE, RknpuAbi.ACTION_GET_FREE_SRAM_SIZE ->
                args.value((int) chip.options.sramBytes());
            case RknpuAbi.ACTION_GET_IOMMU_DOMAIN_ID -> args.value(domains.live());
            case RknpuAbi.ACTION_SET_IOMMU_DOMAIN_ID -> {
                if (!domains.acquire(args.value())) {
                    return Errno.EINVAL;
                }
                domains.release();
            }
            default -> {
                return Errno.EINVAL;
            }
        }
        return 0;
    }
}
