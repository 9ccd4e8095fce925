/**
 * Turns: who speaks, when a turn ends, what is said next, and what an interruption stops.
 *
 * <p>{@link dev.portal.voice.turn.Conversation} decides; it is single-threaded and lives in audio time. {@link
 * dev.portal.voice.turn.TurnRunner} brings it windows of sound and the answers of the engines, which work on threads of
 * their own and post {@link dev.portal.voice.turn.Signal}s. {@link dev.portal.voice.turn.TurnLog} records.
 *
 * <pre>
 *  window + probability ─► Conversation ─► Effects: recognize, generate, synthesize, play
 *                              ▲   │
 *             Inbox ◄── Signal ┘   └► TurnEvent ─► TurnLog ─► TurnReport
 * </pre>
 *
 * <p>All samples here are mono at 16 kHz, -1 to 1; a window has 512 of them, 32 ms. Audio time is counted in samples from
 * the start of the conversation.
 */
@NullMarked
package dev.portal.voice.turn;

import org.jspecify.annotations.NullMarked;
