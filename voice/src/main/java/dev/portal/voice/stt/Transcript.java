package dev.portal.voice.stt;

/**
 * What was said in an utterance.
 *
 * @param text lower case words separated by blanks; empty when nothing was understood
 * @param confidence 0 to 1, or NaN where the engine has none
 */
public record Transcript(String text, double confidence) {
    /** Nothing was understood. */
    public static final Transcript NOTHING = new Transcript("", Double.NaN);

    public boolean isEmpty() {
        return text.isEmpty();
    }
}
