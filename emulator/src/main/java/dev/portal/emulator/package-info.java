/** Kernel drivers and chips in software: nodes, descriptors, memory views, faults. */
@NullMarked
package dev.portal.emulator;

import org.jspecify.annotations.NullMarked;
