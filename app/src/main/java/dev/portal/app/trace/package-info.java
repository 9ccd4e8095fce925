/** What a run looked like: the lanes drawn in the terminal, and the same as a Perfetto file. */
@NullMarked
package dev.portal.app.trace;

import org.jspecify.annotations.NullMarked;
