package dev.portal.verification.hexagon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.hexagon.ContextBinary;
import dev.portal.emulator.hexagon.DriverProfile;
import dev.portal.emulator.hexagon.EmulatedShell;
import dev.portal.emulator.hexagon.HexagonOptions;
import dev.portal.emulator.hexagon.Telemetry;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hexagon.DmaBuffer;
import dev.portal.hexagon.FastRpcSession;
import dev.portal.hexagon.HexagonException;
import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.hexagon.HexagonException.ShellRefused.Reason;
import dev.portal.hexagon.HexagonModel;
import dev.portal.hexagon.HexagonRuntime;
import dev.portal.hexagon.HexagonScheduler;
import dev.portal.hexagon.QnnGraphJob;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.scheduler.JobTrace;
import dev.portal.scheduler.NpuCore;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole way, from a tensor to the DSP and back, on each kernel that the emulator knows. */
final class TransportOnEmulatorTest {
    @ParameterizedTest
    @EnumSource(DriverProfile.class)
    void aGraphComputesExactlyOnEveryKernelAndNothingIsLeft(DriverProfile profile) {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard().withProfile(profile));
        try (HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread())) {
            assertThat(runtime.session().node()).isEqualTo(Fastrpc.NODE_CDSP_SECURE);
            assertThat(runtime.session().capability(Fastrpc.ATTRIBUTE_UNSIGNED_PD_SUPPORT))
                    .contains(1);
            for (String container : List.of(HexagonBoard.MODEL, HexagonBoard.LIBRARY)) {
                HexagonModel model = runtime.load("affine", container, HexagonBoard.GRAPHS);
                assertThat(run(runtime, model, 1, -2, 30, -400)).containsExactly(8, 0, 95, 0);
                assertThat(run(runtime, model, 7, 7, 7, 7)).containsExactly(26, 26, 26, 26);
                runtime.unload(model);
            }
        }
        board.assertNothingLeft(profile.name());
        board.assertNoMisuse(profile.name());
    }

    private static int[] run(HexagonRuntime runtime, HexagonModel model, int... x) {
        return HexagonBoard.output((NpuJobResult.Completed)
                HexagonBoard.job(runtime, model, NpuWorkload.STT_ENCODER, QnnGraphJob.Options.DEFAULT, x)
                        .execute(Preemption.NEVER));
    }

    @Test
    void theModelsBytesCameFromTheDspsMemory() {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard());
        try (HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread())) {
            runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
            byte[] file = ContextBinary.of(List.of(HexagonBoard.affine().image()));
            assertThat(board.driver.telemetry().loadedModels())
                    .as("the container, and the graph in it")
                    .containsExactlyInAnyOrder(
                            Telemetry.sha256(file),
                            Telemetry.sha256(HexagonBoard.affine().image().body()));
        }
        board.assertNothingLeft("");
    }

    @Test
    void buffersComeFromTheSessionWhereThereIsNoHeap() {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard().withHeaps(List.of()));
        try (HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread())) {
            HexagonModel model = runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
            assertThat(run(runtime, model, 1, 2, 3, 4)).containsExactly(8, 11, 14, 17);
            try (DmaBuffer buffer = runtime.session().allocate(1)) {
                assertThat(buffer.heap()).isEqualTo("ALLOC_DMA_BUFF");
            }
        }
        board.assertNothingLeft("");
    }

    @Test
    void aTraceOfAJobHasItsThreeParts(@TempDir Path folder) throws IOException {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard());
        List<JobTrace> traces = new ArrayList<>();
        SchedulerListener listener = new SchedulerListener() {
            @Override
            public void jobEnded(JobTrace trace) {
                traces.add(trace);
            }
        };
        Path file = folder.resolve("affine.bin");
        byte[] bytes = ContextBinary.of(List.of(HexagonBoard.affine().image()));
        Files.write(file, bytes);
        board.kernel.putFile(file.toString(), bytes, 0, 0100644);
        try (HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread());
                PortalNpuScheduler arbiter = PortalNpuScheduler.stepped(
                        HexagonBoard.emulated(3), SchedulerOptions.defaults(), board.clock, listener)) {
            HexagonScheduler scheduler = new HexagonScheduler(arbiter, runtime, path -> HexagonBoard.GRAPHS);
            scheduler.registerModel(NpuCore.TTS, NpuWorkload.TTS_ENCODER, file.toString());
            HexagonModel model =
                    scheduler.model(NpuCore.TTS, NpuWorkload.TTS_ENCODER).orElseThrow();
            scheduler.submitInference(
                    NpuCore.TTS,
                    HexagonBoard.job(runtime, model, NpuWorkload.TTS_ENCODER, QnnGraphJob.Options.DEFAULT, 1, 2, 3, 4));
            // Model: 60 us a call, a millisecond a node.
            assertThat(traces).singleElement().satisfies(trace -> {
                assertThat(trace.copyInNanos()).isEqualTo(60_000);
                assertThat(trace.deviceNanos()).isEqualTo(3_060_000);
                assertThat(trace.copyOutNanos()).isEqualTo(60_000);
            });
            assertThat(board.driver.telemetry().executions()).containsEntry("affine", 1L);
            scheduler.unregisterModel(NpuCore.TTS, NpuWorkload.TTS_ENCODER);
            assertThat(board.driver.usage().models()).isZero();
        }
        board.assertNothingLeft("");
    }

    @Test
    void aPreemptedGraphStopsWithinAStepAndALook() {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard());
        try (HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread())) {
            HexagonModel model = runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
            QnnGraphJob job =
                    HexagonBoard.job(runtime, model, NpuWorkload.LLM, QnnGraphJob.Options.DEFAULT, 1, 2, 3, 4);
            VirtualClock clock = (VirtualClock) board.clock;
            long start = clock.nanos();
            assertThat(job.execute(() -> true)).isInstanceOf(NpuJobResult.Yielded.class);
            long look = HexagonBoard.oneThread().watchPeriodNanos();
            assertThat(clock.nanos() - start).isLessThanOrEqualTo(look + 1_000_000 + 4 * 60_000);
            assertThat(HexagonBoard.output((NpuJobResult.Completed) job.execute(() -> true)))
                    .containsExactly(8, 11, 14, 17);
            assertThat(board.driver.telemetry().executions()).containsEntry("affine", 1L);
        }
        board.assertNothingLeft("");
    }

    @Test
    void aShellOfAnotherBuildTimesOutAndABuildInTheManifestSaysSoAtOnce() {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard());
        byte[] other = EmulatedShell.of("CDSP.HT.2.5.c3-00002-PORTAL-1");
        board.install(other, HexagonBoard.sign(board.owner, other));
        long start = board.clock.nanos();
        assertThatThrownBy(() -> HexagonRuntime.stepped(
                        board.kernel, board.kernel, board.clock, HexagonBoard.oneThread(), board.policy(other)))
                .isInstanceOf(HexagonException.Refused.class)
                .hasMessageContaining("another firmware build");
        assertThat(board.clock.nanos() - start).as("ten seconds, of the model").isGreaterThanOrEqualTo(10_000_000_000L);
        ShellPolicy plain = board.policy(other);
        ShellPolicy named = new ShellPolicy(
                3,
                plain.path(),
                plain.sha256(),
                plain.publicKey(),
                0,
                Optional.of(HexagonOptions.STANDARD_BUILD),
                Long.MAX_VALUE);
        long again = board.clock.nanos();
        refused(board, named, Reason.WRONG_BUILD);
        assertThat(board.clock.nanos() - again).isLessThan(1_000_000);
        board.assertNothingLeft("");
    }

    @Test
    void aRefusedShellMakesNoProcessAndLeavesNothing() {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard());
        ShellPolicy good = board.policy(board.shell);
        byte[] changed = board.shell.clone();
        changed[9000] ^= 1;
        board.install(changed, HexagonBoard.sign(board.owner, changed));
        refused(board, good, Reason.HASH_MISMATCH);
        board.install(board.shell, HexagonBoard.sign(HexagonBoard.newKeys(), board.shell));
        refused(board, good, Reason.SIGNATURE_INVALID);
        board.install(board.shell, new byte[0]);
        refused(board, good, Reason.SIGNATURE_INVALID);
        board.install(new byte[(2 << 20) + 1], HexagonBoard.sign(board.owner, board.shell));
        refused(board, good, Reason.TOO_LARGE);
        board.install("no shell".getBytes(java.nio.charset.StandardCharsets.UTF_8), new byte[64]);
        refused(board, good, Reason.NOT_HEXAGON);
        board.kernel.putFile(ShellPolicy.DEFAULT_PATH, board.shell, 0, 0100664);
        refused(board, good, Reason.BAD_OWNERSHIP);
        board.kernel.putFile(ShellPolicy.DEFAULT_PATH, board.shell, 1000, 0100644);
        refused(board, good, Reason.BAD_OWNERSHIP);
        board.install(board.shell, HexagonBoard.sign(board.owner, board.shell));
        board.stepped(HexagonBoard.oneThread()).close();
        board.assertNothingLeft("the good one still opens");
    }

    private static void refused(HexagonBoard board, ShellPolicy policy, Reason reason) {
        assertThatThrownBy(() -> HexagonRuntime.stepped(
                        board.kernel, board.kernel, board.clock, HexagonBoard.oneThread(), policy))
                .isInstanceOfSatisfying(
                        ShellRefused.class,
                        e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
        assertThat(board.driver.usage().processes()).isZero();
        board.assertNothingLeft(reason.name());
    }

    @Test
    void everySessionTakenIsSaidAndTheSecondDescriptorTakesNone() {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard().withSessions(1));
        try (HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread())) {
            assertThat(board.driver.usage().sessions()).isEqualTo(1);
            assertThatThrownBy(() -> board.stepped(HexagonBoard.oneThread()))
                    .isInstanceOf(HexagonException.NoSession.class)
                    .hasMessageContaining("every session of the DSP is taken");
            FastRpcSession session = runtime.session();
            assertThat(session.isOpen()).isTrue();
        }
        board.assertNothingLeft("");
    }
}
