/** The seam to the operating system. Only {@code LinuxKernel} calls it natively. */
@NullMarked
package dev.portal.kernel;

import org.jspecify.annotations.NullMarked;
