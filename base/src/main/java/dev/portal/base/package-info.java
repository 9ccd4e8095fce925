/** Clock (real, virtual), random streams, stepped agents and the trace ring; nothing else. */
@NullMarked
package dev.portal.base;

import org.jspecify.annotations.NullMarked;
