package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufWriter;
import dev.portal.llm.gguf.TensorType;
import dev.portal.llm.tokenizer.Vocabularies;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Small models with weights drawn from the names of their tensors, as {@code src/test/python/decoder_vectors.py} draws
 * them.
 */
public final class RandomModels {
    static final int WIDTH = 256;
    static final int HEADS = 8;
    static final int KEY_HEADS = 2;
    static final int HEAD = 64;
    static final int HIDDEN = 512;
    static final int VOCABULARY = 96;
    static final int LAYERS = 2;

    private final String family;
    private final TensorType type;
    private final GgufWriter writer;

    private RandomModels(String family, TensorType type, GgufWriter writer) {
        this.family = family;
        this.type = type;
        this.writer = writer;
    }

    /** Writes a model of a family: llama, llama3 (frequency factors), llama-linear (scaled), qwen2, qwen3. */
    static Path write(Path file, String family, TensorType type) {
        return write(file, family, type, new GgufWriter(), VOCABULARY);
    }

    /** The same with a vocabulary that a tokenizer can be made of. */
    public static Path writeTalking(Path file, String family, TensorType type) {
        GgufWriter keys = Vocabularies.bytePair(family.startsWith("qwen") ? "qwen2" : "llama-bpe");
        int tokens = Vocabularies.tokenizer(keys).vocabulary().size();
        return write(file, family, type, keys, tokens);
    }

    /** A vocabulary alone, with as small a model as a reader of whole models accepts. */
    public static Path writeVocabulary(Path file, GgufWriter keys) {
        return write(
                file,
                "llama",
                TensorType.F16,
                keys,
                Vocabularies.tokenizer(keys).vocabulary().size());
    }

    private static Path write(Path file, String family, TensorType type, GgufWriter writer, int vocabulary) {
        try {
            new RandomModels(family, type, writer).model(vocabulary).write(file);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private GgufWriter model(int vocabulary) {
        boolean llama = family.startsWith("llama");
        String architecture = llama ? "llama" : family;
        String prefix = architecture + ".";
        writer.text("general.architecture", architecture)
                .whole(prefix + "context_length", 128)
                .whole(prefix + "embedding_length", WIDTH)
                .whole(prefix + "block_count", LAYERS)
                .whole(prefix + "feed_forward_length", HIDDEN)
                .whole(prefix + "attention.head_count", HEADS)
                .whole(prefix + "attention.head_count_kv", KEY_HEADS)
                .whole(prefix + "attention.key_length", HEAD)
                .whole(prefix + "attention.value_length", HEAD)
                .real(prefix + "attention.layer_norm_rms_epsilon", 1e-6f)
                .real(prefix + "rope.freq_base", llama ? 10_000 : 1_000_000);
        if (family.equals("llama-linear")) {
            writer.text(prefix + "rope.scaling.type", "linear").real(prefix + "rope.scaling.factor", 2);
        }
        matrix("token_embd.weight", WIDTH, vocabulary);
        for (int i = 0; i < LAYERS; i++) {
            layer("blk." + i + ".");
        }
        norm("output_norm.weight", WIDTH);
        if (!family.equals("qwen2")) {
            matrix("output.weight", WIDTH, vocabulary);
        }
        if (family.equals("llama3")) {
            writer.tensor(
                    "rope_freqs.weight",
                    TensorType.F32,
                    out -> {
                        ByteBuffer bytes = ByteBuffer.allocate(2 * HEAD).order(ByteOrder.LITTLE_ENDIAN);
                        for (int i = 0; i < HEAD / 2; i++) {
                            bytes.putFloat((float) (1 + 7.0 * i / (HEAD / 2)));
                        }
                        out.write(bytes.array());
                    },
                    HEAD / 2);
        }
        return writer;
    }

    private void layer(String prefix) {
        norm(prefix + "attn_norm.weight", WIDTH);
        matrix(prefix + "attn_q.weight", WIDTH, HEADS * HEAD);
        matrix(prefix + "attn_k.weight", WIDTH, KEY_HEADS * HEAD);
        matrix(prefix + "attn_v.weight", WIDTH, KEY_HEADS * HEAD);
        if (family.equals("qwen2")) {
            bias(prefix + "attn_q.bias", HEADS * HEAD);
            bias(prefix + "attn_k.bias", KEY_HEADS * HEAD);
            bias(prefix + "attn_v.bias", KEY_HEADS * HEAD);
        }
        if (family.equals("qwen3")) {
            norm(prefix + "attn_q_norm.weight", HEAD);
            norm(prefix + "attn_k_norm.weight", HEAD);
        }
        matrix(prefix + "attn_output.weight", HEADS * HEAD, WIDTH);
        norm(prefix + "ffn_norm.weight", WIDTH);
        matrix(prefix + "ffn_gate.weight", WIDTH, HIDDEN);
        matrix(prefix + "ffn_up.weight", WIDTH, HIDDEN);
        matrix(prefix + "ffn_down.weight", HIDDEN, WIDTH);
    }

    private void norm(String name, int width) {
        vector(name, width, 1);
    }

    private void bias(String name, int width) {
        vector(name, width, 0);
    }

    private void vector(String name, int width, float middle) {
        writer.tensor(
                name,
                TensorType.F32,
                out -> {
                    ByteBuffer bytes = ByteBuffer.allocate(4 * width).order(ByteOrder.LITTLE_ENDIAN);
                    Draws draws = new Draws(family + "/" + name);
                    for (int i = 0; i < width; i++) {
                        bytes.putFloat((float) ((double) middle + draws.uniform(0.5f)));
                    }
                    out.write(bytes.array());
                },
                width);
    }

    private void matrix(String name, int inputs, int outputs) {
        writer.tensor(
                name,
                type,
                out -> contents(out, type, new Draws(family + "/" + name), (long) inputs * outputs),
                inputs,
                outputs);
    }

    /** Blocks with random weights. */
    static void contents(OutputStream out, TensorType type, Draws draws, long weights) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(type.blockBytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (long i = 0; i < weights / type.blockWeights(); i++) {
            block.clear();
            switch (type) {
                case F32 -> block.putFloat(draws.uniform(0.125f));
                case F16 -> {
                    long draw = draws.next();
                    block.putShort((short) ((draw & 0x8000) | (0x2000 + (draw & 0x7ff))));
                }
                case Q4_0, Q8_0, Q4_K, Q6_K -> {
                    while (block.hasRemaining()) {
                        block.put((byte) draws.next());
                    }
                    scales(block, type);
                }
            }
            out.write(block.array());
        }
    }

    private static void scales(ByteBuffer block, TensorType type) {
        switch (type) {
            case Q4_0 -> scale(block, 0, 0x2000);
            case Q8_0 -> {
                scale(block, 0, 0x1000);
                for (int i = 2; i < block.capacity(); i++) {
                    block.put(i, (byte) Math.max(-127, block.get(i)));
                }
            }
            case Q4_K -> {
                scale(block, 0, 0x0800);
                scale(block, 2, 0x0c00);
            }
            case Q6_K -> scale(block, 208, 0x0200);
            case F32, F16 -> {}
        }
    }

    /** An F16 scale in a range where the model says something. */
    private static void scale(ByteBuffer block, int at, int bits) {
        block.putShort(at, (short) (bits + (block.get(at) & 0xff)));
    }

    /** SplitMix64 from the FNV-1a hash of a name. */
    static final class Draws {
        private long state;

        Draws(String name) {
            state = 0xcbf29ce484222325L;
            for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
                state = (state ^ b) * 0x100000001b3L;
            }
        }

        long next() {
            state += 0x9e3779b97f4a7c15L;
            long z = state;
            z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
            z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
            return z ^ (z >>> 31);
        }

        float uniform(float scale) {
            return ((next() >>> 40) / (float) (1 << 24) - 0.5f) * scale;
        }
    }
}
