package dev.portal.verification.rk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.portal.base.RandomStream;
import dev.portal.base.SystemClock;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.kernel.DeviceException;
import dev.portal.llm.Generation;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmTenant;
import dev.portal.llm.decoder.Backend;
import dev.portal.llm.decoder.CpuBackend;
import dev.portal.llm.decoder.Kernels;
import dev.portal.llm.decoder.LocalModel;
import dev.portal.llm.decoder.LocalOptions;
import dev.portal.llm.decoder.NpuBackend;
import dev.portal.llm.decoder.NpuBackend.Meter;
import dev.portal.llm.decoder.NpuBackend.NpuOptions;
import dev.portal.llm.decoder.NpuBackend.Steady;
import dev.portal.llm.decoder.ProcessorTime;
import dev.portal.llm.decoder.SplitListener;
import dev.portal.llm.decoder.Team;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The language model's matrices on the emulated chip: the text of the processor, whatever interrupts it. */
final class LlmOnEmulatorTest {
    private static final LocalOptions OPTIONS = LocalOptions.defaults(1L << 30).withBatch(8);

    private static Path tiny() {
        return Path.of(System.getProperty("portal.root", "..")).resolve("models/tiny-assistant/tiny-assistant.gguf");
    }

    private static Request ask(String id) {
        return Request.greedy(id, List.of(new Message(Role.USER, "set a timer for twenty five minutes")), 12);
    }

    private static LocalModel open(Backend.Factory backend) throws IOException {
        SystemClock clock = new SystemClock();
        return LocalModel.open(tiny(), OPTIONS, clock, Team.alone(clock), Kernels.best(), backend);
    }

    private static String onCpu() throws IOException {
        try (LocalModel model = open(CpuBackend.int8())) {
            return model.generate(ask("cpu"), (sequence, text) -> {}).text();
        }
    }

    @Test
    void theTextIsThatOfTheProcessorWhateverTheShareAndTheCores() throws IOException {
        String expected = onCpu();
        assertThat(expected).contains("twenty five minutes");
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            for (NpuOptions npu : List.of(
                    new NpuOptions(1, 1, StopStrategy.DRAIN),
                    new NpuOptions(1, 3, StopStrategy.DRAIN),
                    new NpuOptions(0.5, 2, StopStrategy.DRAIN))) {
                try (LocalModel model = open(NpuBackend.on(device, npu))) {
                    Reply reply = model.generate(ask("npu"), (sequence, text) -> {});
                    assertThat(reply.text()).as("%s", npu).isEqualTo(expected);
                    assertThat(model.npuShare()).isCloseTo(npu.share(), within(0.08));
                }
            }
            // The device keeps two tracks of four buffers a core for the next chain, two jobs of several cores, and two
            // buffers for what a reset leaves in the driver's queues.
            assertThat(device.openBuffers()).isLessThanOrEqualTo(3 * 2 * 4 + 2 + 2);
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    @Test
    void whileTheNpuIsOutOfUseTheProcessorGoesOnWithTheSameText() throws IOException {
        String expected = onCpu();
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        boolean[] usable = {true};
        NpuOptions npu = new NpuOptions(0.5, 3, StopStrategy.DRAIN).usedWhile(() -> usable[0]);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                LocalModel model = open(NpuBackend.on(device, npu))) {
            Generation answer = model.start(ask("sick"));
            StringBuilder text = new StringBuilder();
            int[] tokens = new int[1];
            // Out of use from the third token on, and back again for the next question.
            Optional<Reply> reply = answer.run(
                    (sequence, piece) -> {
                        text.append(piece);
                        usable[0] = ++tokens[0] < 3;
                    },
                    Preemption.NEVER);
            assertThat(reply.orElseThrow().text()).isEqualTo(expected);
            assertThat(text.toString()).isEqualTo(expected);
            double share = model.npuShare();
            long nanos = board.clock.nanos();
            assertThat(model.generate(ask("worse"), (sequence, piece) -> {}).text())
                    .isEqualTo(expected);
            assertThat(board.clock.nanos()).as("the NPU is left alone").isEqualTo(nanos);
            assertThat(model.npuShare()).isLessThan(share);
            usable[0] = true;
            model.reset();
            assertThat(model.generate(ask("better"), (sequence, piece) -> {}).text())
                    .isEqualTo(expected);
            assertThat(board.clock.nanos()).isGreaterThan(nanos);
        }
        board.assertNothingLeaked();
    }

    @Test
    void underTheArbiterCoresBesideItsOwnAreBorrowedAndTheTextStays() throws IOException {
        String expected = onCpu();
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        NpuDetection detection =
                NpuDetection.detect("aarch64", Map.of(NpuDetection.TRANSPORT_VARIABLE, "emulated"), path -> false);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(
                        detection, SchedulerOptions.defaults(), board.clock, SchedulerListener.NONE);
                LlmTenant tenant = new LlmTenant(
                        open(NpuBackend.on(device, new NpuOptions(1, 3, StopStrategy.DRAIN))),
                        job -> scheduler.sharedSubmit(job.workload(), job.priority(), job),
                        NpuJob.UNDECLARED)) {
            assertThat(tenant.generate(ask("lent"), (sequence, text) -> {}).text())
                    .isEqualTo(expected);
            assertThat(scheduler.utilization())
                    .extracting(lane -> lane.lentTimes() > 0)
                    .as("the model's own lane is that of core 2")
                    .containsExactly(true, true, false);
        }
        board.assertNothingLeaked();
    }

    /** The tiny model's groups are of 30 to 100 KB: beside a fast processor none is worth a chain, beside a slow one all. */
    @Test
    void groupsAreDividedAsTheRatesSayAndTheTextStays() throws IOException {
        String expected = onCpu();
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        double before = 1.1;
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            for (double rate : new double[] {0.5, 1, 3, 100}) {
                NpuOptions npu = new NpuOptions(1, 3, StopStrategy.DRAIN)
                        .timed(ProcessorTime.atRate(board.clock, rate), SplitListener.NONE);
                try (LocalModel model = open(NpuBackend.on(device, npu, Meter.atRate(board.clock, "model", rate)))) {
                    Reply reply = model.generate(ask("divided"), (sequence, text) -> {});
                    assertThat(reply.text()).as("%f GB/s", rate).isEqualTo(expected);
                    assertThat(model.npuShare()).as(model.name()).isLessThan(before);
                    before = model.npuShare();
                    assertThat(model.name())
                            .contains(" GB/s (model), CPU " + String.format(Locale.ROOT, "%.1f GB/s (host)", rate));
                }
            }
        }
        assertThat(before).isZero();
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    /** Reading weights is what divides a group, and a batch reads them once for all its tokens. */
    @Test
    void whereRatesDivideGroupsBatchesAreTheNpusAlone() throws IOException {
        String expected = onCpu();
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        int[] heard = new int[4];
        SplitListener listener = (group, tokens, npuOutputs, outputs, a, b, c, d, e) -> {
            int part = npuOutputs == outputs ? 1 : npuOutputs == 0 ? 2 : 0;
            if (tokens > 1) {
                heard[part]++;
            } else if (part == 0) {
                heard[3]++;
            }
        };
        NpuOptions npu = new NpuOptions(1, 3, StopStrategy.DRAIN).timed(ProcessorTime.atRate(board.clock, 2), listener);
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                LocalModel model = open(NpuBackend.on(device, npu, Meter.atRate(board.clock, "model", 2)))) {
            assertThat(model.generate(ask("batch"), (sequence, text) -> {}).text())
                    .isEqualTo(expected);
            // Read anew, and stopped at every seventh look.
            model.reset();
            int[] looks = new int[1];
            Generation answer = model.start(ask("stopped"));
            Optional<Reply> reply = Optional.empty();
            while (reply.isEmpty()) {
                reply = answer.run((sequence, text) -> {}, () -> ++looks[0] % 7 == 0);
            }
            assertThat(reply.orElseThrow().text()).isEqualTo(expected);
            assertThat(looks[0]).isGreaterThan(100);
        }
        assertThat(heard[0]).as("divided groups in a batch").isZero();
        assertThat(heard[1]).as("whole groups in a batch").isPositive();
        assertThat(heard[3]).as("divided groups for a token").isPositive();
        board.assertNothingLeaked();
    }

    @Test
    void anAllocationThatFailsIsRefusedOrDoneWithout() throws IOException {
        String expected = onCpu();
        int answered = 0;
        for (int which = 40; which < 500; which += 70) {
            EmulatedBoard board = EmulatedBoard.with(new Fault(Kind.MEMORY_ERRNO, new Trigger.Count(which, 1), 0));
            NpuOptions npu = new NpuOptions(1, 3, StopStrategy.DRAIN)
                    .timed(ProcessorTime.atRate(board.clock, 2), SplitListener.NONE);
            try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                    LocalModel model = open(NpuBackend.on(device, npu, Meter.atRate(board.clock, "model", 2)))) {
                assertThat(model.generate(ask("tight"), (sequence, text) -> {}).text())
                        .as("allocation %d", which)
                        .isEqualTo(expected);
                answered++;
            } catch (LlmException | DeviceException refused) {
                assertThat(refused.getMessage()).as("allocation %d", which).contains("ENOMEM");
            }
            board.assertNothingLeaked();
        }
        assertThat(answered).as("those for batches are done without").isGreaterThan(2);
    }

    /** As when its loops are not compiled yet: were all the NPU's, no token could show it. */
    @Test
    void aProcessorWhoseRateIsUnknownGetsHalfSoThatTokensShowWhatItCanDo() throws IOException {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        Meter npuAlone = Meter.atRate(board.clock, "model", 1e-4);
        Meter unsteady = new Meter() {
            @Override
            public long npuNanos(Runnable run, int cores, long bytes) {
                return npuAlone.npuNanos(run, cores, bytes);
            }

            @Override
            public Steady cpuNanos(Runnable run, long bytes) {
                return new Steady(npuAlone.cpuNanos(run, bytes).nanos(), false);
            }
        };
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            NpuOptions npu = new NpuOptions(1, 3, StopStrategy.DRAIN)
                    .timed(ProcessorTime.atRate(board.clock, 100), SplitListener.NONE);
            try (LocalModel model = open(NpuBackend.on(device, npu, unsteady))) {
                assertThat(model.name()).contains("CPU 100.0 GB/s (host))");
            }
            // Without a clock nobody sees what tokens take.
            NpuOptions blind = new NpuOptions(1, 3, StopStrategy.DRAIN);
            try (LocalModel model = open(NpuBackend.on(device, blind, unsteady))) {
                assertThat(model.name())
                        .contains("CPU 0.0 GB/s (host, not steady)")
                        .contains("I8, 5");
            }
        }
        board.assertNothingLeaked();
    }

    /** What was measured said the processor is slow, and tokens show that it is not. */
    @Test
    void aPlanThatTokensDoNotKeepIsMadeAnewAtTheOpening() throws IOException {
        String expected = onCpu();
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT)) {
            NpuOptions npu = new NpuOptions(1, 3, StopStrategy.DRAIN)
                    .timed(ProcessorTime.atRate(board.clock, 100), SplitListener.NONE);
            try (LocalModel model = open(NpuBackend.on(device, npu, Meter.atRate(board.clock, "model", 3)))) {
                assertThat(model.name()).contains("CPU 100.0 GB/s").contains(" on the CPU alone");
                assertThat(model.generate(ask("settled"), (sequence, text) -> {})
                                .text())
                        .isEqualTo(expected);
            }
        }
        board.assertNothingLeaked();
    }

    @Test
    @Tag("slow")
    void preemptionInFlightChangesNothingUnderAnyStrategy() throws IOException {
        String expected = onCpu();
        for (StopStrategy strategy : StopStrategy.values()) {
            NpuOptions pinned = new NpuOptions(0.75, 2, strategy);
            preempted(strategy, (board, device) -> NpuBackend.on(device, pinned), expected, "0.75 on 2 cores");
            preempted(strategy, (board, device) -> divided(board, device, strategy), expected, "divided by rates");
        }
    }

    @Test
    @Tag("slow")
    void withFourBitsOnTheProcessorTheTextDependsOnTheDivisionAlone() throws IOException {
        String expected = null;
        for (int cores : new int[] {1, 3}) {
            NpuOptions npu = new NpuOptions(0.5, cores, StopStrategy.DRAIN).withFourBits(true);
            EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
            try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                    LocalModel model = open(NpuBackend.on(device, npu));
                    LocalModel eight = open(CpuBackend.int8())) {
                assertThat(model.name()).contains("I8 and 4 bits");
                assertThat(model.logits(1, 40, 50)).isNotEqualTo(eight.logits(1, 40, 50));
                model.reset();
                String text = model.generate(ask("four bits"), (sequence, piece) -> {})
                        .text();
                expected = expected == null ? text : expected;
                assertThat(text).isEqualTo(expected);
            }
            assertThat(board.report.faults()).isEmpty();
            board.assertNothingLeaked();
            preempted(StopStrategy.DRAIN, (there, device) -> NpuBackend.on(device, npu), expected, "4 bits");
        }
    }

    @FunctionalInterface
    private interface Backends {
        Backend.Factory on(EmulatedBoard board, RknpuDevice device);
    }

    private static void preempted(StopStrategy strategy, Backends backends, String expected, String what)
            throws IOException {
        long seed = Long.getLong("portal.seed", 20260716L);
        boolean retires = strategy == StopStrategy.HALT;
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard().withHaltRetires(retires));
        RandomStream random = new RandomStream(seed).derive(strategy.name());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                LocalModel model = open(backends.on(board, device))) {
            Generation generation = model.start(ask("pieces"));
            Optional<Reply> reply = Optional.empty();
            int stops = 0;
            while (reply.isEmpty()) {
                int looks = random.nextInt(30);
                reply = generation.run((sequence, text) -> {}, after(looks));
                stops++;
            }
            assertThat(reply.orElseThrow().text())
                    .as(
                            "%s, %s, ./portal test -pl verification -Dtest=LlmOnEmulatorTest -Dportal.seed=%d",
                            strategy, what, seed)
                    .isEqualTo(expected);
            assertThat(stops).isGreaterThan(20);
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    /** Some groups on one core, some on more, some on the processor alone, under one submit a chain. */
    private static Backend.Factory divided(EmulatedBoard board, RknpuDevice device, StopStrategy strategy) {
        NpuOptions npu =
                new NpuOptions(1, 3, strategy).timed(ProcessorTime.atRate(board.clock, 1.5), SplitListener.NONE);
        return NpuBackend.on(device, npu, Meter.atRate(board.clock, "model", 1.5));
    }

    /** A flag that is set after some looks. */
    private static Preemption after(int looks) {
        int[] left = {looks};
        return () -> left[0]-- <= 0;
    }

    @Test
    void anAnswerCancelledInFlightLeavesNothing() throws IOException {
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard());
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT);
                LocalModel model = open(NpuBackend.on(device, new NpuOptions(1, 1, StopStrategy.DRAIN)))) {
            String whole = model.generate(ask("whole"), (sequence, text) -> {}).text();
            model.reset();
            Generation reading = model.start(ask("reading"));
            assertThat(reading.run((sequence, text) -> {}, after(1))).isEmpty();
            reading.cancel("barge-in");
            assertThat(reading.run((sequence, text) -> {}, Preemption.NEVER)
                            .orElseThrow()
                            .finish())
                    .isEqualTo(FinishReason.CANCELLED);
            assertThat(model.generate(ask("next"), (sequence, text) -> {}).text())
                    .isEqualTo(whole);
        }
        assertThat(board.report.faults()).isEmpty();
        board.assertNothingLeaked();
    }

    @Test
    void aDeviceThatIsLostFailsTheAnswerAndTheNextOneIsWhole() throws IOException {
        String expected = onCpu();
        EmulatedBoard board = new EmulatedBoard(Rk3588Options.standard()
                .withFaults(FaultPlan.of(new Fault(Kind.LOST_DISPATCH, new Trigger.Count(600, 1_000_000), 0))));
        try (RknpuDevice device = board.open(RknpuOptions.DEFAULT.withTimeoutMs(100));
                LocalModel model = open(NpuBackend.on(device, new NpuOptions(1, 1, StopStrategy.DRAIN)))) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 20; i++) {
                            model.generate(ask("lost-" + i), (sequence, text) -> {});
                            model.reset();
                        }
                    })
                    .isInstanceOfSatisfying(
                            LlmException.class, e -> assertThat(e.kind()).isEqualTo(LlmException.Kind.BACKEND));
            assertThat(model.generating()).isFalse();
            board.driver.heal();
            device.reset();
            assertThat(model.generate(ask("again"), (sequence, text) -> {}).text())
                    .isEqualTo(expected);
        }
        board.assertNothingLeaked();
    }
}
