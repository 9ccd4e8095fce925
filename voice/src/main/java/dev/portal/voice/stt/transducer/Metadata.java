package dev.portal.voice.stt.transducer;

import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.StageException;
import java.util.Arrays;

/** Numbers that a model file carries beside its graph. */
final class Metadata {
    private Metadata() {}

    /** A number of 1 or more that must be there. */
    static int positive(ModelStage stage, String key) {
        int[] values = list(stage, key);
        if (values.length != 1 || values[0] < 1) {
            throw new StageException(stage.name() + ": metadata '" + key
                    + "' should be one number of 1 or more, and is " + Arrays.toString(values));
        }
        return values[0];
    }

    /** Numbers separated by commas that must be there. */
    static int[] list(ModelStage stage, String key) {
        String text = stage.metadata().get(key);
        if (text == null) {
            throw new StageException(stage.name() + " carries no '" + key + "'; it has "
                    + stage.metadata().keySet()
                    + ". Export the model with its metadata, as icefall's export-onnx does");
        }
        try {
            return Arrays.stream(text.split(",", -1))
                    .map(String::strip)
                    .mapToInt(Integer::parseInt)
                    .toArray();
        } catch (NumberFormatException e) {
            throw new StageException(stage.name() + ": metadata '" + key + "' is '" + text + "', not numbers", e);
        }
    }
}
