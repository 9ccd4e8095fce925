package dev.portal.voice.intent;

/**
 * An intent that an utterance may have.
 *
 * @param intent its name
 * @param example the example nearest to the utterance
 * @param similarity of the two, -1 to 1
 */
public record IntentMatch(String intent, String example, double similarity) {}
