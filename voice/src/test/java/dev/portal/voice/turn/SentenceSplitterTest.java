package dev.portal.voice.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentenceSplitterTest {
    private static List<String> split(String text) {
        SentenceSplitter splitter = new SentenceSplitter();
        List<String> sentences = new ArrayList<>(splitter.accept(text));
        sentences.addAll(splitter.finish());
        return sentences;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "It is on. Good night. | It is on.#Good night.",
                "Really? Yes! | Really?#Yes!",
                "It is 3.5 degrees. Cold. | It is 3.5 degrees.#Cold.",
                "Dr. Smith is here. | Dr. Smith is here.",
                "Use a tool, e.g. a saw. Done. | Use a tool, e.g. a saw.#Done.",
                "J. S. Bach wrote it. | J. S. Bach wrote it.",
                "So do I. Good. | So do I.#Good.",
                "He said \"stop.\" Then he left. | He said \"stop.\"#Then he left.",
                "Wait... what? | Wait...#what?",
                "no end | no end"
            })
    void sentencesEndWhereAListenerHearsThemEnd(String text, String expected) {
        assertThat(split(text)).containsExactly(expected.split("#"));
    }

    @Test
    void aSentenceIsHandedOutAsSoonAsItIsCertain() {
        SentenceSplitter splitter = new SentenceSplitter();
        assertThat(splitter.accept("It is")).isEmpty();
        assertThat(splitter.accept(" on.")).isEmpty();
        assertThat(splitter.accept(" And")).containsExactly("It is on.");
        assertThat(splitter.accept("\n")).containsExactly("And");
        assertThat(splitter.finish()).isEmpty();
    }

    @Test
    void punctuationAloneIsNotSpoken() {
        assertThat(split(" ... \n - \n Yes.")).containsExactly("Yes.");
    }

    @Test
    void theCutsDoNotDependOnHowTheTextArrives() {
        String text =
                "Dr. Who said: \"It is 3.5 m. Or not!\" Then, at 5 p.m. sharp, he left. Why? Nobody knows...\nEnd";
        List<String> whole = split(text);
        for (long seed = 1; seed <= 200; seed++) {
            RandomStream random = new RandomStream(seed);
            SentenceSplitter splitter = new SentenceSplitter();
            List<String> sentences = new ArrayList<>();
            int at = 0;
            while (at < text.length()) {
                int end = Math.min(text.length(), at + random.nextInt(1, 9));
                sentences.addAll(splitter.accept(text.substring(at, end)));
                at = end;
            }
            sentences.addAll(splitter.finish());
            assertThat(sentences).as("seed %d", seed).isEqualTo(whole);
        }
    }
}
