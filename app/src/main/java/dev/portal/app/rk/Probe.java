package dev.portal.app.rk;

import dev.portal.rknpu.Chain;
import dev.portal.rknpu.Counters;
import dev.portal.rknpu.Experiments;
import dev.portal.rknpu.Experiments.Order;
import dev.portal.rknpu.Experiments.Ran;
import dev.portal.rknpu.Experiments.Redirected;
import dev.portal.rknpu.Experiments.Ring;
import dev.portal.rknpu.Experiments.Schedule;
import dev.portal.rknpu.HaltBehaviour;
import dev.portal.rknpu.HaltProbe;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.StopStrategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** The seed's experiments, each with what the seed says of it. */
enum Probe {
    STATIC_ID {
        @Override
        Finding run(NpuChoice npu) {
            int[] ids = new Experiments(npu.device()).staticIds(STEPS);
            int[] expected = IntStream.range(0, STEPS).toArray();
            return new Finding(
                    List.of("each of " + STEPS + " outputs was written by its own program: 0, 1, 2, ..."),
                    List.of("output i was written by program " + Arrays.toString(ids)),
                    Arrays.equals(ids, expected));
        }
    },
    DOORBELL_ID {
        @Override
        Finding run(NpuChoice npu) {
            List<Ring> rings = new Experiments(npu.device()).doorbellIds(STEPS);
            boolean ordered = rings.size() == STEPS
                    && IntStream.range(0, rings.size())
                            .allMatch(i ->
                                    rings.get(i).index() == i && rings.get(i).program() == i);
            List<String> came = new ArrayList<>();
            for (Ring ring : rings) {
                came.add(String.format(
                        Locale.ROOT,
                        "doorbell %2d by program %2d after %7.1f us (%s)",
                        ring.index(),
                        ring.program(),
                        ring.nanos() / 1e3,
                        npu.isEmulated() ? "model" : "host"));
            }
            return new Finding(
                    List.of("each doorbell rings once, in submit order, while later programs still run"),
                    came,
                    ordered);
        }
    },
    TASK_NUMBER {
        @Override
        Finding run(NpuChoice npu) {
            Experiments experiments = new Experiments(npu.device());
            Ran one = experiments.taskNumber(1, 2);
            Ran all = experiments.taskNumber(STEPS, STEPS);
            Ran some = experiments.taskNumber(5, STEPS);
            Ran reserve = experiments.reserve(8, 12);
            return new Finding(
                            List.of(
                                    "1 counted of 2 linked: program 0 alone runs",
                                    "16 counted of 16 linked: all run",
                                    "5 counted of 16 linked: 0 to 4 run",
                                    "12 counted, 8 in the chain: 8 run"),
                            List.of(
                                    text("1 of 2", one),
                                    text("16 of 16", all),
                                    text("5 of 16", some),
                                    text("12 counted, 8 there", reserve)),
                            isFirst(one, 1) && isFirst(all, STEPS) && isFirst(some, 5) && isFirst(reserve, 8))
                    .with("declared1", one.correct().cardinality())
                    .with("declared16", all.correct().cardinality())
                    .with("declared5", some.correct().cardinality())
                    .with("reserve12", reserve.correct().cardinality());
        }
    },
    STEER {
        @Override
        Finding run(NpuChoice npu) {
            MatmulShape shape = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512);
            List<String> came = new ArrayList<>();
            boolean inWindow = true;
            for (int after : new int[] {-1, 2, 5, 7}) {
                try (PatternChain pattern = new PatternChain(npu.device(), STEPS, shape);
                        Chain chain = npu.device().begin(pattern.steps())) {
                    while (chain.progress() < after) {
                        chain.spin();
                    }
                    int promised = chain.halt(HALT);
                    int done = chain.end();
                    boolean right = IntStream.range(0, STEPS)
                            .allMatch(i -> i < done ? pattern.isCorrect(i) : pattern.isUntouched(i));
                    inWindow &= right && done - 1 >= HALT - 1 && done - 1 <= HALT + 3;
                    came.add("halt at " + HALT + " when " + (after < 0 ? "nothing" : "step " + after)
                            + " was done: 0 to " + (done - 1) + " computed" + (right ? " and right" : ", NOT right")
                            + ", at most " + promised + " was promised");
                }
            }
            return new Finding(
                    List.of(
                            "length 0 in a live link ends the chain there: last step within 7 to 11, the rest"
                                    + " untouched",
                            "a redirected link address does not steer: see the probes extend and spin"),
                    came,
                    inWindow);
        }
    },
    HALT_JOB("halt") {
        @Override
        Finding run(NpuChoice npu) {
            HaltProbe.Finding finding = HaltProbe.measure(npu.device(), 0);
            HaltBehaviour behaviour = finding.behaviour();
            StopStrategy strategy = StopStrategy.of(behaviour);
            return new Finding(
                            List.of("open: no source tells whether the driver retires the job of a halted chain"),
                            List.of(
                                    "halted after step " + finding.haltedAfter() + " of " + finding.steps() + ": "
                                            + finding.computed() + " computed",
                                    switch (behaviour) {
                                        case RETIRES -> "a job behind it ran: the halted job retires";
                                        case STICKS ->
                                            "a job behind it did not run: the halted job sticks, and "
                                                    + finding.resets() + " reset(s) ended it";
                                        case UNKNOWN -> "the chain could not be halted in time; nothing is known";
                                    },
                                    "chains are stopped by: " + strategy),
                            behaviour != HaltBehaviour.UNKNOWN)
                    .with("retires", behaviour == HaltBehaviour.RETIRES ? 1 : 0)
                    .with("computed", finding.computed())
                    .with("resets", finding.resets());
        }
    },
    EXTEND {
        @Override
        Finding run(NpuChoice npu) {
            Redirected redirected = new Experiments(npu.device()).extend(8);
            return redirection(
                    npu,
                    List.of("program 8, beyond the 8 that are counted, never runs; the job is given up after about 10"
                            + " s, abort -22, soft reset"),
                    List.of(redirected),
                    !redirected.ran().landed().get(8));
        }

        @Override
        boolean redirects() {
            return true;
        }
    },
    SPIN {
        @Override
        Finding run(NpuChoice npu) {
            Experiments experiments = new Experiments(npu.device());
            Ran bounded = experiments.dedicatedSpin(8, 12);
            Redirected loop = experiments.spin(8);
            Redirected rerun = experiments.spinByRerun(8, 12);
            Finding finding = redirection(
                    npu,
                    List.of(
                            "a program linked to itself does not loop: 0 of 8 correct, soft reset",
                            "slots that do the last step again: 0 of 8 correct, abort",
                            "slots with a program of their own: 8 of 8 correct, and the job ends with its reserve"),
                    List.of(loop, rerun),
                    loop.ran().correct().isEmpty() && rerun.ran().correct().isEmpty() && isFirst(bounded, 8));
            List<String> came = new ArrayList<>(finding.came());
            came.add(text("slots with a program of their own", bounded));
            return new Finding(finding.expected(), came, finding.asExpected(), finding.values(), finding.seed())
                    .with("dedicated", bounded.correct().cardinality());
        }

        @Override
        boolean redirects() {
            return true;
        }
    },
    FP16_ORDER {
        @Override
        Finding run(NpuChoice npu) {
            Experiments experiments = new Experiments(npu.device());
            int words = 0;
            int unwritten = 0;
            int rounds = 0;
            long wrong = 0;
            for (int i = 0; i < ORDER_ROUNDS; i++) {
                Order order = experiments.halfOrder(8, 256);
                words = order.words();
                unwritten = Math.max(unwritten, order.unwritten());
                rounds += order.unwritten() > 0 ? 1 : 0;
                wrong += order.diagnosis().wrongElements();
            }
            boolean emulated = npu.isEmulated();
            List<String> expected = new ArrayList<>();
            expected.add("seed: no word is written after the last column of its row; the final result is right");
            if (emulated) {
                expected.add("the emulated chip writes fp16 words in any order on purpose, so that a doorbell of last"
                        + " columns is caught");
            }
            return new Finding(
                            expected,
                            List.of(
                                    "in " + rounds + " of " + ORDER_ROUNDS
                                            + " rounds words were unwritten when every row's"
                                            + " last column had a value; at most " + unwritten + " of " + words,
                                    "afterwards: " + (wrong == 0 ? "right" : wrong + " wrong elements")),
                            (emulated || unwritten == 0) && wrong == 0,
                            Map.of(),
                            List.of("0 words written after their row's last column; the failures are a short count of"
                                    + " the reduction, not an order"))
                    .with("words", words)
                    .with("unwritten", unwritten)
                    .with("wrong", wrong);
        }
    },
    FP16_LEVERS {
        @Override
        Finding run(NpuChoice npu) {
            return new Finding(
                    List.of("rates of the seed's board, which nothing here imitates: no lever makes it reliable"),
                    List.of("asynchronous fp16 stays off unless asked for; the default waits for each core's"
                            + " interrupt"),
                    true,
                    Map.of(),
                    Fp16Levers.lines());
        }
    },
    FP16_REGISTERS {
        @Override
        Finding run(NpuChoice npu) {
            List<Schedule> schedule = new Experiments(npu.device()).halfSchedule(2, 512, 256);
            List<String> came = new ArrayList<>();
            boolean same = true;
            Map<String, Long> values = new LinkedHashMap<>();
            for (Schedule register : schedule) {
                came.add(String.format(
                        Locale.ROOT,
                        "0x%04x %-10s chained %3d   alone %3d",
                        register.offset(),
                        register.register(),
                        register.chained(),
                        register.alone()));
                same &= register.chained() == register.alone();
                values.put("0x" + Integer.toHexString(register.offset()), (long) register.chained());
            }
            boolean asSeed = values.equals(Map.of("0x1040", 162L, "0x1010", 48L, "0x1044", 16L));
            return new Finding(
                    List.of(
                            "fp16, M=2 K=512 N=256: 0x1040 = 162, 0x1010 = 48, 0x1044 = 16",
                            "the same in a chain and in a program that stands alone: the registers are not the lever"),
                    came,
                    same && asSeed,
                    values,
                    List.of(
                            "short count's signature with ones, K = 512: every wrong sum is 512 - 32 n",
                            "systemic: all elements 320 (n = 6); near miss: one row 480 (n = 1)"));
        }
    };

    private static final int STEPS = 16;
    private static final int HALT = 8;
    private static final int ORDER_ROUNDS = 16;

    private final String word;

    Probe() {
        word = name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Probe(String word) {
        this.word = word;
    }

    /** Its name on the command line. */
    String word() {
        return word;
    }

    /** Whether it redirects a running chain, which is dangerous on a board. */
    boolean redirects() {
        return false;
    }

    abstract Finding run(NpuChoice npu);

    /**
     * What a probe found.
     *
     * @param values numbers for programs
     * @param seed what the seed's board gave
     */
    record Finding(
            List<String> expected, List<String> came, boolean asExpected, Map<String, Long> values, List<String> seed) {
        Finding(List<String> expected, List<String> came, boolean asExpected) {
            this(expected, came, asExpected, Map.of(), List.of());
        }

        Finding with(String key, long value) {
            Map<String, Long> more = new LinkedHashMap<>(values);
            more.put(key, value);
            return new Finding(expected, came, asExpected, more, seed);
        }
    }

    private static boolean isFirst(Ran ran, int count) {
        return ran.landed().cardinality() == count
                && ran.correct().cardinality() == count
                && ran.correct().nextClearBit(0) == count;
    }

    private static String text(String what, Ran ran) {
        return what + ": computed "
                + ChainCommand.ranges(ran.landed().stream().boxed().toList()) + ", right "
                + ran.correct().cardinality();
    }

    private static Finding redirection(
            NpuChoice npu, List<String> expected, List<Redirected> came, boolean asExpected) {
        List<String> lines = new ArrayList<>();
        boolean all = asExpected;
        for (Redirected one : came) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%s; a job behind it waited %.1f s (%s) and got errno %d",
                    text("chain", one.ran()),
                    one.waitedNanos() / 1e9,
                    npu.isEmulated() ? "model" : "host",
                    one.errno()));
            lines.add(
                    one.usableAfterwards()
                            ? "after our own reset a plain chain runs"
                            : "after our own reset nothing runs: cycle the power");
            all &= one.errno() != 0;
        }
        Redirected first = came.getFirst();
        return new Finding(expected, lines, all)
                .with("correct", first.ran().correct().cardinality())
                .with("errno", first.errno())
                .with("waitedMillis", first.waitedNanos() / 1_000_000)
                .with("usableAfterwards", first.usableAfterwards() ? 1 : 0)
                .with("resets", npu.device().counters().get(Counters.Recovery.RESET));
    }
}
