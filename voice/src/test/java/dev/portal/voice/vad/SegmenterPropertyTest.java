package dev.portal.voice.vad;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for any probabilities and any settings. */
class SegmenterPropertyTest {
    private static final int RUNS = 2_000;

    static List<Long> seeds() {
        Long chosen = Long.getLong("portal.seed");
        return chosen == null ? List.of(1L, 2L, 3L) : List.of(chosen);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void offlineSegmentsAreOrderedApartAndInsideTheSignal(long seed) {
        RandomStream random = new RandomStream(seed).derive("offline");
        int found = 0;
        for (int run = 0; run < RUNS; run++) {
            int window = random.nextBoolean() ? 512 : 256;
            double[] probabilities = probabilities(random);
            long total = Math.max(0, (long) probabilities.length * window - random.nextInt(window));
            OfflineSettings settings = settings(random);
            String about = "seed " + seed + ", run " + run + ", " + settings
                    + "; again: ./portal test -Dtest=SegmenterPropertyTest -Dportal.seed=" + seed;
            List<Segment> segments =
                    new OfflineSegmenter(settings, window == 512 ? 16000 : 8000, window).segments(probabilities, total);
            long last = 0;
            for (Segment segment : segments) {
                assertThat(segment.startSample()).as(about).isGreaterThanOrEqualTo(last);
                assertThat(segment.endSample()).as(about).isGreaterThan(segment.startSample());
                last = segment.endSample();
            }
            assertThat(last).as(about).isLessThanOrEqualTo(total);
            found += segments.size();
        }
        assertThat(found).as("segments in all runs").isGreaterThan(RUNS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyWindowOfSpeechOutsideASegmentIsExplainedByTheMinimum(long seed) {
        RandomStream random = new RandomStream(seed).derive("cover");
        for (int run = 0; run < RUNS; run++) {
            double[] probabilities = probabilities(random);
            OfflineSettings settings =
                    OfflineSettings.DEFAULT.withMinSpeechMs(0).withPadMs(0);
            List<Segment> segments =
                    new OfflineSegmenter(settings, 16000, 512).segments(probabilities, 512L * probabilities.length);
            for (int i = 0; i < probabilities.length; i++) {
                long at = 512L * i;
                if (probabilities[i] >= settings.threshold()) {
                    assertThat(segments)
                            .as("seed %s, run %s, window %s", seed, run, i)
                            .anyMatch(segment -> segment.startSample() <= at && at < segment.endSample());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void streamEventsAlternateAndMoveForward(long seed) {
        RandomStream random = new RandomStream(seed).derive("stream");
        List<StreamingSettings> all = List.of(
                StreamingSettings.SILERO,
                StreamingSettings.SHERPA_ONNX,
                StreamingSettings.LIVEKIT,
                StreamingSettings.PIPECAT);
        int found = 0;
        for (int run = 0; run < RUNS; run++) {
            StreamingSettings settings = all.get(random.nextInt(all.size()));
            var segmenter = new StreamingSegmenter(settings, 16000, 512);
            boolean speaking = false;
            long last = 0;
            for (double probability : probabilities(random)) {
                Optional<SpeechEvent> event = segmenter.window(probability);
                if (event.isPresent()) {
                    found++;
                    assertThat(event.get() instanceof SpeechEvent.Started)
                            .as("seed %s, run %s", seed, run)
                            .isEqualTo(!speaking);
                    speaking = !speaking;
                    assertThat(event.get().sample()).isBetween(speaking ? 0 : last, segmenter.samples());
                    last = event.get().sample();
                }
                assertThat(segmenter.speaking()).isEqualTo(speaking);
            }
        }
        assertThat(found).isGreaterThan(RUNS);
    }

    @Test
    void profilesStartAndEndAfterTheWindowsThatTheyState() {
        assertThat(decisions(StreamingSettings.SILERO)).containsExactly(1, 5);
        assertThat(decisions(StreamingSettings.PIPECAT)).containsExactly(6, 6);
        assertThat(decisions(StreamingSettings.LIVEKIT)).containsExactly(2, 18);
        assertThat(decisions(StreamingSettings.SHERPA_ONNX)).containsExactly(9, 17);
    }

    @Test
    void sherpaDatesBackByTwoWindowsAndAQuarterOfASecond() {
        var segmenter = new StreamingSegmenter(StreamingSettings.SHERPA_ONNX, 16000, 512);
        Optional<SpeechEvent> event = Optional.empty();
        for (int i = 0; event.isEmpty(); i++) {
            event = segmenter.window(i < 20 ? 0 : 1);
        }
        assertThat(event).contains(new SpeechEvent.Started(segmenter.samples() - 2 * 512 - 4000));
        do {
            event = segmenter.window(0);
        } while (event.isEmpty());
        assertThat(event).contains(new SpeechEvent.Ended(segmenter.samples() - 8000));
    }

    @Test
    void aResetStartsAtSampleZero() {
        var segmenter = new StreamingSegmenter(StreamingSettings.SILERO, 16000, 512);
        for (int i = 0; i < 10; i++) {
            segmenter.window(0.9);
        }
        segmenter.reset();
        assertThat(segmenter.speaking()).isFalse();
        assertThat(segmenter.window(0.9)).contains(new SpeechEvent.Started(0));
    }

    /** How many windows of speech it takes to start, and then how many of silence to end. */
    private static int[] decisions(StreamingSettings settings) {
        var segmenter = new StreamingSegmenter(settings, 16000, 512);
        int toStart = 1;
        while (segmenter.window(0.9).isEmpty()) {
            toStart++;
        }
        int toEnd = 1;
        while (segmenter.window(0.1).isEmpty()) {
            toEnd++;
        }
        return new int[] {toStart, toEnd};
    }

    /** Plateaus of a few to many windows, around the thresholds as often as not. */
    private static double[] probabilities(RandomStream random) {
        double[] probabilities = new double[random.nextInt(0, 250)];
        double level = 0;
        for (int i = 0; i < probabilities.length; i++) {
            if (random.nextInt(8) == 0) {
                level = random.nextDouble();
            }
            probabilities[i] = Math.clamp(level + 0.1 * (random.nextDouble() - 0.5), 0, 1);
        }
        return probabilities;
    }

    private static OfflineSettings settings(RandomStream random) {
        OfflineSettings settings = OfflineSettings.DEFAULT
                .withThreshold(random.nextDouble(0.05, 0.95))
                .withMinSpeechMs(random.nextInt(600))
                .withMinSilenceMs(random.nextInt(600))
                .withPadMs(random.nextDouble(300))
                .withMinSilenceAtMaxMs(random.nextInt(200))
                .withLongestSilence(random.nextBoolean());
        return random.nextBoolean() ? settings.withMaxSpeechS(random.nextDouble(0.8, 4)) : settings;
    }
}
