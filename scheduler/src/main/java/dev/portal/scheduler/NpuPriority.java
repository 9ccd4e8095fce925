package dev.portal.scheduler;

/** Priority of a job, lowest first. By convention the user's speech is MEDIUM, the system's answer and the LLM LOW. */
public enum NpuPriority {
    LOW,
    MEDIUM,
    HIGH;

    /** Whether this is strictly above {@code other}. */
    public boolean isAbove(NpuPriority other) {
        return compareTo(other) > 0;
    }
}
