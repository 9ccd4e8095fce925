/** The RK3588 NPU as a datasheet: registers, register commands, the vendor driver's structs. */
@NullMarked
package dev.portal.hardware.rk3588;

import org.jspecify.annotations.NullMarked;
