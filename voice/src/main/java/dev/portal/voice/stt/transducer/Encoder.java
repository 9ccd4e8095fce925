package dev.portal.voice.stt.transducer;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.StageException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Collects features and runs the encoder on them: a chunk at a time, or a whole utterance. One thread at a time. */
abstract sealed class Encoder permits ChunkEncoder, WholeEncoder {
    private final ModelStage stage;
    private float[] features = new float[64 * Fbank.BANDS];
    private int held;

    Encoder(ModelStage stage) {
        this.stage = stage;
    }

    /** The kind that the model is, by its inputs. */
    static Encoder of(ModelStage stage, Inference inference, int maxWholeFrames) {
        boolean whole =
                stage.inputs().size() == 2 && stage.inputs().get(1).name().equals("x_lens");
        return whole ? new WholeEncoder(stage, inference, maxWholeFrames) : new ChunkEncoder(stage, inference);
    }

    final ModelStage stage() {
        return stage;
    }

    /** Starts a new utterance. */
    void start() {
        held = 0;
    }

    /** Takes the next frame of features. */
    final void accept(Fbank fbank) {
        if ((held + 1) * Fbank.BANDS > features.length) {
            features = Arrays.copyOf(features, 2 * features.length);
        }
        fbank.next(features, held * Fbank.BANDS);
        held++;
    }

    /** How many frames of features wait. */
    final int held() {
        return held;
    }

    /** A tensor over copies of the first {@code frames}; {@code consumed} of them go. */
    final Tensor take(int frames, int consumed) {
        float[] chunk = Arrays.copyOf(features, frames * Fbank.BANDS);
        System.arraycopy(features, consumed * Fbank.BANDS, features, 0, (held - consumed) * Fbank.BANDS);
        held -= consumed;
        return Tensor.ofFloats(stage.inputs().getFirst().name(), chunk, 1, frames, Fbank.BANDS);
    }

    /** How many more frames of silence the utterance should end with, {@code frames} having been made so far. */
    abstract int tail(long frames);

    /**
     * Runs the encoder once if it has enough to do.
     *
     * @param ended whether all features of the utterance are here
     * @return null when there is nothing to run
     */
    abstract @Nullable Frames next(boolean ended);

    /** The model's output [1, count, width], the first {@code count} frames of it at most. */
    final Frames frames(Tensor output, long count) {
        long[] shape = output.shape();
        if (shape.length != 3 || shape[0] != 1) {
            throw new StageException(stage.name() + ": expected [1, frames, width] and got " + output);
        }
        return new Frames(output.toFloats(), (int) Math.min(shape[1], count), (int) shape[2]);
    }
}
