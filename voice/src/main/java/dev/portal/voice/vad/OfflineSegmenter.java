package dev.portal.voice.vad;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the speech in a whole signal from the probabilities of its windows, as Silero's own tool does, cut for cut (spec
 * 6.2).
 *
 * <p>Immutable; any thread.
 */
public final class OfflineSegmenter {
    private final OfflineSettings settings;
    private final int windowSamples;
    private final int sampleRateHz;
    private final double pad;

    public OfflineSegmenter(OfflineSettings settings, int sampleRateHz, int windowSamples) {
        if (sampleRateHz < 1 || windowSamples < 1) {
            throw new IllegalArgumentException(windowSamples + " samples a window at " + sampleRateHz + " Hz");
        }
        this.settings = settings;
        this.windowSamples = windowSamples;
        this.sampleRateHz = sampleRateHz;
        this.pad = samples(settings.padMs());
    }

    private double samples(double ms) {
        return sampleRateHz * ms / 1000;
    }

    /**
     * Segments a signal.
     *
     * @param probabilities of window after window, the last of which may reach past the end of the signal
     * @param totalSamples of the signal
     * @return in order, not overlapping, inside the signal
     */
    public List<Segment> segments(double[] probabilities, long totalSamples) {
        if (totalSamples < 0 || totalSamples < (probabilities.length - 1L) * windowSamples) {
            throw new IllegalArgumentException(
                    totalSamples + " samples are too few for " + probabilities.length + " windows of " + windowSamples);
        }
        Scan scan = new Scan();
        for (int i = 0; i < probabilities.length; i++) {
            scan.window((long) i * windowSamples, probabilities[i]);
        }
        return padded(scan.finish(totalSamples), totalSamples);
    }

    private record Silence(long start, long samples) {}

    /** The pass over the windows. 0 stands for "none" in the three marks, since none can be at sample 0. */
    private final class Scan {
        private final double minSpeech = samples(settings.minSpeechMs());
        private final double minSilence = samples(settings.minSilenceMs());
        private final double minSilenceAtMax = samples(settings.minSilenceAtMaxMs());
        private final double maxSpeech = sampleRateHz * settings.maxSpeechS() - windowSamples - 2 * pad;
        private final List<Segment> found = new ArrayList<>();
        private final List<Silence> candidates = new ArrayList<>();
        private boolean triggered;
        private long start;
        private long possibleEnd;
        private long previousEnd;
        private long nextStart;

        void window(long at, double probability) {
            boolean speech = probability >= settings.threshold();
            if (speech && possibleEnd != 0) {
                long silence = at - possibleEnd;
                if (silence > minSilenceAtMax) {
                    candidates.add(new Silence(possibleEnd, silence));
                }
                possibleEnd = 0;
                if (nextStart < previousEnd) {
                    nextStart = at;
                }
            }
            if (speech && !triggered) {
                triggered = true;
                start = at;
                return;
            }
            if (triggered && at - start > maxSpeech && cut(at)) {
                return;
            }
            if (triggered && probability < settings.exitThreshold()) {
                maybeEnd(at);
            }
        }

        /** Cuts a segment that has become too long; true when the window needs no further look. */
        private boolean cut(long at) {
            if (settings.longestSilence() && !candidates.isEmpty()) {
                Silence longest = candidates.getFirst();
                for (Silence silence : candidates) {
                    if (silence.samples() > longest.samples()) {
                        longest = silence;
                    }
                }
                long resume = longest.start() + longest.samples();
                resumeOrStop(longest.start(), resume, resume < longest.start() + at);
                return false;
            }
            if (previousEnd != 0) {
                resumeOrStop(previousEnd, nextStart, nextStart >= previousEnd);
                return false;
            }
            emit(at);
            stop();
            return true;
        }

        private void resumeOrStop(long end, long resume, boolean goOn) {
            emit(end);
            stop();
            if (goOn) {
                triggered = true;
                start = resume;
            }
        }

        private void maybeEnd(long at) {
            if (possibleEnd == 0) {
                possibleEnd = at;
            }
            long silence = at - possibleEnd;
            if (!settings.longestSilence() && silence > minSilenceAtMax) {
                previousEnd = possibleEnd;
            }
            if (silence < minSilence) {
                return;
            }
            if (possibleEnd - start > minSpeech) {
                emit(possibleEnd);
            }
            stop();
        }

        List<Segment> finish(long totalSamples) {
            if (triggered && totalSamples - start > minSpeech) {
                emit(totalSamples);
            }
            return found;
        }

        private void emit(long end) {
            found.add(new Segment(start, end));
        }

        private void stop() {
            triggered = false;
            possibleEnd = 0;
            previousEnd = 0;
            nextStart = 0;
            candidates.clear();
        }
    }

    private List<Segment> padded(List<Segment> raw, long totalSamples) {
        List<Segment> padded = new ArrayList<>(raw.size());
        for (int i = 0; i < raw.size(); i++) {
            long start = raw.get(i).startSample();
            long end = raw.get(i).endSample();
            start = i == 0
                    ? (long) Math.max(0, start - pad)
                    : startAfter(raw.get(i - 1).endSample(), start);
            end = i == raw.size() - 1
                    ? Math.min(totalSamples, (long) (end + pad))
                    : endBefore(raw.get(i + 1).startSample(), end, totalSamples);
            padded.add(new Segment(start, end));
        }
        return List.copyOf(padded);
    }

    private long startAfter(long previousEnd, long start) {
        long gap = start - previousEnd;
        return gap < 2 * pad ? start - gap / 2 : (long) Math.max(0, start - pad);
    }

    private long endBefore(long nextStart, long end, long totalSamples) {
        long gap = nextStart - end;
        return gap < 2 * pad ? end + gap / 2 : Math.min(totalSamples, (long) (end + pad));
    }
}
