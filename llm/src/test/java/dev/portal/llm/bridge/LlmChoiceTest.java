package dev.portal.llm.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LlmChoiceTest {
    @TempDir
    Path folder;

    @Test
    void aFileOrAFolderWithOneGgufIsLlama() throws IOException {
        Path file = Files.createFile(folder.resolve("tiny.gguf"));
        assertThat(LlmChoice.of(file.toString(), Map.of(), null)).isEqualTo(new LlmChoice.Llama(file));
        assertThat(LlmChoice.of(folder.toString(), Map.of(), null)).isEqualTo(new LlmChoice.Llama(file));
        assertThat(LlmChoice.of(null, Map.of("PORTAL_LLM", file.toString()), null))
                .isEqualTo(new LlmChoice.Llama(file));
        assertThat(LlmChoice.of("", Map.of(), folder)).isEqualTo(new LlmChoice.Llama(file));
        Files.createFile(folder.resolve("other.GGUF"));
        assertThatThrownBy(() -> LlmChoice.of(folder.toString(), Map.of(), null))
                .hasMessageContaining("name one of [other.GGUF, tiny.gguf]");
    }

    @Test
    void thePrefixOrAFolderWithoutGgufIsGenieX() {
        assertThat(LlmChoice.of("geniex:qwen3", Map.of(), null)).isEqualTo(new LlmChoice.GenieX("qwen3"));
        assertThat(LlmChoice.of(folder.toString(), Map.of(), null)).isEqualTo(new LlmChoice.GenieX(folder.toString()));
        assertThatThrownBy(() -> LlmChoice.of("geniex:", Map.of(), null)).hasMessageContaining("names no model");
    }

    @Test
    void whatIsNamedOnTheCommandLineGoesBeforeTheEnvironmentAndNoneIsNone() {
        assertThat(LlmChoice.of("none", Map.of("PORTAL_LLM", "geniex:m"), folder))
                .isEqualTo(new LlmChoice.None());
        assertThat(LlmChoice.of(null, Map.of(), null)).isEqualTo(new LlmChoice.None());
    }

    @Test
    void whatCannotBeUsedIsRefusedWithARemedy() throws IOException {
        Path text = Files.createFile(folder.resolve("model.txt"));
        assertThatThrownBy(() -> LlmChoice.of(text.toString(), Map.of(), null)).hasMessageContaining("no .gguf file");
        assertThatThrownBy(() -> LlmChoice.of("/no/such/model", Map.of(), null)).hasMessageContaining("does not exist");
    }

    @Test
    void theLlamaChildRunsInAJvmOfItsOwnWithItsOwnFolder() throws IOException {
        Path file = Files.createFile(folder.resolve("tiny.gguf"));
        LlmOptions options = LlmOptions.defaults(Map.of("HOME", "/home/me"), Path.of("/jdk"), "/child/*");
        ChildCommand command = new LlmChoice.Llama(file).command(options).orElseThrow();
        assertThat(command.command().getFirst()).isEqualTo("/jdk/bin/java");
        assertThat(command.command()).contains("-Djava.io.tmpdir={work}", "/child/*", "dev.portal.llama.LlamaChild");
        assertThat(command.environment())
                .containsOnlyKeys("PATH", "HOME", "LANG", "GGML_HEXAGON_HOSTBUF", "GENIEX_N_CTX", "GENIEX_NCTX")
                .containsEntry("GGML_HEXAGON_HOSTBUF", "0")
                .containsEntry("GENIEX_N_CTX", "512")
                .containsEntry("GENIEX_NCTX", "512")
                .containsEntry("PATH", "/usr/bin:/bin")
                .containsEntry("HOME", "/home/me")
                .containsEntry("LANG", "C.UTF-8");
        assertThat(new LlmChoice.None().command(options)).isEmpty();
    }

    @Test
    void libraryPathsReachTheChildOnlyWhenConfigured() {
        assertThat(Children.environment(Map.of("ADSP_LIBRARY_PATH", "/dsp", "LD_PRELOAD", "/evil.so"), 512))
                .containsEntry("ADSP_LIBRARY_PATH", "/dsp")
                .doesNotContainKeys("LD_PRELOAD", "LD_LIBRARY_PATH", "DSP_LIBRARY_PATH");
    }
}
