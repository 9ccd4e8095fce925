/** Which speech request may use the voice now: one slot, four priorities, a short queue, barge-in. */
@NullMarked
package dev.portal.voice.arbitration;

import org.jspecify.annotations.NullMarked;
