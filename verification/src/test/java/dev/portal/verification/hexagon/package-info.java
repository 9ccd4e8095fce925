/** Our Hexagon transport on the emulated FastRPC driver and DSP: integration, faults, fuzzing. */
@NullMarked
package dev.portal.verification.hexagon;

import org.jspecify.annotations.NullMarked;
