package dev.portal.voice.tts;

import static dev.portal.voice.stage.OnnxBytes.FLOAT;
import static dev.portal.voice.stage.OnnxBytes.INT64;

import dev.portal.voice.stage.OnnxBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Voices whose every input number becomes four samples of a hundredth of it, in both layouts. */
public final class TinyVoice {
    private static final String CONFIG = """
        {"audio": {"sample_rate": 1000}, "espeak": {"voice": "en-us"}, "num_speakers": 1,
         "inference": {"noise_scale": 0.5, "length_scale": 1.0, "noise_w": 0.5},
         "phoneme_id_map": {"_": [0], "^": [1], "$": [2], "h": [5], "i": [7], ".": [9]}}
        """;

    /** Pronounces a sentence letter by letter. */
    public static final VitsEngine.PhonemizerFactory LETTERS =
            (type, voice) -> sentence -> Phonemizer.symbols(sentence.toLowerCase(Locale.ROOT));

    private TinyVoice() {}

    private static OnnxBytes text(OnnxBytes model) {
        return model.input("input", INT64, 1, -1)
                .input("input_lengths", INT64, 1)
                .input("scales", FLOAT, 3);
    }

    private static OnnxBytes frames(OnnxBytes model, String output) {
        return model.longs("axis1", 1)
                .node("Cast", List.of("input"), List.of("numbers"), "to=1")
                .node("Unsqueeze", List.of("numbers", "axis1"), List.of(output));
    }

    private static OnnxBytes samples(OnnxBytes model, String frames) {
        return model.longs("last", 3)
                .longs("four", 1, 1, 1, 4)
                .longs("flat", 1, 1, -1)
                .floats("hundredth", new float[] {0.01f}, 1)
                .node("Mul", List.of(frames, "hundredth"), List.of("scaled"))
                .node("Unsqueeze", List.of("scaled", "last"), List.of("column"))
                .node("Tile", List.of("column", "four"), List.of("tiled"))
                .node("Reshape", List.of("tiled", "flat"), List.of("output"))
                .output("output", FLOAT, 1, 1, -1);
    }

    /** One file, with its configuration beside it. */
    public static Path oneFile(Path folder) throws IOException {
        Path voice = folder.resolve("voice.onnx");
        Files.write(voice, samples(frames(text(new OnnxBytes()), "z"), "z").bytes());
        Files.writeString(folder.resolve("voice.onnx.json"), CONFIG);
        return voice;
    }

    /** A folder with encoder and decoder. */
    public static Path twoFiles(Path folder) throws IOException {
        Path voice = Files.createDirectory(folder.resolve("voice"));
        OnnxBytes encoder = frames(text(new OnnxBytes()), "z")
                .floats("zero", new float[] {0}, 1)
                .floats("one", new float[] {1}, 1)
                .node("Mul", List.of("z", "zero"), List.of("zeros"))
                .node("Add", List.of("zeros", "one"), List.of("y_mask"))
                .output("z", FLOAT, 1, 1, -1)
                .output("y_mask", FLOAT, 1, 1, -1);
        OnnxBytes decoder = new OnnxBytes()
                .input("z", FLOAT, 1, 1, -1)
                .input("y_mask", FLOAT, 1, 1, -1)
                .node("Mul", List.of("z", "y_mask"), List.of("masked"));
        Files.write(voice.resolve("encoder.onnx"), encoder.bytes());
        Files.write(voice.resolve("decoder.onnx"), samples(decoder, "masked").bytes());
        Files.writeString(voice.resolve("config.json"), CONFIG);
        return voice;
    }
}
