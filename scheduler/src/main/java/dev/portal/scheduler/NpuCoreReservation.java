package dev.portal.scheduler;

/**
 * A core that belongs to a family for the life of the process. Dropping it releases nothing.
 *
 * @param core the core reserved; core 0 in single-core mode, whatever was asked for
 * @param workload the stage that asked
 * @param priority its priority
 */
public record NpuCoreReservation(NpuCore core, NpuWorkload workload, NpuPriority priority) {}
