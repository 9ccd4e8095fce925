package dev.portal.voice.turn;

/** Watches a conversation. Records, never alters: called on the conversation's thread, it must not call back into it. */
@FunctionalInterface
public interface TurnObserver {
    void observe(TurnEvent event);
}
