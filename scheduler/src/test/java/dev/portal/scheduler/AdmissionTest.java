package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.Admission.Declaration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The illustration of the golden task sets: STT 45 every 320, TTS 240 every 1000, LLM 60 every 500 (milliseconds). */
class AdmissionTest {
    private static final long MS = 1_000_000;

    private final Admission admission = new Admission(30_000 * MS, null);

    private static Declaration stt(long deadlineMs) {
        return new Declaration(
                NpuWorkload.STT_ENCODER, NpuPriority.MEDIUM, 320 * MS, List.of(45 * MS), deadlineMs * MS);
    }

    private static Declaration tts(Long... segmentsMs) {
        List<Long> segments = List.of(segmentsMs).stream().map(s -> s * MS).toList();
        return new Declaration(NpuWorkload.TTS_DECODER, NpuPriority.LOW, 1000 * MS, segments, 5000 * MS);
    }

    @Test
    void aLongLowerSegmentIsRefusedWithTheCutThatWouldHelp() {
        admission.admit(stt(600));
        assertThat(admission.admit(tts(240L))).hasSize(2);
        admission.withdraw(NpuWorkload.TTS_DECODER);
        admission.withdraw(NpuWorkload.STT_ENCODER);
        // Promotion may put one whole TTS execution before STT: 240 + 45. With a deadline of 330 a block of 45 is left.
        admission.admit(stt(330));
        assertThatThrownBy(() -> admission.admit(tts(240L)))
                .isInstanceOf(NpuException.AdmissionRefused.class)
                .hasMessageContaining("TTS_DECODER cannot be admitted")
                .hasMessageContaining("STT_ENCODER would answer within")
                .hasMessageContaining("after its deadline of 330 ms")
                .hasMessageContaining("cut the 240 ms segment of TTS_DECODER to at most 45");
        Long[] cut = Collections.nCopies(6, 40L).toArray(Long[]::new);
        assertThat(admission.admit(tts(cut)))
                .allSatisfy(r -> assertThat(r.missedByNs()).isZero());
    }

    @Test
    void aRefusalChangesNothing() {
        admission.admit(stt(100));
        assertThatThrownBy(() -> admission.admit(tts(240L))).isInstanceOf(NpuException.AdmissionRefused.class);
        assertThat(admission.responses()).hasSize(1);
    }

    @Test
    void overloadIsRefusedWithoutACut() {
        admission.admit(stt(400));
        Declaration greedy = new Declaration(NpuWorkload.LLM, NpuPriority.LOW, 100 * MS, List.of(100 * MS), 1000 * MS);
        assertThatThrownBy(() -> admission.admit(greedy))
                .hasMessageContaining("LLM would have no bound")
                .hasMessageContaining("lower a cost or raise a period");
    }

    @Test
    void theSameWorkloadTwiceIsRefused() {
        admission.admit(stt(400));
        assertThatThrownBy(() -> admission.admit(stt(400))).hasMessageContaining("is admitted already");
    }

    @Test
    void aMeasurementAboveTheDeclarationIsReportedWithWhoNowMisses() {
        admission.admit(stt(60));
        assertThat(admission.measured(NpuWorkload.STT_ENCODER, 40 * MS)).isEmpty();
        assertThat(admission.measured(NpuWorkload.STT_ENCODER, 67 * MS))
                .containsExactly(
                        "STT_ENCODER was admitted on 45 ms, now seen 67 ms",
                        "STT_ENCODER would answer within 67 ms, 7 ms after its deadline of 60 ms");
    }
}
