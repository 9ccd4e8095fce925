package dev.portal.verification.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.emulator.hexagon.HexagonOptions;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.hexagon.CallFrame;
import dev.portal.hexagon.DmaBuffer;
import dev.portal.hexagon.FastRpcSession;
import dev.portal.hexagon.HexagonException;
import dev.portal.hexagon.HexagonModel;
import dev.portal.hexagon.HexagonRuntime;
import dev.portal.hexagon.QnnGraphJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Random scalars, handles and packed arguments: every call ends typed, and a graph computes right beside them. */
final class PackedArgumentsFuzzTest {
    private static final int CALLS = 20_000;

    @Test
    void whateverIsPackedTheCallEndsTypedAndTheNextGraphIsRight() {
        long seed = Long.getLong("portal.seed", 515_253L);
        String rerun = "rerun with -Dportal.seed=" + seed;
        RandomStream random = new RandomStream(seed);
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard().withSeed(seed));
        try (HexagonRuntime runtime = board.stepped(HexagonBoard.oneThread())) {
            HexagonModel model = runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
            FastRpcSession session = runtime.session();
            DmaBuffer mapped = session.allocate(8192);
            session.mapToDsp(mapped);
            int refused = 0;
            for (int i = 0; i < CALLS; i++) {
                CallFrame frame = frame(random, mapped, model.handle().orElseThrow());
                try {
                    session.invoke(random.nextInt(8) == 0 ? random.nextInt() : runtime.moduleHandle(), frame);
                } catch (HexagonException.DspFailed | HexagonException.Refused e) {
                    refused++;
                    assertThat(e.getMessage()).as("%s, call %d", rerun, i).isNotBlank();
                }
            }
            assertThat(refused).as(rerun).isBetween(CALLS / 2, CALLS);
            assertThat(session.isOpen()).as(rerun).isTrue();
            // Random calls may have unloaded the model; another one is loaded and right.
            HexagonModel fresh = runtime.load("affine", HexagonBoard.MODEL, HexagonBoard.GRAPHS);
            NpuJobResult done = HexagonBoard.job(
                            runtime, fresh, NpuWorkload.LLM, QnnGraphJob.Options.DEFAULT, 1, 2, 3, 4)
                    .execute(Preemption.NEVER);
            assertThat(HexagonBoard.output((NpuJobResult.Completed) done))
                    .as(rerun)
                    .containsExactly(8, 11, 14, 17);
        }
        board.assertNothingLeft(rerun);
    }

    private static CallFrame frame(RandomStream random, DmaBuffer mapped, int model) {
        int method = random.nextInt(4) == 0 ? random.nextInt(32) : QnnWire.SET_INPUT + random.nextInt(3);
        if (method == QnnWire.MODEL_LOAD || method == RemotectlWire.CLOSE) {
            method = QnnWire.EXECUTE;
        }
        int ins = random.nextInt(6) == 0 ? random.nextInt(5) : 1;
        int outs = random.nextInt(4) == 0 ? random.nextInt(4) : 0;
        int inBytes = ins == 0 ? 0 : random.nextInt(5) == 0 ? 1 + random.nextInt(64) : QnnWire.TENSOR_IN_BYTES;
        CallFrame frame = new CallFrame("fuzz", Scalars.of(method, ins, outs), inBytes, 0);
        for (long at = 0; at + 4 <= inBytes; at += 4) {
            int word = switch (random.nextInt(4)) {
                case 0 -> random.nextInt();
                case 1 -> model;
                case 2 -> (int) mapped.dspAddress() + random.nextInt(9000);
                default -> random.nextInt(20);
            };
            frame.in().set(ValueLayout.JAVA_INT, at, word);
        }
        for (int i = inBytes > 0 ? 1 : 0; i < ins + outs; i++) {
            if (random.nextBoolean()) {
                long offset = random.nextInt(4096);
                frame.buffer(i, mapped, offset, random.nextInt(4096));
            } else {
                MemorySegment inline = Arena.ofAuto().allocate(1 + random.nextInt(300), 8);
                frame.inline(i, inline);
            }
        }
        return frame;
    }
}
