/** The FastRPC driver's interface as a datasheet: request codes, structs, scalars, error names, wire layouts. */
@NullMarked
package dev.portal.hardware.fastrpc;

import org.jspecify.annotations.NullMarked;
