package dev.portal.voice;

import static dev.portal.voice.Feature.NETWORK_AUDIO;
import static dev.portal.voice.Feature.NLU_MINILM;
import static dev.portal.voice.Feature.NPU_SCHEDULER;
import static dev.portal.voice.Feature.NPU_STT;
import static dev.portal.voice.Feature.QNN_SCHEDULER;
import static dev.portal.voice.Feature.QNN_STT;
import static dev.portal.voice.Feature.QNN_TTS;
import static dev.portal.voice.Feature.QNN_VAD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FeatureTest {
    @Test
    void theProductionProfileIsTheSeedsBuildAndBringsTheSchedulerThroughTts() {
        assertThat(Feature.parse("production"))
                .containsExactlyInAnyOrder(QNN_TTS, QNN_VAD, NPU_STT, NETWORK_AUDIO, NLU_MINILM, QNN_SCHEDULER);
        assertThat(Feature.withScheduler(Feature.parse("production"))).isTrue();
    }

    @Test
    void onlyTtsAndTheSchedulerFlagsBringTheScheduler() {
        assertThat(Feature.withScheduler(Feature.parse("qnn-stt,qnn-vad"))).isFalse();
        assertThat(Feature.withScheduler(Feature.parse("npu-scheduler"))).isTrue();
        assertThat(Feature.withScheduler(Feature.parse("qnn-tts"))).isTrue();
        assertThat(Feature.parse(" qnn-stt , ,npu-scheduler")).containsExactlyInAnyOrder(QNN_STT, NPU_SCHEDULER);
        assertThat(Feature.parse("")).isEmpty();
    }

    @Test
    void anUnknownNameIsRefusedWithTheNamesThereAre() {
        assertThatThrownBy(() -> Feature.parse("qnn-tss"))
                .hasMessageContaining("'qnn-tss'")
                .hasMessageContaining("qnn-tts")
                .hasMessageContaining("production");
    }
}
