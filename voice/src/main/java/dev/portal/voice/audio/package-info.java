/**
 * Samples: reading, writing and resampling sound.
 *
 * <p>Inside Portal sound is mono floats from -1 to 1 with a rate; a sample of 16 bits is its value over 32768.
 */
@NullMarked
package dev.portal.voice.audio;

import org.jspecify.annotations.NullMarked;
