package dev.portal.voice.tts;

import java.util.List;

/** Tells a neural voice how a text is pronounced. */
@FunctionalInterface
public interface Phonemizer {
    /**
     * The phonemes of {@code sentence}.
     *
     * @param sentence plain ASCII, one sentence
     * @return symbols as voices that were trained with espeak-ng know them: one IPA character each, stress marks, blanks
     *     between words and punctuation included
     */
    List<String> phonemes(String sentence);

    /** The characters of a phoneme string, each a symbol. */
    static List<String> symbols(String phonemes) {
        return phonemes.codePoints().mapToObj(Character::toString).toList();
    }
}
