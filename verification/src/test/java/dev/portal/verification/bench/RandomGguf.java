package dev.portal.verification.bench;

import dev.portal.base.RandomStream;
import dev.portal.llm.gguf.GgufWriter;
import dev.portal.llm.gguf.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A model of the Llama family with random weights of one type, whose output is its embeddings.
 *
 * @param keyHeads a divisor of {@code heads}
 * @param vocabulary more than 259
 * @param type of the matrices; the sizes are multiples of its blocks
 */
record RandomGguf(int width, int layers, int heads, int keyHeads, int hidden, int vocabulary, TensorType type) {
    /** Where weights have a spread of about 0.01. */
    private static final float SCALE = 0.02f;

    /** In Q8_0. */
    RandomGguf(int width, int layers, int heads, int keyHeads, int hidden, int vocabulary) {
        this(width, layers, heads, keyHeads, hidden, vocabulary, TensorType.Q8_0);
    }

    private static final int FIRST_PIECE = 259;

    /** Writes it. */
    void write(Path file) throws IOException {
        List<String> pieces = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));
        int[] kinds = new int[vocabulary];
        float[] scores = new float[vocabulary];
        for (int i = 0; i < vocabulary; i++) {
            kinds[i] = i == 0 ? 2 : i < 3 ? 3 : i < FIRST_PIECE ? 6 : 1;
            scores[i] = -i;
            if (i >= 3) {
                pieces.add(
                        i < FIRST_PIECE
                                ? String.format(Locale.ROOT, "<0x%02X>", i - 3)
                                : "w" + Integer.toString(i, 36));
            }
        }
        GgufWriter writer = new GgufWriter()
                .text("general.architecture", "llama")
                .text("general.name", "random")
                .whole("llama.context_length", 2048)
                .whole("llama.embedding_length", width)
                .whole("llama.block_count", layers)
                .whole("llama.feed_forward_length", hidden)
                .whole("llama.attention.head_count", heads)
                .whole("llama.attention.head_count_kv", keyHeads)
                .whole("llama.rope.dimension_count", width / heads)
                .real("llama.attention.layer_norm_rms_epsilon", 1e-5f)
                .text("tokenizer.ggml.model", "llama")
                .texts("tokenizer.ggml.tokens", pieces)
                .reals("tokenizer.ggml.scores", scores)
                .wholes("tokenizer.ggml.token_type", kinds)
                .whole("tokenizer.ggml.bos_token_id", 1)
                .whole("tokenizer.ggml.eos_token_id", 2)
                .whole("tokenizer.ggml.unknown_token_id", 0);
        matrix(writer, "token_embd.weight", width, vocabulary);
        for (int i = 0; i < layers; i++) {
            String prefix = "blk." + i + ".";
            norm(writer, prefix + "attn_norm.weight");
            int keyWidth = width / heads * keyHeads;
            matrix(writer, prefix + "attn_q.weight", width, width);
            matrix(writer, prefix + "attn_k.weight", width, keyWidth);
            matrix(writer, prefix + "attn_v.weight", width, keyWidth);
            matrix(writer, prefix + "attn_output.weight", width, width);
            norm(writer, prefix + "ffn_norm.weight");
            matrix(writer, prefix + "ffn_gate.weight", width, hidden);
            matrix(writer, prefix + "ffn_up.weight", width, hidden);
            matrix(writer, prefix + "ffn_down.weight", hidden, width);
        }
        norm(writer, "output_norm.weight");
        writer.write(file);
    }

    private void norm(GgufWriter writer, String name) {
        writer.tensor(
                name,
                TensorType.F32,
                out -> {
                    ByteBuffer ones = ByteBuffer.allocate(4 * width).order(ByteOrder.LITTLE_ENDIAN);
                    while (ones.hasRemaining()) {
                        ones.putFloat(1);
                    }
                    out.write(ones.array());
                },
                width);
    }

    private void matrix(GgufWriter writer, String name, int inputs, int outputs) {
        writer.tensor(
                name,
                type,
                out -> {
                    RandomStream random = new RandomStream(1).derive(name);
                    byte[] row = new byte[Math.toIntExact(type.rowBytes(inputs))];
                    ByteBuffer blocks = ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN);
                    for (int i = 0; i < outputs; i++) {
                        random.nextBytes(row);
                        for (int at = 0; at < row.length; at += type.blockBytes()) {
                            scales(blocks, at, random);
                        }
                        out.write(row);
                    }
                },
                inputs,
                outputs);
    }

    /** Makes numbers of a block that are not whole ones small. */
    private void scales(ByteBuffer blocks, int at, RandomStream random) {
        switch (type) {
            case F32 -> blocks.putFloat(at, (random.nextFloat() - 0.5f) * SCALE);
            case F16 -> blocks.putShort(at, Float.floatToFloat16((random.nextFloat() - 0.5f) * SCALE));
            case Q8_0 -> blocks.putShort(at, Float.floatToFloat16(SCALE / 127));
            case Q4_0 -> blocks.putShort(at, Float.floatToFloat16(SCALE / 8));
            case Q4_K -> {
                blocks.putShort(at, Float.floatToFloat16(SCALE / 15 / 32));
                blocks.putShort(at + 2, Float.floatToFloat16(SCALE / 64));
            }
            case Q6_K -> blocks.putShort(at + 208, Float.floatToFloat16(SCALE / 32 / 64));
        }
    }
}
