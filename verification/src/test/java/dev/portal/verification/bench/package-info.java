/** Benchmarks as ratios: each measures the same work in C and in Java in one run. Started by hand, never by the tests. */
@NullMarked
package dev.portal.verification.bench;

import org.jspecify.annotations.NullMarked;
