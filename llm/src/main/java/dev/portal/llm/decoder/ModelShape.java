package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.GgufMetadata;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The architecture of a model, as the keys of its file say it.
 *
 * @param family which of the architectures
 * @param layers 1 or more
 * @param width of the residual stream
 * @param heads of queries
 * @param keyHeads of keys and values; {@code heads} is a multiple
 * @param headWidth values of a head
 * @param hidden width of the feed-forward part
 * @param vocabulary tokens
 * @param context positions that the model was made for
 * @param epsilon of the norms
 * @param rope rotary positions
 */
public record ModelShape(
        Family family,
        int layers,
        int width,
        int heads,
        int keyHeads,
        int headWidth,
        int hidden,
        int vocabulary,
        int context,
        float epsilon,
        Rope rope) {
    private static final int MOST = 1 << 20;

    /** Architectures, which differ in biases, norms of heads, and which values of a head rotate together. */
    public enum Family {
        /** Llama 1 to 3 and SmolLM: neighbours rotate together. */
        LLAMA("llama", true),
        /** Qwen 2 and 2.5: biases on query, key and value; halves rotate together. */
        QWEN2("qwen2", false),
        /** Qwen 3: norms on the heads of query and key; halves rotate together. */
        QWEN3("qwen3", false);

        private final String key;
        private final boolean neighbours;

        Family(String key, boolean neighbours) {
            this.key = key;
            this.neighbours = neighbours;
        }

        static Family of(String architecture) {
            for (Family family : values()) {
                if (family.key.equals(architecture)) {
                    return family;
                }
            }
            throw new GgufException("key 'general.architecture' is '" + architecture
                    + "'; llama, qwen2 and qwen3 are decoded here; --engine llama.cpp runs others");
        }
    }

    /**
     * Rotary positions.
     *
     * @param width values of a head that rotate, even
     * @param base of the frequencies
     * @param scale of the frequencies: 1 over the factor of linear scaling
     * @param factors by which single frequencies are divided (Llama 3), {@code width / 2}; null for none
     * @param neighbours whether values 2i and 2i + 1 rotate together, not i and i + width / 2
     */
    public record Rope(int width, float base, float scale, float @Nullable [] factors, boolean neighbours) {}

    /**
     * Reads the keys.
     *
     * @throws GgufException naming the key that is missing or cannot be
     */
    public static ModelShape of(GgufFile file) {
        GgufMetadata keys = file.metadata();
        Family family = Family.of(
                keys.text("general.architecture").orElseThrow(() -> GgufMetadata.missing("general.architecture")));
        String prefix = family.key + ".";
        int width = keys.count(prefix + "embedding_length", 1, MOST);
        int heads = keys.count(prefix + "attention.head_count", 1, MOST);
        String keyHeadsKey = prefix + "attention.head_count_kv";
        int keyHeads = keys.whole(keyHeadsKey).isPresent() ? keys.count(keyHeadsKey, 1, heads) : heads;
        if (heads % keyHeads != 0) {
            throw new GgufException("key '" + keyHeadsKey + "' is " + keyHeads + ", which does not divide the " + heads
                    + " heads of queries");
        }
        String headWidthKey = prefix + "attention.key_length";
        int headWidth;
        if (keys.whole(headWidthKey).isPresent()) {
            headWidth = keys.count(headWidthKey, 1, MOST);
        } else if (width % heads != 0) {
            throw new GgufException(
                    "key '" + prefix + "embedding_length' is " + width + ", no multiple of " + heads + " heads");
        } else {
            headWidth = width / heads;
        }
        String valueWidthKey = prefix + "attention.value_length";
        if (keys.whole(valueWidthKey).isPresent() && keys.count(valueWidthKey, 1, MOST) != headWidth) {
            throw new GgufException("key '" + valueWidthKey + "' differs from the width of keys, " + headWidth);
        }
        long vocabulary = file.find("token_embd.weight")
                .map(tensor -> tensor.sizes().size() == 2 ? tensor.sizes().get(1) : 0L)
                .orElseThrow(() -> new GgufException("tensor 'token_embd.weight' is missing"));
        return new ModelShape(
                family,
                keys.count(prefix + "block_count", 1, 10_000),
                width,
                heads,
                keyHeads,
                headWidth,
                keys.count(prefix + "feed_forward_length", 1, MOST),
                (int) Math.min(Integer.MAX_VALUE, vocabulary),
                keys.count(prefix + "context_length", 1, Integer.MAX_VALUE),
                (float) keys.real(prefix + "attention.layer_norm_rms_epsilon")
                        .orElseThrow(() -> GgufMetadata.missing(prefix + "attention.layer_norm_rms_epsilon")),
                rope(file, family, headWidth));
    }

    private static Rope rope(GgufFile file, Family family, int headWidth) {
        GgufMetadata keys = file.metadata();
        String prefix = family.key + ".rope.";
        String widthKey = prefix + "dimension_count";
        int width = keys.whole(widthKey).isPresent() ? keys.count(widthKey, 2, headWidth) : headWidth;
        if (width % 2 != 0) {
            throw new GgufException("key '" + widthKey + "' is " + width + "; an even number is needed");
        }
        String kind = keys.text(prefix + "scaling.type").orElse("none");
        double factor = switch (kind) {
            case "none" -> keys.real(prefix + "scale_linear").orElse(1);
            case "linear" -> keys.real(prefix + "scaling.factor").orElse(1);
            default ->
                throw new GgufException("key '" + prefix + "scaling.type' is '" + kind
                        + "'; none and linear are known here, and Llama 3's factors by their tensor");
        };
        Optional<float[]> factors = file.find("rope_freqs.weight").map(tensor -> {
            float[] values = new float[width / 2];
            WeightRows.read(file.tensor("rope_freqs.weight", width / 2), 0, values);
            return values;
        });
        return new Rope(
                width,
                (float) keys.real(prefix + "freq_base").orElse(10_000),
                (float) (factor > 0 ? 1 / factor : 1),
                factors.orElse(null),
                family.neighbours);
    }

    /** Values of the keys of one position. */
    int keyWidth() {
        return keyHeads * headWidth;
    }

    /** Values of the queries of one position. */
    int queryWidth() {
        return heads * headWidth;
    }

    /** The longest row of any of the matrices. */
    int longestRow() {
        return Math.max(Math.max(width, hidden), queryWidth());
    }
}
