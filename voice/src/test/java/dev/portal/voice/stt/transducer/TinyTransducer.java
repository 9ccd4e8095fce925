package dev.portal.voice.stt.transducer;

import static dev.portal.voice.stage.OnnxBytes.FLOAT;
import static dev.portal.voice.stage.OnnxBytes.INT64;

import dev.portal.voice.stage.OnnxBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A transducer whose words are tones: 1 kHz is "go", 2 kHz is "stop", 3 kHz is "ped". The encoder turns every fourth
 * frame of features into "the tone of token v began or ended here" (by what the frame before showed, which is a state
 * between chunks: a model that forgets it would say a tone again in every chunk); the decoder forbids "stop" right after
 * "stop", and makes the blank win in silence; the joiner adds the two.
 */
public final class TinyTransducer {
    static final int T = 39;
    static final int SHIFT = 32;
    /** Blank, go, stop, ped, unknown. */
    static final int VOCABULARY = 5;

    private static final double[] TONE_HZ = {0, 1000, 2000, 3000, 0};

    private TinyTransducer() {}

    /** The tone of a token, half a second of it followed by a quarter of silence. */
    public static float[] tones(int... tokens) {
        float[] samples = new float[tokens.length * 12000];
        for (int i = 0; i < samples.length; i++) {
            if (i % 12000 < 8000) {
                samples[i] = (float) (0.3 * Math.sin(2 * Math.PI * TONE_HZ[tokens[i / 12000]] * i / 16000));
            }
        }
        return samples;
    }

    public static Path streaming(Path folder) throws IOException {
        OnnxBytes encoder = onset(new OnnxBytes().input("x", FLOAT, -1, T, Fbank.BANDS), new long[] {0, SHIFT})
                .input("cached_on_0", FLOAT, 1, -1, VOCABULARY)
                .input("processed_lens", INT64, -1)
                .output("encoder_out", FLOAT, 1, -1, VOCABULARY)
                .output("new_cached_on_0", FLOAT, 1, 1, VOCABULARY)
                .output("new_processed_lens", INT64, 1)
                .longs("chunk", SHIFT)
                .node("Add", List.of("processed_lens", "chunk"), List.of("new_processed_lens"))
                .metadata("model_type", "tiny")
                .metadata("T", "" + T)
                .metadata("decode_chunk_len", "" + SHIFT);
        return write(folder, encoder);
    }

    public static Path whole(Path folder) throws IOException {
        OnnxBytes encoder = onset(
                        new OnnxBytes().input("x", FLOAT, -1, -1, Fbank.BANDS), new long[] {0, Integer.MAX_VALUE})
                .input("x_lens", INT64, -1)
                .output("encoder_out", FLOAT, 1, -1, VOCABULARY)
                .output("encoder_out_lens", INT64, -1)
                .floats("cached_on_0", new float[VOCABULARY], 1, 1, VOCABULARY)
                .longs("three", 3)
                .longs("four", 4)
                .node("Add", List.of("x_lens", "three"), List.of("rounded"))
                .node("Div", List.of("rounded", "four"), List.of("encoder_out_lens"));
        return write(folder, encoder);
    }

    /** The nodes from {@code x} and {@code cached_on_0} to {@code encoder_out} and {@code new_cached_on_0}. */
    private static OnnxBytes onset(OnnxBytes encoder, long[] range) {
        float[] pick = new float[Fbank.BANDS * VOCABULARY];
        for (int token = 1; token <= 3; token++) {
            pick[band(TONE_HZ[token]) * VOCABULARY + token] = 1;
        }
        return encoder.longs("start", range[0])
                .longs("end", range[1])
                .longs("axis", 1)
                .longs("every", 4)
                .longs("first", 0)
                .longs("last", -1)
                .longs("far", Integer.MAX_VALUE)
                .longs("one", 1)
                .floats("pick", pick, Fbank.BANDS, VOCABULARY)
                .floats("quiet", new float[] {0}, 1)
                .floats("zero", new float[] {0})
                .floats("unit", new float[] {1})
                .floats("gain", new float[] {20}, 1)
                .node("Slice", List.of("x", "start", "end", "axis", "every"), List.of("fourth"))
                .node("MatMul", List.of("fourth", "pick"), List.of("level"))
                .node("Clip", List.of("level", "zero", "unit"), List.of("on"))
                .node("Slice", List.of("on", "first", "last", "axis", "one"), List.of("earlier"))
                .node("Concat", List.of("cached_on_0", "earlier"), List.of("before"), "axis=1")
                .node("Sub", List.of("on", "before"), List.of("change"))
                .node("Mul", List.of("change", "gain"), List.of("encoder_out"))
                .node("Slice", List.of("on", "last", "far", "axis", "one"), List.of("new_cached_on_0"));
    }

    private static int band(double hz) {
        double low = Math.log1p(20 / 700.0);
        return (int) Math.round((Math.log1p(hz / 700) - low) / (Math.log1p(7600 / 700.0) - low) * (Fbank.BANDS + 1))
                - 1;
    }

    private static Path write(Path folder, OnnxBytes encoder) throws IOException {
        float[] bias = new float[VOCABULARY * VOCABULARY];
        for (int last = 0; last < VOCABULARY; last++) {
            bias[last * VOCABULARY] = 5;
            if (last == 2) {
                bias[last * VOCABULARY + last] = -100;
            }
        }
        OnnxBytes decoder = new OnnxBytes()
                .input("y", INT64, -1, 2)
                .output("decoder_out", FLOAT, -1, VOCABULARY)
                .floats("bias", bias, VOCABULARY, VOCABULARY)
                .longs("from", 1)
                .longs("to", 2)
                .longs("axis", 1)
                .node("Slice", List.of("y", "from", "to", "axis"), List.of("newest"))
                .node("Gather", List.of("bias", "newest"), List.of("looked_up"))
                .node("Squeeze", List.of("looked_up", "axis"), List.of("decoder_out"))
                .metadata("context_size", "2")
                .metadata("vocab_size", "" + VOCABULARY);
        OnnxBytes joiner = new OnnxBytes()
                .input("encoder_out", FLOAT, -1, VOCABULARY)
                .input("decoder_out", FLOAT, -1, VOCABULARY)
                .output("logit", FLOAT, -1, VOCABULARY)
                .node("Add", List.of("encoder_out", "decoder_out"), List.of("logit"))
                .metadata("joiner_dim", "" + VOCABULARY);
        Files.createDirectories(folder);
        Files.write(folder.resolve("encoder-tiny.onnx"), encoder.bytes());
        Files.write(folder.resolve("decoder-tiny.onnx"), decoder.bytes());
        Files.write(folder.resolve("joiner-tiny.onnx"), joiner.bytes());
        Files.writeString(folder.resolve("tokens.txt"), "<blk> 0\n\u2581GO 1\n\u2581STOP 2\nPED 3\n<unk> 4\n");
        return folder;
    }
}
