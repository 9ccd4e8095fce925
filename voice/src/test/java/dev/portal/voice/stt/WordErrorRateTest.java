package dev.portal.voice.stt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WordErrorRateTest {
    @Test
    void countsWordsInsertedDeletedAndReplaced() {
        assertThat(WordErrorRate.of("go forward ten meters", "go forward ten meters")
                        .errors())
                .isZero();
        assertThat(WordErrorRate.of("go forward ten meters", "go for two meters"))
                .isEqualTo(new WordErrorRate(2, 4));
        assertThat(WordErrorRate.of("go forward ten meters", "go meters").errors())
                .isEqualTo(2);
        assertThat(WordErrorRate.of("stop", "please stop it").errors()).isEqualTo(2);
        assertThat(WordErrorRate.of("", "no").errors()).isEqualTo(1);
        assertThat(WordErrorRate.of("no", "")).isEqualTo(new WordErrorRate(1, 1));
    }

    @Test
    void caseAndPunctuationDoNotCount() {
        assertThat(WordErrorRate.of("What's the time?", "what's the time").errors())
                .isZero();
    }

    @Test
    void addsUpOverTexts() {
        WordErrorRate both = WordErrorRate.of("a b c", "a b").plus(WordErrorRate.of("d", "d"));
        assertThat(both.rate()).isEqualTo(0.25);
        assertThat(both).hasToString("25.0 % (1 of 4 words)");
    }
}
