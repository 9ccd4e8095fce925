package dev.portal.voice.stage;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import dev.portal.scheduler.NpuWorkload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens models on ONNX Runtime, and owns what they share: the environment (ONNX Runtime allows one a process; the wiring
 * makes one of these) and the list of open models.
 *
 * <p>{@link #close()} closes the models that are still open, newest first. Any thread.
 */
public final class OnnxStages implements ModelStages, AutoCloseable {
    private final OrtEnvironment environment;
    private final int intraOpThreads;
    private final List<OnnxModel> open = new ArrayList<>();
    private boolean closed;

    /**
     * @param intraOpThreads threads within one operator, 1 or more. With 1 the whole inference runs on the thread that
     *     executes it, which is what the arbiter accounts for; more trades that for latency.
     */
    public OnnxStages(int intraOpThreads) {
        if (intraOpThreads < 1) {
            throw new IllegalArgumentException("intraOpThreads is " + intraOpThreads + "; it must be 1 or more");
        }
        this.intraOpThreads = intraOpThreads;
        this.environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL, "portal");
    }

    /** One thread an inference. */
    public OnnxStages() {
        this(1);
    }

    @Override
    public ModelStage stage(Path file, NpuWorkload workload) {
        return new OnnxStage(model(file), workload);
    }

    /**
     * Opens a model file for direct use on the caller's thread; the caller closes it.
     *
     * @throws StageException when the file is missing or is not a model that this runtime can load
     */
    public OnnxModel model(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new StageException(
                    "no model file at " + file + "; './portal models fetch' brings the default models");
        }
        try (OrtSession.SessionOptions options = options()) {
            return adopt(String.valueOf(file.getFileName()), environment.createSession(file.toString(), options));
        } catch (OrtException e) {
            throw new StageException(
                    "ONNX Runtime " + environment.getVersion() + " cannot load " + file + ": " + e.getMessage()
                            + "; the file may be damaged, of a newer operator set, or not an ONNX model",
                    e);
        }
    }

    private OrtSession.SessionOptions options() throws OrtException {
        var options = new OrtSession.SessionOptions();
        options.setIntraOpNumThreads(intraOpThreads);
        options.setInterOpNumThreads(1);
        // What goes wrong comes as an exception; ONNX Runtime would print it to standard error as well.
        options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
        return options;
    }

    private synchronized OnnxModel adopt(String name, OrtSession session) throws OrtException {
        try {
            if (closed) {
                throw new IllegalStateException("these stages are closed");
            }
            OnnxModel model = new OnnxModel(name, environment, session, this::forget);
            open.add(model);
            return model;
        } catch (RuntimeException | OrtException e) {
            session.close();
            throw e;
        }
    }

    private synchronized void forget(OnnxModel model) {
        open.remove(model);
    }

    /** How many models are open. */
    public synchronized int openModels() {
        return open.size();
    }

    /** Closes the models that are still open. The environment stays until the process ends: ONNX Runtime keeps it. */
    @Override
    public void close() {
        List<OnnxModel> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(open).reversed();
        }
        left.forEach(OnnxModel::close);
    }
}
