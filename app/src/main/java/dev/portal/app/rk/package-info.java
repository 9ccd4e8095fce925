/** {@code portal rk}: RK3588 programs from the command line, one at a time or a file of rows. */
@NullMarked
package dev.portal.app.rk;

import org.jspecify.annotations.NullMarked;
