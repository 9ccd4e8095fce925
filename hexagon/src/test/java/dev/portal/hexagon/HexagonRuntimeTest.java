package dev.portal.hexagon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.Clock;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import dev.portal.scheduler.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HexagonRuntimeTest {
    private static final TensorSpec BYTES = new TensorSpec("x", Tensor.Type.INT8, new long[] {4});
    private static final List<GraphSpec> GRAPHS = List.of(
            new GraphSpec("add-one", List.of(BYTES), List.of(new TensorSpec("y", Tensor.Type.INT8, new long[] {4}))));

    private final ScriptedKernel kernel = new ScriptedKernel();
    private final ScriptedDsp dsp = new ScriptedDsp(kernel);
    private final TestClock clock = new TestClock();
    private final HexagonOptions options =
            HexagonOptions.defaults().withOwnThreads(thread -> true).withListener(false);
    private final ShellPolicy shell = new Shells().install(kernel);
    private final HexagonRuntime runtime = start();

    private HexagonRuntime start() {
        kernel.file("/model.so", "a model of this test's");
        return HexagonRuntime.stepped(kernel, kernel, clock, options, shell);
    }

    @AfterEach
    void nothingIsLeft() {
        runtime.close();
        assertThat(kernel.open).isEmpty();
        assertThat(kernel.mappings).isZero();
        assertThat(kernel.dspMaps).isEmpty();
    }

    private HexagonModel model() {
        return runtime.load("test", "/model.so", GRAPHS);
    }

    private static Tensor bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return new Tensor("x", Tensor.Type.INT8, new long[] {values.length}, MemorySegment.ofArray(bytes));
    }

    private QnnGraphJob job(HexagonModel model, QnnGraphJob.Options how) {
        return new QnnGraphJob(runtime, model, 0, NpuWorkload.STT_ENCODER, List.of(bytes(1, 2, 3, 4)), how);
    }

    private static byte[] result(NpuJobResult result) {
        return ((NpuJobResult.Completed) result).output("y").data().toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void theShellIsVerifiedInTheBufferThatTheKernelIsGivenAndFreedAfterwards() {
        assertThat(kernel.log)
                .containsSubsequence(
                        "DMA_HEAP_ALLOC",
                        "mmap heap buffer",
                        "DMA_BUF_SYNC 3",
                        "DMA_BUF_SYNC 7",
                        "DMA_BUF_SYNC 1",
                        "DMA_BUF_SYNC 5",
                        "INIT_CREATE",
                        "process attrs 8 of 8192 bytes",
                        "munmap",
                        "close heap buffer",
                        "INVOKE remotectl1 (method 2, 2 in, 2 out)");
    }

    @Test
    void aGraphRunsThroughTheFiveCalls() {
        HexagonModel model = model();
        kernel.log.clear();
        assertThat(result(job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER)))
                .containsExactly(2, 3, 4, 5);
        assertThat(kernel.log.stream()
                        .filter(line -> line.startsWith("INVOKE"))
                        .map(line -> line.substring(line.indexOf('.') + 1, line.indexOf(' ', line.indexOf('.')))))
                .containsExactly("set_input", "execute", "get_output");
        runtime.unload(model);
        runtime.unload(model);
        assertThat(kernel.log).anyMatch(line -> line.contains("model_unload"));
        assertThatThrownBy(() -> job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER))
                .hasMessageContaining("is not loaded");
    }

    @Test
    void sizesAreCheckedBeforeAnythingIsSent() {
        HexagonModel model = model();
        assertThatThrownBy(() -> new QnnGraphJob(
                        runtime, model, 0, NpuWorkload.LLM, List.of(bytes(1, 2, 3)), QnnGraphJob.Options.DEFAULT))
                .hasMessageContaining("is declared as x INT8[4], 4 bytes");
        assertThatThrownBy(() ->
                        new QnnGraphJob(runtime, model, 0, NpuWorkload.LLM, List.of(), QnnGraphJob.Options.DEFAULT))
                .hasMessageContaining("has 1 inputs and was given 0");
    }

    @Test
    void fourModelsAndEightGraphsFit() {
        List<HexagonModel> models = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            models.add(model());
        }
        assertThatThrownBy(this::model)
                .isInstanceOf(HexagonException.BudgetExceeded.class)
                .hasMessageContaining("one more than the 4");
        runtime.unload(models.getFirst());
        dsp.graphs = 9;
        assertThatThrownBy(() -> runtime.load("test", "/model.so", Collections.nCopies(9, GRAPHS.getFirst())))
                .isInstanceOf(HexagonException.BudgetExceeded.class)
                .hasMessageContaining("has 9 graphs; 8 fit");
        dsp.graphs = 8;
        runtime.load("test", "/model.so", Collections.nCopies(8, GRAPHS.getFirst()));
    }

    @Test
    void aModelWhoseDescriptionDiffersIsUnloadedAgain() {
        dsp.graphs = 2;
        int open = kernel.open.size();
        assertThatThrownBy(this::model).hasMessageContaining("has 2 graphs on the DSP and 1 in its description");
        assertThat(kernel.log).anyMatch(line -> line.contains("model_unload"));
        assertThat(kernel.open).hasSize(open);
    }

    @Test
    void aModuleThatIsNotFoundSaysWhatTheLoaderSays() {
        dsp.loadError = AeeError.ENOSUCHFILE.code();
        assertThatThrownBy(this::start)
                .isInstanceOfSatisfying(
                        HexagonException.ModuleFailed.class,
                        e -> assertThat(e.error()).isEqualTo(AeeError.ENOSUCHFILE.code()))
                .hasMessageContaining("cannot open libportal_qnn_skel.so");
    }

    @Test
    void thePlainRemotectlIsAskedWhereTheFirmwareHasNoOther() {
        dsp.plainRemotectl = true;
        HexagonRuntime other = start();
        assertThat(kernel.log).anyMatch(line -> line.startsWith("INVOKE remotectl (method 0"));
        other.close();
        assertThat(kernel.log).anyMatch(line -> line.startsWith("INVOKE remotectl (method 1"));
    }

    @Test
    void afterARestartTheModelsAreLoadedAgainAndAnIdempotentJobIsReplayedOnce() {
        HexagonModel model = model();
        List<Long> failures = new ArrayList<>(List.of(Answer.error(Errno.EPIPE)));
        dsp.execute = () -> failures.isEmpty() ? 0 : failures.removeFirst();
        assertThat(result(job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER)))
                .containsExactly(2, 3, 4, 5);
        assertThat(dsp.executions).isEqualTo(2);
        assertThat(runtime.sessionsOpened()).isEqualTo(2);
        failures.addAll(List.of(Answer.error(Errno.EPIPE), Answer.error(Errno.EPIPE)));
        assertThatThrownBy(() -> job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER))
                .isInstanceOf(HexagonException.DspRestarted.class);
        assertThat(dsp.executions).as("once, and not again").isEqualTo(4);
    }

    @Test
    void aJobThatMayNotRunTwiceFailsTypedAndTheNextOneFindsANewSession() {
        HexagonModel model = model();
        QnnGraphJob.Options once = new QnnGraphJob.Options(false, Clock.NEVER, 0, true, "");
        List<Long> failures = new ArrayList<>(List.of(Answer.error(Errno.EPIPE)));
        dsp.execute = () -> failures.isEmpty() ? 0 : failures.removeFirst();
        assertThatThrownBy(() -> job(model, once).execute(Preemption.NEVER))
                .isInstanceOf(HexagonException.DspRestarted.class);
        assertThat(result(job(model, once).execute(Preemption.NEVER))).containsExactly(2, 3, 4, 5);
    }

    @Test
    void aReplayAfterTheDeadlineIsNotMade() {
        HexagonModel model = model();
        QnnGraphJob.Options late = new QnnGraphJob.Options(true, clock.nanos() + 1_000, 0, true, "");
        dsp.execute = () -> {
            clock.advance(2_000);
            return Answer.error(Errno.EPIPE);
        };
        assertThatThrownBy(() -> job(model, late).execute(Preemption.NEVER))
                .isInstanceOf(HexagonException.DspRestarted.class);
        assertThat(dsp.executions).isEqualTo(1);
    }

    @Test
    void nodesThatVanishForAWhileAreWaitedForAndNotForEver() {
        HexagonModel model = model();
        dsp.execute = () -> dsp.executions == 1 ? vanish() : 0;
        long before = clock.nanos();
        assertThatThrownBy(() -> job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER))
                .isInstanceOf(HexagonException.Unavailable.class);
        assertThat(clock.nanos() - before).isBetween(options.restartWaitNanos(), 2 * options.restartWaitNanos());
        kernel.nodes.add(Fastrpc.NODE_CDSP);
        assertThat(result(job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER)))
                .containsExactly(2, 3, 4, 5);
    }

    private long vanish() {
        kernel.nodes.removeAll(List.of(Fastrpc.NODE_CDSP_SECURE, Fastrpc.NODE_CDSP));
        return Answer.error(Errno.EPIPE);
    }

    @Test
    void aPreemptedGraphStopsOnceAndThenRunsThrough() {
        HexagonModel model = model();
        dsp.lastQnnCode = QnnWire.QNN_ABORTED;
        dsp.execute = () -> {
            runtime.watch();
            int epoch = dsp.memory(dsp.controlAddress).get(ValueLayout.JAVA_INT, QnnWire.CONTROL_BLOCK_ABORT_EPOCH);
            return epoch == 0 || dsp.executions > 1 ? 0 : Answer.of(AeeError.EFAILED.onDsp());
        };
        QnnGraphJob job = job(model, QnnGraphJob.Options.DEFAULT);
        assertThat(job.execute(() -> true)).isInstanceOf(NpuJobResult.Yielded.class);
        assertThat(result(job.execute(() -> true))).containsExactly(2, 3, 4, 5);
        int epoch = dsp.memory(dsp.controlAddress).get(ValueLayout.JAVA_INT, QnnWire.CONTROL_BLOCK_ABORT_EPOCH);
        assertThat(epoch).as("the second run was not asked to stop").isEqualTo(1);
        assertThat(dsp.memory(dsp.controlAddress).get(ValueLayout.JAVA_INT, 0)).isEqualTo(QnnWire.CONTROL_MAGIC);
    }

    @Test
    void aSkeletonWithoutAControlBlockRunsItsGraphsThrough() {
        dsp.control = false;
        HexagonModel model = model();
        assertThat(result(job(model, QnnGraphJob.Options.DEFAULT).execute(() -> true)))
                .containsExactly(2, 3, 4, 5);
    }

    @Test
    void aFailureOfTheGraphNamesTheQnnCode() {
        HexagonModel model = model();
        dsp.lastQnnCode = QnnWire.QNN_INVALID_TENSOR;
        dsp.execute = () -> Answer.of(AeeError.EFAILED.onDsp());
        assertThatThrownBy(() -> job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER))
                .isInstanceOf(HexagonException.DspFailed.class)
                .hasMessageContaining("QNN says 6004");
    }

    @Test
    void aCallThatHangsIsNeverReplayed() {
        HexagonModel model = model();
        dsp.execute = () -> {
            clock.advance(options.hangNanos() + 1);
            runtime.watch();
            return Answer.error(Errno.EINTR);
        };
        assertThatThrownBy(() -> job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER))
                .isInstanceOf(HexagonException.DspHung.class);
        assertThat(dsp.executions).isEqualTo(1);
        dsp.execute = () -> 0;
        assertThat(result(job(model, QnnGraphJob.Options.DEFAULT).execute(Preemption.NEVER)))
                .containsExactly(2, 3, 4, 5);
    }

    @Test
    void registeringDrivesLoadAndUnload(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("encoder.bin");
        Files.writeString(file, "twelve bytes");
        kernel.file(file.toString(), "twelve bytes");
        try (PortalNpuScheduler arbiter =
                PortalNpuScheduler.stepped(available(), SchedulerOptions.defaults(), clock, SchedulerListener.NONE)) {
            HexagonScheduler scheduler = new HexagonScheduler(arbiter, runtime, path -> GRAPHS);
            scheduler.registerModel(NpuCore.STT, NpuWorkload.STT_ENCODER, file.toString());
            assertThat(scheduler.registeredModels()).hasSize(1);
            HexagonModel model =
                    scheduler.model(NpuCore.STT, NpuWorkload.STT_ENCODER).orElseThrow();
            NpuJobResult.Completed done =
                    scheduler.submitInference(NpuCore.STT, job(model, QnnGraphJob.Options.DEFAULT));
            assertThat(result(done)).containsExactly(2, 3, 4, 5);
            assertThat(arbiter.monitor().consecutiveFailures()).isZero();
            scheduler.unregisterModel(NpuCore.STT, NpuWorkload.STT_ENCODER);
            assertThat(kernel.log).anyMatch(line -> line.contains("model_unload"));
            dsp.graphs = 3;
            assertThatThrownBy(() -> scheduler.registerModel(NpuCore.STT, NpuWorkload.STT_ENCODER, file.toString()))
                    .isInstanceOf(NpuException.ModelRegistrationFailed.class)
                    .hasCauseInstanceOf(HexagonException.ModuleFailed.class);
            assertThat(scheduler.registeredModels()).isEmpty();
        }
    }

    @Test
    void failuresReachTheMonitor() {
        HexagonModel model = model();
        dsp.execute = () -> Answer.of(AeeError.EBADSTATE.onDsp());
        try (PortalNpuScheduler arbiter =
                PortalNpuScheduler.stepped(available(), SchedulerOptions.defaults(), clock, SchedulerListener.NONE)) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> arbiter.submitInference(NpuCore.STT, job(model, QnnGraphJob.Options.DEFAULT)))
                        .isInstanceOf(NpuException.JobFailed.class)
                        .hasCauseInstanceOf(HexagonException.DspFailed.class);
            }
            assertThat(arbiter.monitor().status()).isEqualTo(dev.portal.scheduler.NpuMonitor.Status.DEGRADED);
        }
    }

    private static NpuDetection available() {
        return new NpuDetection(
                true, NpuDetection.Transport.EMULATED, 3, 3, Optional.empty(), true, "the test says so");
    }

    @Test
    void aDspThatDoesNotOpenMakesTheArbiterUnavailableWithTheReason() {
        HexagonStart good = HexagonStart.attempt(available(), () -> runtime);
        assertThat(good.opened()).contains(runtime);
        HexagonStart bad = HexagonStart.attempt(available(), () -> {
            throw new HexagonException.Denied("the node is closed to this user");
        });
        assertThat(bad.opened()).isEmpty();
        assertThat(bad.detection().available()).isFalse();
        assertThat(bad.detection().why()).contains("the test says so, but it cannot be used: the node is closed");
        HexagonStart none = HexagonStart.attempt(bad.detection(), () -> runtime);
        assertThat(none.opened()).isEmpty();
    }
}
