package dev.portal.voice.stt.transducer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
    @TempDir
    private Path folder;

    @Test
    void piecesBytesAndMarksBecomeText() throws IOException {
        Path file = Files.writeString(
                folder.resolve("tokens.txt"),
                "<blk> 0\n<sos/eos> 1\n<unk> 2\n\u2581HE 3\nLLO 4\n\u2581 5\n<0xC3> 6\n<0xA9> 7\n' 8\n");
        Tokens tokens = Tokens.read(file);
        assertThat(tokens.size()).isEqualTo(9);
        assertThat(tokens.text(new long[] {3, 4, 5, 3, 6, 7, 1, 8})).isEqualTo("hello he\u00e9'");
        assertThat(tokens.text(new long[] {99})).isEmpty();
        assertThat(tokens.isSilent(0)).isTrue();
        assertThat(tokens.isSilent(2)).isTrue();
        assertThat(tokens.isSilent(1)).isFalse();
    }
}
