package dev.portal.voice.stt.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SentenceAutomatonTest {
    private static SentenceAutomaton of(String rules) {
        return new SentenceAutomaton(new CommandGrammar("test", "#JSGF V1.0;\ngrammar test;\n" + rules));
    }

    private static boolean says(SentenceAutomaton grammar, String sentence) {
        String text = sentence.isEmpty() ? "" : " " + sentence;
        int state = grammar.next(grammar.start(), text);
        return state != SentenceAutomaton.NONE && grammar.accepts(state);
    }

    @Test
    void alternativesGroupsOptionsAndRepetitionsAreWhatTheySay() {
        SentenceAutomaton grammar = of("""
                public <a> = [please] (go | stop) <n>+ [now] {tag} | /2.5/ halt* "at once";
                <n> = one | Two; // numbers
                """);
        for (String said :
                List.of("go one", "please stop two one two now", "at once", "halt halt at once", "stop two two")) {
            assertThat(says(grammar, said)).as(said).isTrue();
        }
        for (String said : List.of("", "go", "one", "please", "go one please", "halt", "go onetwo", "g", "stop  one")) {
            assertThat(says(grammar, said)).as(said).isFalse();
        }
    }

    @Test
    void aTextMayComeInAnyPieces() {
        SentenceAutomaton grammar = new SentenceAutomaton(CommandGrammar.assistant());
        RandomStream random = new RandomStream(3);
        String text = " can you please go forward ten meters and then turn on the kitchen light";
        for (int run = 0; run < 50; run++) {
            int state = grammar.start();
            for (int at = 0; at < text.length(); ) {
                int end = Math.min(text.length(), at + random.nextInt(1, 6));
                state = grammar.next(state, text.substring(at, end));
                assertThat(state).isNotEqualTo(SentenceAutomaton.NONE);
                at = end;
            }
            assertThat(state).isEqualTo(grammar.next(grammar.start(), text));
            assertThat(grammar.accepts(state)).isTrue();
        }
    }

    @Test
    void theAssistantsGrammarHasItsCommandsAndNoOthers() {
        SentenceAutomaton grammar = new SentenceAutomaton(CommandGrammar.assistantAndAnswers());
        assertThat(says(grammar, "go forward ten meters")).isTrue();
        assertThat(says(grammar, "sure turning on the kitchen light")).isTrue();
        assertThat(says(grammar, "go forward centimeters")).isFalse();
        assertThat(says(grammar, "go forward ten")).isFalse();
    }

    @Test
    void voidIsNeverSaidAndNullIsSaidWithSilence() {
        assertThat(says(of("public <a> = go <NULL> on;"), "go on")).isTrue();
        assertThat(says(of("public <a> = go <VOID> | stop;"), "go")).isFalse();
        assertThat(says(of("public <a> = one; public <b> = two;"), "two")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "public <a> = go <b>;|<b> is not there",
                "public <a> = go [<a>];|<a> contains itself",
                "<a> = go;|no public rule",
                "public <a> = (go;|line 3: expected ')', found ';'",
                "public <a> = go|line 3: expected ';', found the end",
                "public <a> = go; public <a> = stop;|<a> is there twice",
                "import <other.*>; public <a> = go;|imports are not read",
                "public <a = go;|'>' is missing",
                "public <a> = go = on;|'=' has no place here",
            })
    void whatIsNoGrammarIsRefusedWithItsPlace(String rules, String reason) {
        assertThatThrownBy(() -> of(rules))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("grammar test")
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void brokenGrammarsNeverEndInAnotherError(long seed) {
        RandomStream random = new RandomStream(seed);
        String whole = CommandGrammar.assistant().jsgf();
        for (int run = 0; run < 300; run++) {
            StringBuilder broken = new StringBuilder(whole);
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                int at = random.nextInt(0, broken.length());
                switch (random.nextInt(0, 3)) {
                    case 0 -> broken.deleteCharAt(at);
                    case 1 -> broken.setCharAt(at, "<>[](){}|;=*+/\"#x\n".charAt(random.nextInt(0, 18)));
                    default -> broken.setLength(at + 1);
                }
            }
            try {
                assertThat(new SentenceAutomaton(new CommandGrammar("seed " + seed, broken.toString())).start())
                        .isZero();
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).startsWith("grammar seed " + seed);
            }
        }
    }
}
