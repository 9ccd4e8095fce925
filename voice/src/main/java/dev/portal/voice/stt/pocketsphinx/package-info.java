/** Speech to text by pocketsphinx: a command grammar first, the open vocabulary where the grammar does not fit. */
@NullMarked
package dev.portal.voice.stt.pocketsphinx;

import org.jspecify.annotations.NullMarked;
