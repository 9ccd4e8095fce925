package dev.portal.voice.tts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a Piper voice's JSON file says.
 *
 * @param phonemeType {@code espeak}, or {@code cmudict} for a voice that was trained with that dictionary's phones
 * @param phonemeIds the model's numbers of each symbol; {@code _} pads, {@code ^} begins, {@code $} ends
 * @param lengthScale above 1 is slower
 */
record VitsConfig(
        int sampleRateHz,
        String phonemeType,
        String espeakVoice,
        float noiseScale,
        float lengthScale,
        float noiseW,
        int speakers,
        Map<String, long[]> phonemeIds) {
    private static final String PAD = "_";
    private static final String BEGIN = "^";
    private static final String END = "$";

    /**
     * Reads the file.
     *
     * @throws IllegalArgumentException it is missing or not of that format
     */
    static VitsConfig read(Path file) {
        try {
            JsonNode root = JsonMapper.builder().build().readTree(Files.readString(file));
            JsonNode inference = root.path("inference");
            Map<String, long[]> ids = new HashMap<>();
            for (Map.Entry<String, JsonNode> entry : root.path("phoneme_id_map").properties()) {
                long[] numbers = new long[entry.getValue().size()];
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = entry.getValue().get(i).asLong();
                }
                ids.put(entry.getKey(), numbers);
            }
            for (String needed : List.of(PAD, BEGIN, END)) {
                if (!ids.containsKey(needed)) {
                    throw new IllegalArgumentException(
                            file + " has no '" + needed + "' in phoneme_id_map: it is not a Piper voice's JSON file");
                }
            }
            return new VitsConfig(
                    root.path("audio").path("sample_rate").asInt(22_050),
                    root.path("phoneme_type").asString("espeak"),
                    root.path("espeak").path("voice").asString("en-us"),
                    (float) inference.path("noise_scale").asDouble(0.667),
                    (float) inference.path("length_scale").asDouble(1),
                    (float) inference.path("noise_w").asDouble(0.8),
                    root.path("num_speakers").asInt(1),
                    Map.copyOf(ids));
        } catch (IOException | JacksonException e) {
            throw new IllegalArgumentException(
                    "cannot read " + file + " (" + e.getMessage() + "): a voice needs its Piper JSON file beside it",
                    e);
        }
    }

    /** The model's input: begin, a pad after every symbol, end. Symbols that the voice does not know are left out. */
    long[] ids(List<String> phonemes) {
        List<Long> ids = new ArrayList<>();
        add(ids, BEGIN);
        add(ids, PAD);
        for (String phoneme : phonemes) {
            if (phonemeIds.containsKey(phoneme)) {
                add(ids, phoneme);
                add(ids, PAD);
            }
        }
        add(ids, END);
        return ids.stream().mapToLong(Long::longValue).toArray();
    }

    private void add(List<Long> ids, String symbol) {
        for (long id : phonemeIds.getOrDefault(symbol, new long[0])) {
            ids.add(id);
        }
    }
}
