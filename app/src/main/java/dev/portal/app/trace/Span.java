package dev.portal.app.trace;

/**
 * Something of a turn that lasted.
 *
 * @param track the row that it is drawn in
 * @param name what it was
 * @param startNanos on the run's clock
 * @param endNanos not before the start
 */
public record Span(String track, String name, long startNanos, long endNanos) {}
