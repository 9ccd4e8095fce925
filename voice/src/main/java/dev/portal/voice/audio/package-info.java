/** Samples: reading, resampling, playing. */
@NullMarked
package dev.portal.voice.audio;

import org.jspecify.annotations.NullMarked;
