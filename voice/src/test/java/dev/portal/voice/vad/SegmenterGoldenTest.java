package dev.portal.voice.vad;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.voice.vad.SpeechEvent.Ended;
import dev.portal.voice.vad.SpeechEvent.Started;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class SegmenterGoldenTest {
    record Event(int window, SpeechEvent event) {}

    static Stream<JsonNode> cases() {
        return SileroGolden.json().get("segmenter_cases").valueStream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void offlineSegmentsAreThoseOfTheReference(JsonNode golden) {
        double[] probabilities = SileroGolden.doubles(golden.get("probs"));
        assertThat(golden.get("offline").size()).isPositive();
        for (JsonNode run : golden.get("offline")) {
            var segmenter = new OfflineSegmenter(settings(run.get("params")), 16000, 512);
            assertThat(segmenter.segments(
                            probabilities, golden.get("total_samples").asLong()))
                    .as("%s %s", golden.get("id"), run.get("params"))
                    .isEqualTo(segments(run.get("segments")));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void streamEventsAreThoseOfTheReference(JsonNode golden) {
        assertThat(stream(SileroGolden.doubles(golden.get("probs"))))
                .as("%s", golden.get("id"))
                .isEqualTo(events(golden.get("stream")));
    }

    static OfflineSettings settings(JsonNode params) {
        OfflineSettings settings = OfflineSettings.DEFAULT;
        if (params.has("threshold")) {
            settings = settings.withThreshold(params.get("threshold").asDouble());
        }
        for (var param : params.properties()) {
            double value = param.getValue().asDouble(0);
            settings = switch (param.getKey()) {
                case "threshold" -> settings;
                case "neg" -> settings.withExitThreshold(value);
                case "min_speech_ms" -> settings.withMinSpeechMs(value);
                case "max_speech_s" -> settings.withMaxSpeechS(value);
                case "min_sil_ms" -> settings.withMinSilenceMs(value);
                case "pad_ms" -> settings.withPadMs(value);
                case "use_longest" ->
                    settings.withLongestSilence(param.getValue().asBoolean());
                default -> throw new AssertionError("unknown parameter " + param);
            };
        }
        return settings;
    }

    static List<Segment> segments(JsonNode pairs) {
        return pairs.valueStream()
                .map(pair -> new Segment(pair.get(0).asLong(), pair.get(1).asLong()))
                .toList();
    }

    static List<Event> events(JsonNode triples) {
        return triples.valueStream()
                .map(triple -> {
                    long sample = triple.get(2).asLong();
                    boolean start = triple.get(1).asString().equals("start");
                    return new Event(triple.get(0).asInt(), start ? new Started(sample) : new Ended(sample));
                })
                .toList();
    }

    static List<Event> stream(double[] probabilities) {
        var segmenter = new StreamingSegmenter(StreamingSettings.SILERO, 16000, 512);
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < probabilities.length; i++) {
            int window = i;
            segmenter.window(probabilities[i]).ifPresent(event -> events.add(new Event(window, event)));
        }
        return events;
    }
}
