/** The RK3588 driver and the emulated chip, together. */
@NullMarked
package dev.portal.verification.rk3588;

import org.jspecify.annotations.NullMarked;
