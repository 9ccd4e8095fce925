package dev.portal.emulator.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger.Count;
import dev.portal.emulator.hexagon.DspBoard.Buffer;
import dev.portal.emulator.hexagon.DspBoard.Model;
import dev.portal.emulator.transcript.Entry;
import dev.portal.emulator.transcript.RecordingKernel;
import dev.portal.emulator.transcript.Replay;
import dev.portal.hardware.fastrpc.Capability;
import dev.portal.hardware.fastrpc.Fastrpc;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A session's talk with the kernel, recorded, dumped, read and replayed on other boards. */
class TranscriptTest {
    private static final HexagonOptions STANDARD = HexagonOptions.standard();

    /** A session with a model that is loaded, run and unloaded. */
    private static List<Entry> recorded(HexagonOptions options) {
        RecordingKernel[] recording = new RecordingKernel[1];
        try (DspBoard board = new DspBoard(options, (kernel, clock) -> {
            recording[0] = new RecordingKernel(kernel, clock, 1000);
            return recording[0];
        })) {
            Capability capability = new Capability(board.allocate(28));
            capability.domain(Fastrpc.DOMAIN_CDSP);
            capability.attributeId(Fastrpc.ATTRIBUTE_ARCH_VER);
            board.ioctl(Fastrpc.GET_DSP_INFO, capability.segment());
            assertThat(board.createProcess()).isZero();
            int skeleton = board.skeleton();
            Model model = board.load(
                    skeleton, ContextBinary.of(List.of(DspBoard.affine().image())));
            Buffer x = board.shared(4096);
            Buffer y = board.shared(4096);
            x.ints(1, 2, 3, 4);
            board.written(x);
            assertThat(board.setInput(skeleton, model.handle(), 0, 0, x.dsp(), 16))
                    .isZero();
            assertThat(board.execute(skeleton, model.handle(), 0)).isZero();
            assertThat(board.getOutput(skeleton, model.handle(), 0, 0, y.dsp(), 16))
                    .isZero();
            board.toRead(y);
            assertThat(y.ints()[3]).isEqualTo(17);
            assertThat(board.execute(skeleton, model.handle(), 5))
                    .as("an error is recorded, too")
                    .isNotZero();
            board.free(x);
            board.free(y);
            board.unload(skeleton, model.handle());
            board.closeModule(skeleton);
        }
        return recording[0].dump().lines().map(Entry::parse).toList();
    }

    private static List<String> replayed(List<Entry> transcript, HexagonOptions options) {
        try (DspBoard board = new DspBoard(options)) {
            List<String> differences = Replay.run(transcript, board.kernel);
            board.kernel.close(board.fd);
            assertThat(board.driver.usage()).isEqualTo(FastRpcDriver.Usage.NONE);
            return differences;
        }
    }

    @Test
    void aBoardWithOtherAddressesAndHandlesGivesTheSameAnswers() {
        List<Entry> transcript = recorded(STANDARD);
        assertThat(transcript).hasSizeGreaterThan(30);
        assertThat(replayed(transcript, STANDARD)).isEmpty();
        assertThat(replayed(transcript, STANDARD.withSeed(99))).isEmpty();
    }

    @Test
    void anotherKernelsAnswersAreNamed() {
        List<Entry> transcript = recorded(STANDARD);
        assertThat(replayed(transcript, STANDARD.withProfile(DriverProfile.V6_1)))
                .singleElement()
                .asString()
                .contains("GET_DSP_INFO", "the capability differs from byte 0");
    }

    @Test
    void aWrongByteOfTheDspIsFound() {
        List<Entry> transcript = recorded(STANDARD);
        FaultPlan plan = FaultPlan.of(new Fault(Kind.CORRUPTED_BYTE, new Count(1, 1), 6));
        assertThat(replayed(transcript, STANDARD.withFaults(plan)))
                .singleElement()
                .asString()
                .contains("DMA_BUF_SYNC", "the buffer differs from byte 6");
    }

    @Test
    void aBoardThatRefusesAProcessDiffersThereAndAfter() {
        List<Entry> transcript = recorded(STANDARD);
        List<String> differences = replayed(transcript, STANDARD.withFirmwareBuild("CDSP.HT.9.9-00001-OTHER-1"));
        assertThat(differences.getFirst()).contains("INIT_CREATE", "0 then, -1 ETIMEDOUT (110) now");
        assertThat(differences).hasSizeGreaterThan(3);
    }

    @Test
    void theRingKeepsTheLastCalls() {
        RecordingKernel[] recording = new RecordingKernel[1];
        try (DspBoard board = new DspBoard(STANDARD, (kernel, clock) -> {
            recording[0] = new RecordingKernel(kernel, clock, 5);
            return recording[0];
        })) {
            for (int i = 0; i < 10; i++) {
                board.kernel.close(500 + i);
            }
        }
        assertThat(recording[0].entries())
                .hasSize(5)
                .allMatch(entry -> entry.call().equals("close"));
        assertThat(recording[0].entries().get(3).number("errno")).isEqualTo(9);
    }
}
