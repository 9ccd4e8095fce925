/** Picks speech engines by what the user named, and for a fresh machine. */
@NullMarked
package dev.portal.voice.engine;

import org.jspecify.annotations.NullMarked;
