/** Speech to text: recognizers whose inferences are jobs of the arbiter. */
@NullMarked
package dev.portal.voice.stt;

import org.jspecify.annotations.NullMarked;
