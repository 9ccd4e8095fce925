package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.SystemClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Chains of several threads on one device, in real time. */
class ChainThreadsTest {
    private static final int RUNS = 10;
    private static final MatmulShape SHAPE = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 64);

    @Test
    void eachThreadHasAChainOnItsCoreAndAResetOfOneDisturbsNone() throws Exception {
        RealTime time = new RealTime(new SystemClock());
        RknpuDriver driver = new RknpuDriver(time, Rk3588Options.standard(), new KernelLog(), new ModelReport());
        EmulatedKernel kernel = new EmulatedKernel(List.of(driver), time);
        try (RknpuDevice device = RknpuDevice.open(kernel, time, RknpuOptions.DEFAULT);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<Integer>> right = new ArrayList<>();
            for (int core = 0; core < 3; core++) {
                int own = core;
                right.add(threads.submit(() -> run(device, own)));
            }
            for (Future<Integer> future : right) {
                assertThat(future.get()).isEqualTo(RUNS * 12);
            }
        }
        assertThat(driver.usage()).isEqualTo(new RknpuDriver.Usage(0, 0, 0, 0));
    }

    private static int run(RknpuDevice device, int core) {
        int right = 0;
        try (StepSet set = new StepSet(device, 12, SHAPE, 1, core);
                CompiledChain chain = device.compile(set.steps, ChainOptions.DEFAULT.onCore(core))) {
            for (int i = 0; i < RUNS; i++) {
                if (core == 0 && i == RUNS / 2) {
                    device.reset();
                }
                chain.run();
                right += set.right().cardinality();
                set.renew();
            }
        }
        return right;
    }
}
