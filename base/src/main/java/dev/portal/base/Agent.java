package dev.portal.base;

/**
 * One unit of work at a time. A runner gives an agent a thread; a test calls {@link #doWork()} on its own thread and
 * sees every step.
 */
public interface Agent {
    /** Names the agent in threads and traces. */
    String name();

    /**
     * Does what there is to do now, without waiting for more.
     *
     * @return how much was done; 0 means idle
     */
    int doWork();

    /** Called once by the runner when the agent stops, on the agent's thread. */
    default void onClose() {}
}
