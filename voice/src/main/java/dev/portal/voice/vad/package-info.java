/** Voice activity detection, on the CPU only. */
@NullMarked
package dev.portal.voice.vad;

import org.jspecify.annotations.NullMarked;
