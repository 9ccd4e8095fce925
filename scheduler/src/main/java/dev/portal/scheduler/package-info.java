/** Who runs on the accelerator, when, and for how long: allocation, priority, preemption, starvation bounds, health. */
@NullMarked
package dev.portal.scheduler;

import org.jspecify.annotations.NullMarked;
