package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Reply;
import org.junit.jupiter.api.Test;

class LlmBridgeTest {
    @Test
    void streamsAnAnswerTokenByToken() {
        Bench bench = new Bench().started();
        Reply reply = bench.bridge.generate(Bench.ask("turn-1", "turn on the light"), bench::collect);
        assertThat(bench.tokens).containsExactly("sure", ", turning", " on", " the", " light", ".");
        assertThat(reply.text()).isEqualTo("sure, turning on the light.");
        assertThat(reply.finish()).isEqualTo(FinishReason.STOP);
        assertThat(reply.promptTokens()).isEqualTo(4);
        assertThat(reply.completionTokens()).isEqualTo(6);
        assertThat(bench.bridge.generating()).isFalse();
    }
}
