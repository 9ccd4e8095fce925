package dev.portal.voice.stt.transducer;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stage.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A streaming encoder: chunk after chunk, with states that go from each run to the next. The shapes of the states are the
 * model's own, so that every architecture with this convention works; metadata gives the chunk.
 */
final class ChunkEncoder extends Encoder {
    /** Silence after the last sample, so that the model says what it still holds back; as in sherpa-onnx's examples. */
    private static final int TAIL_FRAMES = 30;

    private final Inference inference;
    private final int chunkFrames;
    private final int shiftFrames;
    private List<Tensor> states = List.of();

    ChunkEncoder(ModelStage stage, Inference inference) {
        super(stage);
        this.inference = inference;
        this.chunkFrames = Metadata.positive(stage, "T");
        this.shiftFrames = Metadata.positive(stage, "decode_chunk_len");
        if (shiftFrames > chunkFrames) {
            throw new StageException(stage.name() + ": decode_chunk_len " + shiftFrames + " is above T " + chunkFrames);
        }
        TensorSpec features = stage.inputs().getFirst();
        if (features.type() != Tensor.Type.FLOAT32 || !features.accepts(new long[] {1, chunkFrames, Fbank.BANDS})) {
            throw new StageException(stage.name() + ": expected features [1, " + chunkFrames + ", " + Fbank.BANDS
                    + "] and the model takes " + features);
        }
        checkStates();
        start();
    }

    private void checkStates() {
        ModelStage stage = stage();
        int count = stage.inputs().size() - 1;
        if (stage.outputs().size() != count + 1) {
            throw new StageException(stage.name() + " has " + count + " state inputs and "
                    + (stage.outputs().size() - 1) + " state outputs");
        }
        for (int i = 1; i <= count; i++) {
            TensorSpec in = stage.inputs().get(i);
            TensorSpec out = stage.outputs().get(i);
            if (in.type() != out.type()) {
                throw new StageException(stage.name() + ": state " + in + " comes back as " + out);
            }
        }
        String type = stage.metadata().getOrDefault("model_type", "");
        if (type.equals("zipformer") || type.equals("zipformer2")) {
            int[] layers = Metadata.list(stage, "num_encoder_layers");
            int expected = type.equals("zipformer") ? 7 * layers.length : 2;
            for (int i = 0; i < layers.length && type.equals("zipformer2"); i++) {
                expected += 6 * layers[i];
            }
            if (count != expected) {
                throw new StageException(stage.name() + ": a " + type + " of " + layers.length + " stacks has "
                        + expected + " states, and the file has " + count);
            }
        }
    }

    @Override
    void start() {
        super.start();
        List<Tensor> zeros = new ArrayList<>();
        for (TensorSpec spec : stage().inputs().subList(1, stage().inputs().size())) {
            long[] shape = spec.shapeWith(1);
            int bytes = Math.toIntExact(Tensor.elements(shape) * spec.type().bytes());
            zeros.add(new Tensor(spec.name(), spec.type(), shape, MemorySegment.ofArray(new byte[bytes])));
        }
        states = zeros;
    }

    @Override
    int tail(long frames) {
        long chunks = (frames + TAIL_FRAMES + shiftFrames - 1) / shiftFrames;
        return (int) ((chunks - 1) * shiftFrames + chunkFrames - frames);
    }

    @Override
    @Nullable
    Frames next(boolean ended) {
        if (held() < chunkFrames) {
            return null;
        }
        Tensor chunk = take(chunkFrames, shiftFrames);
        List<Tensor> inputs = Stream.concat(Stream.of(chunk), states.stream()).toList();
        List<Tensor> outputs = inference.run(stage().job(inputs)).outputs();
        List<Tensor> next = new ArrayList<>();
        for (int i = 1; i < outputs.size(); i++) {
            Tensor state = outputs.get(i);
            next.add(new Tensor(stage().inputs().get(i).name(), state.type(), state.shape(), state.data()));
        }
        states = next;
        return frames(outputs.getFirst(), Long.MAX_VALUE);
    }
}
