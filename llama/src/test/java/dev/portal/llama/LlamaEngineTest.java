package dev.portal.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.llm.bridge.ChildServer.Ask;
import java.util.List;
import org.junit.jupiter.api.Test;

class LlamaEngineTest {
    @Test
    void aResetKeepsTheNextGenerationAndOnlyThatFromTheCache() {
        LlamaEngine engine = new LlamaEngine(1, new VirtualClock());
        assertThat(asked(engine)).contains("\"cache_prompt\": true");
        engine.reset();
        assertThat(asked(engine)).contains("\"cache_prompt\": false");
        assertThat(asked(engine)).contains("\"cache_prompt\": true");
    }

    private static String asked(LlamaEngine engine) {
        Ask ask = new Ask("hello", List.of(), 4, 0, 1, 1, List.of(), 0);
        return engine.parameters(ask, "hello", 4).toString();
    }
}
