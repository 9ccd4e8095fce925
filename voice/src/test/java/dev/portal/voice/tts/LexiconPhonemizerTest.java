package dev.portal.voice.tts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LexiconPhonemizerTest {
    @Test
    void looksWordsUpAndSpellsTheOthers(@TempDir Path folder) throws Exception {
        Path dictionary = folder.resolve("test.dict");
        Files.writeString(dictionary, "hello HH AH0 L OW1\nhello(2) HH EH L OW\nt T IY\nv V IY\ntwo T UW\n");
        Phonemizer phonemizer = LexiconPhonemizer.of(dictionary);
        assertThat(String.join("", phonemizer.phonemes("Hello, TV 2.")))
                .isEqualTo("h\u028cl\u02c8o\u028a, ti\u02d0vi\u02d0 tu\u02d0.");
    }
}
