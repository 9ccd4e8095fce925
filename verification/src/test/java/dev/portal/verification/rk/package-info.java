/** The RK3588 driver of this project on the emulated chip: neither sees the other, here they meet. */
@NullMarked
package dev.portal.verification.rk;

import org.jspecify.annotations.NullMarked;
