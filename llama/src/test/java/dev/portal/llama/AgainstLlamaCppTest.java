package dev.portal.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.SystemClock;
import dev.portal.llm.decoder.CpuBackend;
import dev.portal.llm.decoder.Kernels;
import dev.portal.llm.decoder.LocalModel;
import dev.portal.llm.decoder.LocalOptions;
import dev.portal.llm.decoder.RandomModels;
import dev.portal.llm.decoder.Team;
import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.GgufTensor;
import dev.portal.llm.gguf.GgufValue;
import dev.portal.llm.gguf.GgufWriter;
import dev.portal.llm.gguf.TensorType;
import dev.portal.llm.tokenizer.TextStream;
import dev.portal.llm.tokenizer.Tokenizer;
import dev.portal.llm.tokenizer.Vocabularies;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The decoder in the JVM against llama.cpp, in a process of its own: the same ids, and the same greedy text over 256
 * tokens with the end passed over, but for near ties.
 *
 * <p>Wherever the texts part, the two best logits are closer than 1e-3. In Q8_0 both round activations to 8 bits, and one
 * that lies between two steps would fall to the other side if sums were added up in another order, which moves the logits
 * of this model by about 0.01. So our loops add up in the order of llama.cpp's for 256-bit vectors (see {@code Kernels}), and
 * llama.cpp reads the prompt token by token, since for batches it has another. Its build for another processor has another
 * too: there, gaps up to 0.05 are let pass.
 */
@Tag("slow")
final class AgainstLlamaCppTest {
    private static final int TOKENS = 256;
    /** Two tokens whose logits are closer than this are as good as each other. */
    private static final float NEAR = 1e-3f;

    private static final float ONE_STEP = 0.05f;

    @TempDir
    private Path folder;

    private static Path tiny() {
        return Path.of(System.getProperty("portal.root", "..")).resolve("models/tiny-assistant/tiny-assistant.gguf");
    }

    @Test
    void everyTextHasTheSameIds() throws IOException {
        sameIds(tiny());
        sameIds(RandomModels.writeVocabulary(folder.resolve("spm.gguf"), Vocabularies.sentencePiece()));
        for (String family : List.of("gpt-2", "llama-bpe", "qwen2", "smollm", "default")) {
            sameIds(RandomModels.writeVocabulary(folder.resolve(family + ".gguf"), Vocabularies.bytePair(family)));
        }
    }

    private static void sameIds(Path file) throws IOException {
        try (Probe probe = new Probe(file, 1, 64, 64);
                GgufFile open = GgufFile.open(file)) {
            Tokenizer tokenizer = Tokenizer.of(open.metadata());
            for (String text : Vocabularies.corpus()) {
                assertThat(tokenizer.encode(text, false, true))
                        .as("%s: '%s'", file.getFileName(), text)
                        .isEqualTo(probe.encode(text));
            }
        }
    }

    @Test
    void greedyTextIsTheSameForFloats() throws IOException {
        assertThat(gaps(tiny())).allMatch(gap -> gap < NEAR).hasSizeLessThan(8);
    }

    @Test
    void greedyTextIsTheSameForQ8() throws IOException {
        float allowed = System.getProperty("os.arch").equals("amd64") ? NEAR : ONE_STEP;
        assertThat(gaps(quantised(folder.resolve("q8.gguf"))))
                .allMatch(gap -> gap < allowed)
                .hasSizeLessThan(8);
    }

    /** The gaps between the two best logits where the texts of three answers part. */
    private static List<Float> gaps(Path file) throws IOException {
        SystemClock clock = new SystemClock();
        List<Float> gaps = new ArrayList<>();
        try (Probe probe = new Probe(file, 1, 512, 1);
                LocalModel model = LocalModel.open(
                        file,
                        LocalOptions.defaults(1L << 30),
                        clock,
                        Team.alone(clock),
                        Kernels.best(),
                        CpuBackend.nativeWeights())) {
            for (String question : List.of("turn on the kitchen light", "hello", "go forward ten meters")) {
                String prompt = "user: " + question + "\nbot:";
                StringBuilder theirs = new StringBuilder();
                probe.greedy(prompt, TOKENS).path("pieces").forEach(piece -> theirs.append(piece.asString("")));
                follow(model, prompt, theirs.toString(), gaps);
            }
        }
        System.out.println(
                file.getFileName() + ": " + gaps.size() + " of " + 3 * TOKENS + " positions part, gaps " + gaps);
        return gaps;
    }

    /** Follows llama.cpp's text token by token; where ours would part from it, the second best is taken. */
    private static void follow(LocalModel model, String prompt, String theirs, List<Float> gaps) {
        Tokenizer tokenizer = model.tokenizer();
        int[] tokens = Arrays.copyOf(tokenizer.encode(prompt, true, true), 512);
        int length = tokenizer.encode(prompt, true, true).length;
        TextStream stream = new TextStream(tokenizer);
        int said = 0;
        for (int i = 0; i < TOKENS && said < theirs.length(); i++) {
            float[] logits = model.logits(Arrays.copyOf(tokens, length));
            for (int end : tokenizer.vocabulary().ends()) {
                logits[end] = Float.NEGATIVE_INFINITY;
            }
            int best = best(logits, -1);
            int second = best(logits, best);
            String rest = theirs.substring(said);
            int taken = best;
            if (!begins(rest, tokenizer.bytes(best))) {
                gaps.add(logits[best] - logits[second]);
                assertThat(begins(rest, tokenizer.bytes(second)))
                        .as("token %d goes on with '%s'", i, rest)
                        .isTrue();
                taken = second;
            }
            tokens[length++] = taken;
            said += stream.next(taken).length();
        }
    }

    private static boolean begins(String text, byte[] bytes) {
        byte[] head = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), bytes.length);
        return Arrays.equals(head, bytes);
    }

    private static int best(float[] logits, int but) {
        int best = but == 0 ? 1 : 0;
        for (int i = 0; i < logits.length; i++) {
            if (i != but && logits[i] > logits[best]) {
                best = i;
            }
        }
        return best;
    }

    /** The tiny assistant with its matrices in Q8_0. */
    private static Path quantised(Path to) throws IOException {
        try (GgufFile file = GgufFile.open(tiny())) {
            GgufWriter writer = new GgufWriter();
            for (Map.Entry<String, GgufValue> key : file.metadata().values().entrySet()) {
                copy(writer, file, key.getKey(), key.getValue());
            }
            for (GgufTensor tensor : file.tensors().values()) {
                long[] sizes =
                        tensor.sizes().stream().mapToLong(Long::longValue).toArray();
                if (sizes.length == 1 || sizes[0] % 32 != 0) {
                    writer.tensor(
                            tensor.name(),
                            TensorType.F32,
                            out -> out.write(tensor.data().toArray(ValueLayout.JAVA_BYTE)),
                            sizes);
                } else {
                    writer.tensor(tensor.name(), TensorType.Q8_0, out -> out.write(blocks(tensor)), sizes);
                }
            }
            writer.write(to);
        }
        return to;
    }

    private static void copy(GgufWriter writer, GgufFile file, String key, GgufValue value) {
        switch (value) {
            case GgufValue.Text(String text) -> writer.text(key, text);
            case GgufValue.Whole(long whole) -> writer.whole(key, (int) whole);
            case GgufValue.Real(double real) -> writer.real(key, (float) real);
            case GgufValue.Flag(boolean flag) -> writer.flag(key, flag);
            case GgufValue.Array array -> {
                switch (array.elementType()) {
                    case 8 ->
                        writer.texts(
                                key,
                                Arrays.stream(Objects.requireNonNull(
                                                file.metadata().texts(key)))
                                        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                                        .toList());
                    case 6 ->
                        writer.reals(key, Objects.requireNonNull(file.metadata().floats(key)));
                    default ->
                        writer.wholes(
                                key, Objects.requireNonNull(file.metadata().ints(key)));
                }
            }
        }
    }

    private static byte[] blocks(GgufTensor tensor) {
        float[] weights = tensor.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        ByteBuffer blocks = ByteBuffer.allocate(weights.length / 32 * 34).order(ByteOrder.LITTLE_ENDIAN);
        for (int block = 0; block < weights.length; block += 32) {
            float most = 0;
            for (int i = block; i < block + 32; i++) {
                most = Math.max(most, Math.abs(weights[i]));
            }
            float inverse = most == 0 ? 0 : 127 / most;
            blocks.putShort(Float.floatToFloat16(most / 127));
            for (int i = block; i < block + 32; i++) {
                blocks.put((byte) Math.rint(weights[i] * inverse));
            }
        }
        return blocks.array();
    }
}
