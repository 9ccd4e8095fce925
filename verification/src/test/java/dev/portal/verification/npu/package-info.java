/** Neural stages on the emulated compute DSP, through our own driver. */
@NullMarked
package dev.portal.verification.npu;

import org.jspecify.annotations.NullMarked;
