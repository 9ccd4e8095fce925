package dev.portal.voice.stt.transducer;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.StageException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An encoder for whole utterances: it runs at the end of one, so there are no partial results before. An utterance above
 * the limit is run piece by piece, so that memory stays bounded.
 */
final class WholeEncoder extends Encoder {
    private final Inference inference;
    private final int maxFrames;

    WholeEncoder(ModelStage stage, Inference inference, int maxFrames) {
        super(stage);
        this.inference = inference;
        this.maxFrames = maxFrames;
        if (!stage.inputs().getFirst().accepts(new long[] {1, maxFrames, Fbank.BANDS})
                || stage.inputs().get(1).type() != Tensor.Type.INT64
                || stage.outputs().size() != 2) {
            throw new StageException(
                    stage.name() + ": expected x [N, T, " + Fbank.BANDS + "], x_lens [N] to encoder_out"
                            + " and its lengths; the model takes " + stage.inputs() + " and gives " + stage.outputs());
        }
    }

    @Override
    int tail(long frames) {
        return 0;
    }

    @Override
    @Nullable
    Frames next(boolean ended) {
        int frames = Math.min(held(), maxFrames);
        if (frames == 0 || !(ended || frames == maxFrames)) {
            return null;
        }
        Tensor features = take(frames, frames);
        Tensor length = Tensor.ofLongs(stage().inputs().get(1).name(), new long[] {frames}, 1);
        List<Tensor> outputs =
                inference.run(stage().job(List.of(features, length))).outputs();
        return frames(outputs.getFirst(), outputs.get(1).toLongs()[0]);
    }
}
