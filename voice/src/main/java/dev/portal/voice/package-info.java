/** The voice stack's facade: audio in at the top, a spoken reply out. */
@NullMarked
package dev.portal.voice;

import org.jspecify.annotations.NullMarked;
