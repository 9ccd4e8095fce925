package dev.portal.voice.stt.transducer;

import dev.portal.voice.stt.Transcript;

/** Makes text of the frames that the {@link Joint} is given, one after the other. One thread at a time. */
sealed interface Search permits GreedySearch, GrammarFirstSearch {
    /** Starts a new utterance. */
    void start();

    /** Takes the joint's present frame. */
    void frame();

    /** What was said so far. */
    String partial();

    /** What was said, if nothing more comes. */
    Transcript transcript();
}
