/** Computes matrix products on the RK3588 NPU: programs, packing, buffers, submission. */
@NullMarked
package dev.portal.rknpu;

import org.jspecify.annotations.NullMarked;
