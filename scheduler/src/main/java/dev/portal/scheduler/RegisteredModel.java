package dev.portal.scheduler;

/**
 * A model in the registry.
 *
 * @param core where it runs
 * @param workload what it computes
 * @param path its file
 * @param sizeBytes the file's size when it was registered
 * @param loadedAtMillis when it was registered, milliseconds since 1970
 * @param inferences how many were counted
 * @param totalInferenceUs their time in all, in microseconds
 * @param failedInferences how many of them failed
 */
public record RegisteredModel(
        NpuCore core,
        NpuWorkload workload,
        String path,
        long sizeBytes,
        long loadedAtMillis,
        long inferences,
        long totalInferenceUs,
        long failedInferences) {}
