package dev.portal.llm.decoder;

import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.gguf.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import jdk.incubator.vector.FloatVector;

/** What {@link KernelWidthsTest} runs in JVMs of other vector widths. Argument: a folder. Ends with an error if something differs. */
final class WidthMain {
    private static final int TOKENS = 16;

    private WidthMain() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        System.out.println(FloatVector.SPECIES_PREFERRED.vectorBitSize() + " bits, "
                + Kernels.best().name());
        new KernelComparison(new ScalarKernels(), Kernels.best(), KernelsTest.SEED).run(6);
        new DecoderVectorsTest()
                .some(
                        folder,
                        List.of(
                                "qwen2/Q8_0/q8",
                                "qwen3/Q4_K/q8",
                                "qwen2/Q6_K/q8",
                                "llama/Q4_0/q8",
                                "llama3/F32/exact"));
        System.out.println(digest(folder));
    }

    /** A number that says all bits of the logits of a model of each type, read in one piece and token by token. */
    static String digest(Path folder) throws IOException {
        int hash = 1;
        for (TensorType type : TensorType.values()) {
            Path path = RandomModels.write(folder.resolve("digest-" + type + ".gguf"), "llama", type);
            try (GgufFile file = GgufFile.open(path)) {
                for (Rule rule : new Rule[] {Rule.NATIVE, Rule.I8}) {
                    LlamaDecoder decoder = rule.decoder(file, Kernels.best(), TOKENS);
                    int[] tokens = new int[2 * TOKENS];
                    Arrays.setAll(tokens, i -> (i * 37 + 11) % RandomModels.VOCABULARY);
                    hash = 31 * hash + Arrays.hashCode(decoder.read(tokens, 0, TOKENS, true));
                    for (int i = TOKENS; i < 2 * TOKENS; i++) {
                        hash = 31 * hash + Arrays.hashCode(decoder.read(tokens, i, 1, true));
                    }
                }
            }
        }
        return "logits %08x".formatted(hash);
    }
}
