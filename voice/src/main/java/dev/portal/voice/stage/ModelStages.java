package dev.portal.voice.stage;

import dev.portal.scheduler.NpuWorkload;
import java.nio.file.Path;

/** Opens model files as stages. The wiring decides where they run. Any thread. */
@FunctionalInterface
public interface ModelStages {
    /**
     * Opens a model; the caller closes it.
     *
     * @throws StageException when the file is missing or is not a model that can be run here
     */
    ModelStage stage(Path file, NpuWorkload workload);
}
