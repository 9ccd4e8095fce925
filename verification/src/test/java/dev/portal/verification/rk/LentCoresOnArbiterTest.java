package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.base.SystemClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.rknpu.ChainJob;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.Counters.Recovery;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuCoreUtilization;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arbiter with its threads lends cores to a long chain while the lanes of speech have work now and then. */
class LentCoresOnArbiterTest {
    private static final int RUNS = 12;
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 128);

    private record Tenant(NpuCore core, NpuWorkload workload, ChainOptions chain, int steps, int pauseMicros) {}

    @ParameterizedTest
    @CsvSource({"1,DRAIN,false", "2,DRAIN,true", "3,CHUNK,true"})
    void nobodyFindsACoreTakenAndAllResultsAreRight(long seed, StopStrategy strategy, boolean oneSubmit)
            throws Exception {
        RealTime time = new RealTime(new SystemClock());
        ModelReport report = new ModelReport();
        RknpuDriver driver = new RknpuDriver(time, Rk3588Options.standard(), new KernelLog(), report);
        EmulatedKernel kernel = new EmulatedKernel(List.of(driver), time);
        NpuDetection detection = NpuDetection.detect("aarch64", Map.of(), path -> path.equals("/sys/class/npu"));
        ChainOptions three = ChainOptions.DEFAULT.withCores(3).withOneSubmit(oneSubmit);
        List<Tenant> tenants = List.of(
                new Tenant(NpuCore.STT, NpuWorkload.STT_ENCODER, ChainOptions.DEFAULT.onCore(0), 3, 4_000),
                new Tenant(NpuCore.TTS, NpuWorkload.TTS_DECODER, ChainOptions.DEFAULT.onCore(1), 5, 7_000),
                new Tenant(NpuCore.LLM, NpuWorkload.LLM, three, 90, 100));
        try (RknpuDevice device = RknpuDevice.open(kernel, time, RknpuOptions.DEFAULT);
                PortalNpuScheduler scheduler =
                        PortalNpuScheduler.start(detection, SchedulerOptions.defaults(), time, SchedulerListener.NONE);
                ExecutorService threads = Executors.newFixedThreadPool(tenants.size())) {
            List<Future<Integer>> right = new ArrayList<>();
            for (Tenant tenant : tenants) {
                RandomStream random =
                        new RandomStream(seed).derive(tenant.workload().name());
                right.add(threads.submit(() -> run(device, scheduler, time, tenant, strategy, random)));
            }
            for (int i = 0; i < tenants.size(); i++) {
                assertThat(right.get(i).get()).isEqualTo(RUNS * tenants.get(i).steps());
            }
            assertThat(scheduler.utilization().stream()
                            .mapToLong(NpuCoreUtilization::lentTimes)
                            .sum())
                    .isPositive();
            assertThat(device.counters().get(Recovery.PARKED)).isZero();
        }
        assertThat(report.faults()).isEmpty();
        assertThat(driver.usage()).isEqualTo(new RknpuDriver.Usage(0, 0, 0, 0));
    }

    private static int run(
            RknpuDevice device,
            PortalNpuScheduler scheduler,
            RealTime time,
            Tenant tenant,
            StopStrategy strategy,
            RandomStream random) {
        int right = 0;
        try (StepSet set = new StepSet(device, tenant.steps(), SHAPE, 1, tenant.steps());
                CompiledChain chain = device.compile(set.steps, tenant.chain())) {
            ChainJob job = new ChainJob(chain, tenant.workload(), strategy);
            for (int i = 0; i < RUNS; i++) {
                long until = time.nanos() + 1_000L * random.nextInt(tenant.pauseMicros());
                while (time.nanos() < until) {
                    time.parkUntil(until);
                }
                scheduler.submitInference(tenant.core(), job);
                right += set.right().cardinality();
                set.renew();
            }
        }
        return right;
    }
}
