/** Text to speech: engines whose two stages are jobs of the arbiter. */
@NullMarked
package dev.portal.voice.tts;

import org.jspecify.annotations.NullMarked;
