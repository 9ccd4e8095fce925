package dev.portal.voice.vad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How segments that are too long are cut (spec 6.2, step 3), worked out by hand; the golden cases hardly get there. */
class OfflineSegmenterTest {
    /** A limit of 2 s less a window is 31488 samples: with a start at 0, window 62 (sample 31744) is the first above. */
    private static final OfflineSettings TWO_SECONDS =
            OfflineSettings.DEFAULT.withMaxSpeechS(2).withPadMs(0).withMinSilenceMs(1000);

    /** Windows by turns of speech and silence, speech first. */
    private static double[] turns(int... lengths) {
        double[] probabilities = new double[Arrays.stream(lengths).sum()];
        int at = 0;
        for (int i = 0; i < lengths.length; i++) {
            Arrays.fill(probabilities, at, at + lengths[i], i % 2 == 0 ? 0.9 : 0.1);
            at += lengths[i];
        }
        return probabilities;
    }

    private static List<Segment> segments(OfflineSettings settings, int... turns) {
        double[] probabilities = turns(turns);
        return new OfflineSegmenter(settings, 16000, 512).segments(probabilities, 512L * probabilities.length);
    }

    private static Segment windows(int from, int to) {
        return new Segment(512L * from, 512L * to);
    }

    @Test
    void theCutIsAtTheLongestSilenceAndSpeechGoesOnAfterIt() {
        assertThat(segments(TWO_SECONDS, 10, 5, 10, 7, 18, 4, 27)).containsExactly(windows(0, 25), windows(32, 81));
    }

    @Test
    void ofSilencesOfOneLengthTheFirstIsTakenAndTheOthersAreForgotten() {
        // Nothing is left to cut at when the rest, from window 15 on, is too long at window 77; two windows are no
        // speech.
        assertThat(segments(TWO_SECONDS, 10, 5, 10, 5, 51)).containsExactly(windows(0, 10), windows(15, 77));
    }

    @Test
    void aSilenceOfFewerThanFourWindowsIsNoPlaceToCut() {
        assertThat(segments(TWO_SECONDS, 10, 3, 59)).containsExactly(windows(0, 62), windows(63, 72));
        assertThat(segments(TWO_SECONDS.withMinSpeechMs(300), 10, 3, 59)).containsExactly(windows(0, 62));
    }

    @Test
    void theOlderRuleCutsAtTheLastSilenceOfFiveWindows() {
        OfflineSettings older = TWO_SECONDS.withLongestSilence(false);
        assertThat(segments(older, 10, 7, 10, 5, 18, 4, 27)).containsExactly(windows(0, 27), windows(32, 81));
    }

    @Test
    void theOlderRuleStopsWhereTheSilenceLasts() {
        OfflineSettings older = TWO_SECONDS.withLongestSilence(false);
        assertThat(segments(older, 56, 15, 10)).containsExactly(windows(0, 56), windows(71, 81));
    }

    @Test
    void theNewRuleLetsALastingSilenceEndTheSegmentItself() {
        OfflineSettings settings = TWO_SECONDS.withMinSilenceMs(300);
        assertThat(segments(settings, 56, 15, 10)).containsExactly(windows(0, 62), windows(71, 81));
        assertThat(segments(settings, 40, 15, 10)).containsExactly(windows(0, 40), windows(55, 65));
    }

    @Test
    void aCutSegmentMayBeShorterThanTheMinimum() {
        OfflineSettings settings = TWO_SECONDS.withMinSpeechMs(1000);
        assertThat(segments(settings, 10, 7, 60)).startsWith(windows(0, 10));
    }

    @Test
    void neighboursMeetInTheMiddleOfAGapThatIsTooSmallForBothPads() {
        OfflineSettings settings = OfflineSettings.DEFAULT.withMinSilenceMs(64);
        assertThat(segments(settings.withPadMs(30), 10, 4, 10))
                .containsExactly(new Segment(0, 5120 + 480), new Segment(7168 - 480, 24 * 512));
        assertThat(segments(settings.withPadMs(100), 10, 4, 10))
                .containsExactly(new Segment(0, 5120 + 1024), new Segment(7168 - 1024, 24 * 512));
    }

    @Test
    void aSignalShorterThanItsWindowsIsRefusedAndAnEmptyOneHasNoSpeech() {
        OfflineSegmenter segmenter = new OfflineSegmenter(OfflineSettings.DEFAULT, 16000, 512);
        assertThat(segmenter.segments(new double[0], 0)).isEmpty();
        assertThat(segmenter.segments(new double[] {0.9}, 100)).isEmpty();
        assertThatThrownBy(() -> segmenter.segments(new double[3], 1000)).hasMessageContaining("too few for 3 windows");
        assertThatThrownBy(() -> OfflineSettings.DEFAULT.withThreshold(1.5)).hasMessageContaining("1.5");
        assertThatThrownBy(() -> OfflineSettings.DEFAULT.withPadMs(-1)).hasMessageContaining("negative");
    }
}
