/** Benchmarks as ratios: each measures two forms of the same work in one run. Started by hand, never by the tests. */
@NullMarked
package dev.portal.verification.bench;

import org.jspecify.annotations.NullMarked;
