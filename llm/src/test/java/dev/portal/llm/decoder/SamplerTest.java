package dev.portal.llm.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.portal.llm.tokenizer.Tokenizer;
import dev.portal.llm.tokenizer.Vocabularies;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SamplerTest {
    private static final Tokenizer TOKENIZER = Vocabularies.tokenizer(Vocabularies.bytePair("gpt-2"));
    private static final int SIZE = TOKENIZER.vocabulary().size();

    private static float[] logits(double... chances) {
        float[] logits = new float[SIZE];
        Arrays.fill(logits, -60);
        for (int i = 0; i < chances.length; i++) {
            logits[10 + i] = (float) Math.log(chances[i]);
        }
        return logits;
    }

    /** How often each token is chosen. */
    private static SortedMap<Integer, Double> shares(Sampling sampling, double... chances) {
        Sampler sampler = new Sampler(sampling, TOKENIZER, SIZE);
        SortedMap<Integer, Double> shares = new TreeMap<>();
        int draws = 4000;
        for (int i = 0; i < draws; i++) {
            shares.merge(sampler.next(logits(chances)) - 10, 1.0 / draws, Double::sum);
        }
        return shares;
    }

    private static Sampling sampling(double temperature, int topK, double topP, double minP) {
        return new Sampling(temperature, topK, topP, minP, 1, 64, 7, null);
    }

    @Test
    void greedyTakesTheFirstOfTheLikeliest() {
        Sampler sampler = new Sampler(Sampling.greedy(), TOKENIZER, SIZE);
        assertThat(sampler.next(logits(0.2, 0.4, 0.4))).isEqualTo(11);
    }

    @Test
    void drawsFollowTheChances() {
        var shares = shares(sampling(1, 0, 1, 0), 0.5, 0.3, 0.2);
        assertThat(shares.get(0)).isCloseTo(0.5, within(0.03));
        assertThat(shares.get(1)).isCloseTo(0.3, within(0.03));
        assertThat(shares.get(2)).isCloseTo(0.2, within(0.03));
    }

    @Test
    void temperatureSharpens() {
        var shares = shares(sampling(0.5, 0, 1, 0), 0.5, 0.3, 0.2);
        double all = 0.25 + 0.09 + 0.04;
        assertThat(shares.get(0)).isCloseTo(0.25 / all, within(0.03));
    }

    @Test
    void topKTopPAndMinPLeaveTheLikeliest() {
        assertThat(shares(sampling(1, 2, 1, 0), 0.4, 0.3, 0.2, 0.1).keySet()).containsExactly(0, 1);
        assertThat(shares(sampling(1, 0, 0.7, 0), 0.4, 0.3, 0.2, 0.1).keySet()).containsExactly(0, 1);
        assertThat(shares(sampling(1, 0, 0.71, 0), 0.4, 0.3, 0.2, 0.1).keySet()).containsExactly(0, 1, 2);
        assertThat(shares(sampling(1, 0, 1, 0.6), 0.4, 0.3, 0.2, 0.1).keySet()).containsExactly(0, 1);
        // top-p counts the share among the top k: 4 of 9 and 3 of 9 are more than 0.75.
        assertThat(shares(sampling(1, 3, 0.75, 0), 0.4, 0.3, 0.2, 0.1).keySet()).containsExactly(0, 1);
    }

    @Test
    void theSameSeedGivesTheSameTokens() {
        int[][] runs = new int[3][50];
        for (int run = 0; run < 3; run++) {
            Sampler sampler = new Sampler(new Sampling(1, 0, 1, 0, 1, 64, run == 2 ? 8 : 7, null), TOKENIZER, SIZE);
            for (int i = 0; i < 50; i++) {
                runs[run][i] = sampler.next(logits(0.3, 0.3, 0.2, 0.2));
            }
        }
        assertThat(runs[1]).isEqualTo(runs[0]);
        assertThat(runs[2]).isNotEqualTo(runs[0]);
    }

    @Test
    void repetitionsAreMadeLessLikely() {
        Sampler sampler = new Sampler(new Sampling(0, 0, 1, 0, 1.5, 4, 0, null), TOKENIZER, SIZE);
        float[] logits = new float[SIZE];
        logits[20] = 3;
        logits[21] = 2.5f;
        logits[22] = -1;
        assertThat(sampler.next(logits.clone())).isEqualTo(20);
        assertThat(sampler.next(logits.clone())).isEqualTo(21);
        sampler.saw(22);
        float[] changed = logits.clone();
        assertThat(sampler.next(changed)).isEqualTo(20);
        assertThat(changed[20]).isEqualTo(2);
        assertThat(changed[22]).isEqualTo(-1.5f);
        assertThatThrownBy(() -> new Sampling(-1, 0, 1, 0, 1, 0, 0, null)).hasMessageContaining("temperature -1.0");
        assertThatThrownBy(() -> new Sampling(1, 0, 0, 0, 1, 0, 0, null)).hasMessageContaining("top-p 0.0");
    }

    private static boolean accepts(String grammar, String text) {
        GrammarMatcher matcher = Grammar.parse(grammar).matcher();
        for (byte b : text.getBytes(java.nio.charset.StandardCharsets.US_ASCII)) {
            if (!matcher.allows(new byte[] {b})) {
                return false;
            }
            matcher.accept(new byte[] {b});
        }
        return matcher.complete();
    }

    @Test
    void grammarsAcceptWhatTheySay() {
        String grammar = """
            # a command
            root ::= "turn " ("on" | "off") " the " room? "light" [.!]?
            room ::= [a-z]+ " "
            """;
        assertThat(accepts(grammar, "turn on the light")).isTrue();
        assertThat(accepts(grammar, "turn off the kitchen light.")).isTrue();
        assertThat(accepts(grammar, "turn off the KITCHEN light")).isFalse();
        assertThat(accepts(grammar, "turn on the")).isFalse();
        assertThat(accepts("root ::= [0-9]{2,3}", "12")).isTrue();
        assertThat(accepts("root ::= [0-9]{2,3}", "1234")).isFalse();
        assertThat(accepts("root ::= (\"a\" | \"b\")* [^ab]", "abbac")).isTrue();
        assertThat(accepts("root ::= \"\\x41\" . \"\\n\"", "Az\n")).isTrue();
        GrammarMatcher matcher = Grammar.parse("root ::= \"日本\"").matcher();
        assertThat(matcher.allows("日".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isTrue();
        assertThat(matcher.allows(new byte[] {(byte) 0xe6})).isFalse();
    }

    @Test
    void aBrokenGrammarIsRefusedWithItsPlace() {
        assertThatThrownBy(() -> Grammar.parse("root ::= a")).hasMessageContaining("no rule 'a'");
        assertThatThrownBy(() -> Grammar.parse("a ::= \"x\"")).hasMessageContaining("no rule 'root'");
        assertThatThrownBy(() -> Grammar.parse("root ::= \"x"))
                .hasMessageContaining("line 1, column 12")
                .hasMessageContaining("'\"' is needed");
        assertThatThrownBy(() -> Grammar.parse("root ::= root \"x\"")).hasMessageContaining("begins with itself");
        assertThatThrownBy(() -> Grammar.parse("root ::= \"x\"{2,1}")).hasMessageContaining("{m,n}");
    }

    @Test
    void underAGrammarOnlyItsTokensAreChosen() {
        Grammar grammar = Grammar.parse("root ::= \"no\" | \"yes\"");
        Sampler sampler = new Sampler(new Sampling(0, 0, 1, 0, 1, 64, 0, grammar), TOKENIZER, SIZE);
        StringBuilder said = new StringBuilder();
        for (int i = 0; i < 10; i++) {
            float[] logits = new float[SIZE];
            logits[TOKENIZER.encode("y", false, false)[0]] = 1;
            logits[TOKENIZER.encode("x", false, false)[0]] = 9;
            int token = sampler.next(logits);
            if (token < 0 || TOKENIZER.vocabulary().ends(token)) {
                break;
            }
            said.append(new String(TOKENIZER.bytes(token), java.nio.charset.StandardCharsets.UTF_8));
        }
        assertThat(said.toString()).isEqualTo("yes");
    }
}
