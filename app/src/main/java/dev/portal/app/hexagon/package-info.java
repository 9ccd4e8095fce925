/** {@code ./portal hexagon}: what concerns the Hexagon DSP. */
@NullMarked
package dev.portal.app.hexagon;

import org.jspecify.annotations.NullMarked;
