package dev.portal.app.trace;

import dev.portal.base.Clock;
import dev.portal.llm.decoder.SplitListener;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps when NPU and processor worked on the last groups of matrices of the language model. Memory is taken at
 * construction; hearing allocates nothing.
 *
 * <p>Lengths are of the device's clock. A group is placed where it ended on the run's clock: on an emulated device, whose
 * clock is another one, it is shorter there than the work of emulating it.
 *
 * <p>Any thread.
 */
public final class SplitSpans implements SplitListener {
    private static final String[] PARTS = {"query, key, value", "output", "gate, up", "down"};

    private static final int FIELDS = 9;

    private final Clock clock;
    private final long[] ring;
    private long heard;

    /**
     * Keeps the last groups.
     *
     * @param clock of the run
     */
    public SplitSpans(Clock clock, int groups) {
        this.clock = clock;
        ring = new long[groups * FIELDS];
    }

    /**
     * A group.
     *
     * @param name what it computes
     * @param tokens for how many tokens
     * @param npuPart of the outputs, 0 to 1
     * @param npuStartNanos on the run's clock, as all times
     * @param npuEndNanos the start where the NPU had no part
     * @param cpuEndNanos the start where the processor had none
     * @param deviceNanos when it began on the device's clock
     */
    public record Group(
            String name,
            int tokens,
            double npuPart,
            long npuStartNanos,
            long npuEndNanos,
            long cpuStartNanos,
            long cpuEndNanos,
            long deviceNanos) {}

    @Override
    public synchronized void group(
            int group,
            int tokens,
            int npuOutputs,
            int outputs,
            long npuStart,
            long npuEnd,
            long cpuStart,
            long cpuEnd,
            long end) {
        int at = (int) (heard++ % (ring.length / FIELDS)) * FIELDS;
        ring[at] = group;
        ring[at + 1] = tokens;
        ring[at + 2] = npuOutputs;
        ring[at + 3] = outputs;
        ring[at + 4] = npuStart;
        ring[at + 5] = npuEnd;
        ring[at + 6] = cpuStart;
        ring[at + 7] = cpuEnd;
        ring[at + 8] = clock.nanos() - end;
    }

    /** The groups that are kept, oldest first. */
    public synchronized List<Group> groups() {
        int room = ring.length / FIELDS;
        int kept = (int) Math.min(heard, room);
        int last = 0;
        for (int i = 0; i < kept; i++) {
            last = Math.max(last, (int) ring[i * FIELDS]);
        }
        List<Group> groups = new ArrayList<>();
        for (long i = heard - kept; i < heard; i++) {
            int at = (int) (i % room) * FIELDS;
            long shift = ring[at + 8];
            groups.add(new Group(
                    name((int) ring[at], last),
                    (int) ring[at + 1],
                    (double) ring[at + 2] / ring[at + 3],
                    ring[at + 4] + shift,
                    ring[at + 5] + shift,
                    ring[at + 6] + shift,
                    ring[at + 7] + shift,
                    ring[at + 4]));
        }
        return groups;
    }

    /** Four groups a layer, then the vocabulary's. */
    private static String name(int group, int last) {
        return group == last && group % PARTS.length == 0
                ? "vocabulary"
                : "layer " + group / PARTS.length + ": " + PARTS[group % PARTS.length];
    }

    /** Groups that were heard of and are kept no longer. */
    public synchronized long dropped() {
        return Math.max(0, heard - ring.length / FIELDS);
    }
}
