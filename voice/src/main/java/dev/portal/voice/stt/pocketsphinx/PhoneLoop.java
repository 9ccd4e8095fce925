package dev.portal.voice.stt.pocketsphinx;

import dev.portal.voice.nativelib.PocketSphinx;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Any phones in any order: what the audio sounds like without a grammar. A grammar's sentence that was really said
 * scores about as well as the loop; one that is forced upon other words scores much worse. The gap for each 10 ms frame
 * is the confidence.
 *
 * <p>Measured with 5 synthetic voices: sentences of the assistant's grammar, understood rightly, lay at -16 to 9 (95 % above
 * -13), 50 sentences outside the grammar at -36 to -9 (96 % below -15).
 */
final class PhoneLoop {
    private static final String PHONES =
            "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH" + " T TH UH UW V W Y Z ZH";
    private static final double EVEN_ODDS_GAP = -14.5;
    private static final double GAP_SCALE = 2;

    private PhoneLoop() {}

    /** Adds the loop to a decoder as a search called {@code name}. */
    static void addTo(PocketSphinx.Decoder decoder, String name) {
        List<String> words = new ArrayList<>();
        for (String phone : PHONES.split(" ")) {
            String word = "phone_" + phone.toLowerCase(Locale.ROOT);
            decoder.addWord(word, phone);
            words.add(word);
        }
        decoder.addGrammar(name, "#JSGF V1.0; grammar loop; public <loop> = (" + String.join(" | ", words) + ")+;");
    }

    /**
     * How sure it is that the grammar's sentence was said.
     *
     * @return 0 to 1; from 0.5 on the sentence is more likely than other words
     */
    static double confidence(int grammarScore, int loopScore, int frames) {
        double gap = (grammarScore - loopScore) / (double) Math.max(1, frames);
        return 1 / (1 + Math.exp((EVEN_ODDS_GAP - gap) / GAP_SCALE));
    }
}
