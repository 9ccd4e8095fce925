/**
 * The seam to the operating system. Only {@link LinuxKernel} calls it natively.
 *
 * <p>The emulator implements {@link Kernel} too and receives the same bytes in the same structs. {@link Answer} packs what
 * a call returned; {@link CacheMaintenance} moves lines where the device does not snoop the processor's caches.
 */
@NullMarked
package dev.portal.kernel;

import org.jspecify.annotations.NullMarked;
