package dev.portal.voice.stt.pocketsphinx;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A language for pocketsphinx, as a folder.
 *
 * @param name of the language, which is also the file name stem
 * @param acoustics folder of the acoustic model (mdef, means, variances and so on)
 * @param dictionary words and their phones
 * @param languageModel trigrams, for the open vocabulary
 */
public record PocketSphinxModel(String name, Path acoustics, Path dictionary, Path languageModel) {
    /**
     * Debian's layout of pocketsphinx-en-us: {@code en-us/}, {@code cmudict-en-us.dict}, {@code en-us.lm.bin}.
     *
     * @throws IllegalArgumentException something is missing
     */
    public static PocketSphinxModel english(Path folder) {
        PocketSphinxModel model = new PocketSphinxModel(
                "en-us", folder.resolve("en-us"), folder.resolve("cmudict-en-us.dict"), folder.resolve("en-us.lm.bin"));
        for (Path part : List.of(model.acoustics.resolve("mdef"), model.dictionary, model.languageModel)) {
            if (!Files.isReadable(part)) {
                throw new IllegalArgumentException("no pocketsphinx model in " + folder + ": " + part
                        + " is missing or not readable. Run './portal models fetch', or give the folder of a model.");
            }
        }
        return model;
    }

    Map<String, String> options() {
        return Map.of("-hmm", acoustics.toString(), "-dict", dictionary.toString());
    }
}
