/** Measurements with JMH, to be run on a quiet machine; nothing here passes or fails. */
@NullMarked
package dev.portal.verification.bench;

import org.jspecify.annotations.NullMarked;
