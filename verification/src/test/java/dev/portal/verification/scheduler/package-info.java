/** The arbiter as a concurrent object, under Lincheck. */
@NullMarked
package dev.portal.verification.scheduler;

import org.jspecify.annotations.NullMarked;
