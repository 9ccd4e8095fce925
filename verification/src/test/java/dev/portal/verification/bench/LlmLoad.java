package dev.portal.verification.bench;

import dev.portal.base.RandomStream;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.rknpu.ChainJob;
import dev.portal.rknpu.ChainOptions;
import dev.portal.rknpu.ChainStep;
import dev.portal.rknpu.CompiledChain;
import dev.portal.rknpu.DeviceBuffer;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.HaltProbe;
import dev.portal.rknpu.MatmulShape;
import dev.portal.rknpu.MatmulType;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.rknpu.StopStrategy;
import dev.portal.scheduler.JobTrace;
import dev.portal.scheduler.NpuCoreUtilization;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.NpuWorkload.Family;
import dev.portal.scheduler.PortalNpuScheduler;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.ReservationBound;
import dev.portal.scheduler.SchedulerListener;
import dev.portal.scheduler.SchedulerOptions;
import dev.portal.scheduler.SchedulerOptions.Reservation;
import dev.portal.scheduler.WorkloadBound;
import dev.portal.scheduler.WorkloadTelemetry;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A spoken turn beside a language model that never stops answering: the real arbiter and driver code, the emulated board, all
 * times of its clock.
 *
 * <p>Speech: each 32 ms, the window of voice activity detection (spec 6.1), an STT encoder job, then a decoder's, then a
 * joiner's; each 100 ms a piece of the reply from the TTS decoder, each second a sentence through the TTS encoder. That is what
 * runs at once when somebody may interrupt a reply. The encoder streams 6.3 million weights a window, between the shipped
 * transducer's 1.1 million and the twenty of usual streaming ones; the TTS decoder 8.4 million a piece. In {@link
 * Speech#CONTINUOUS} the recogniser has always another window waiting, as when it reads a long file.
 *
 * <p>The language model decodes one token after the other in answers of {@link #ANSWER_TOKENS}, each a job. A token is a part
 * of one of the shape: some layers and some of the vocabulary, all layers on the same weights. Attention, norms and sampling,
 * which are the processor's, take no time.
 */
final class LlmLoad {
    private static final long MS = 1_000_000;
    private static final long WINDOW_NANOS = 32 * MS;
    private static final long PIECE_NANOS = 100 * MS;
    private static final long SENTENCE_NANOS = 1000 * MS;
    private static final MatmulShape SMALL = new MatmulShape(MatmulType.INT8_INT32, 1, 512, 512);
    private static final int ENCODER_STEPS = 24;
    private static final int DECODER_STEPS = 2;
    private static final int JOINER_STEPS = 2;
    private static final int SENTENCE_STEPS = 16;
    private static final int PIECE_STEPS = 32;
    private static final int MOST_DEPTH = 2048;
    private static final int COLUMN_GROUP = 32;
    private static final int MOST_COLUMNS = 8192;
    private static final int LLM_CORE = 2;

    static final int ANSWER_TOKENS = 16;

    /** Jobs of one workload that may be there at once. */
    private static final int CHAINS = 2;

    /** What is said beside the language model. */
    enum Speech {
        NONE,
        TURN,
        CONTINUOUS
    }

    /**
     * A setting.
     *
     * @param shape of the language model
     * @param layers of a token here
     * @param vocabulary outputs of the last matrix here
     */
    record Model(LlmNpuBench.Shape shape, int layers, int vocabulary) {
        /** Which part of a whole token one is, by bytes. */
        double part() {
            return (double) (layers * layerBytes() + (long) shape.width() * vocabulary) / shape.bytes();
        }

        private long layerBytes() {
            return (shape.bytes() - (long) shape.width() * shape.vocabulary()) / shape.layers();
        }
    }

    /**
     * A run.
     *
     * @param tokens lanes that compute at once: 3, or 1 where one device stands behind them
     * @param cores that a chain of the language model is made for; those beside its own it borrows
     * @param retires whether a halted job retires; the strategy is halt then, otherwise drain
     * @param answers whether the language model is there
     */
    record Setting(
            int tokens,
            int cores,
            boolean retires,
            boolean answers,
            Speech speech,
            @Nullable Reservation reservation) {
        StopStrategy strategy() {
            return retires ? StopStrategy.HALT : StopStrategy.DRAIN;
        }
    }

    /** A promise of the arbiter and what was seen. */
    record Bound(String name, long seenNanos, long boundNanos) {
        boolean isKept() {
            return seenNanos <= boundNanos;
        }
    }

    /**
     * What came of it; times in ns of the model.
     *
     * @param sttWaits of each STT job from its arrival to its start, sorted
     * @param sttResponses of each window's encoder job from its arrival to its end, sorted
     * @param tokensPerSecond whole tokens: parts that were decoded, times their part
     * @param pauseNanos the longest that a job of the language model waited while none was served
     * @param loans cores that were lent and came back
     */
    record Result(
            Setting setting,
            long[] sttWaits,
            long[] sttResponses,
            double tokensPerSecond,
            long pauseNanos,
            long loans,
            List<Bound> bounds) {
        /** Windows that went through the STT encoder, a second. */
        double windowsPerSecond(long forNanos) {
            return sttResponses.length * 1e9 / forNanos;
        }

        static long high(long[] sorted) {
            return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, Math.floor(0.99 * sorted.length))];
        }

        static long worst(long[] sorted) {
            return sorted.length == 0 ? 0 : sorted[sorted.length - 1];
        }
    }

    private final Model model;
    private final Setting setting;
    private final long endNanos;
    private final RandomStream random;
    private final VirtualClock world = new VirtualClock();
    private final Together together = new Together(world);
    private final List<JobTrace> traces = new ArrayList<>();
    private final List<CompletableFuture<?>> speech = new ArrayList<>();
    private final List<DeviceBuffer> buffers = new ArrayList<>();
    private final List<CompiledChain> chains = new ArrayList<>();
    private long startNanos;
    private long decoded;
    private int speaking;
    private boolean answered;

    private LlmLoad(Model model, Setting setting, long forNanos, long seed) {
        this.model = model;
        this.setting = setting;
        this.endNanos = forNanos;
        // The same speech in every setting.
        this.random = new RandomStream(seed).derive("speech");
    }

    /** Runs a setting for so long. */
    static Result run(Model model, Setting setting, long forNanos, long seed) {
        return new LlmLoad(model, setting, forNanos, seed).run();
    }

    private Result run() {
        RknpuDriver driver = new RknpuDriver(
                world, Rk3588Options.standard().withHaltRetires(setting.retires()), new KernelLog(), new ModelReport());
        NpuDetection detection =
                NpuDetection.detect("aarch64", Map.of(NpuDetection.TRANSPORT_VARIABLE, "emulated"), path -> false);
        SchedulerOptions options =
                SchedulerOptions.defaults().withLanesPerDevice(setting.tokens()).withReservation(setting.reservation());
        SchedulerListener listener = new SchedulerListener() {
            @Override
            public void jobEnded(JobTrace trace) {
                traces.add(trace);
            }
        };
        try (RknpuDevice device =
                        RknpuDevice.open(new EmulatedKernel(List.of(driver)), together, RknpuOptions.DEFAULT);
                PortalNpuScheduler scheduler = PortalNpuScheduler.stepped(detection, options, together, listener)) {
            try {
                HaltProbe.measure(device, LLM_CORE);
                Decoding decoding = new Decoding(groups(device));
                Speaker speaker = new Speaker(device, scheduler);
                startNanos = world.nanos();
                together.run(bodies(scheduler, decoding, speaker));
                speech.forEach(CompletableFuture::join);
                return result(scheduler, decoding);
            } finally {
                chains.forEach(CompiledChain::close);
                buffers.forEach(DeviceBuffer::close);
            }
        }
    }

    private List<Runnable> bodies(PortalNpuScheduler scheduler, Decoding decoding, Speaker speaker) {
        List<Runnable> bodies = new ArrayList<>();
        bodies.add(() -> {
            speaker.begin();
            while (setting.answers() && isOn()) {
                decoding.begin();
                CompletableFuture<?> answer = scheduler.sharedSubmit(NpuWorkload.LLM, decoding.priority(), decoding);
                together.await(() -> answer.isDone() || !isOn());
                if (!answer.isDone()) {
                    answer.cancel(true);
                    together.await(() -> !decoding.running);
                } else {
                    answer.join();
                }
            }
            while (isOn()) {
                together.parkUntil(startNanos + endNanos);
            }
            answered = true;
        });
        for (int i = 0; i < setting.tokens(); i++) {
            bodies.add(() -> {
                while (!isOver()) {
                    if (scheduler.step() == 0) {
                        together.awaitChange(() -> scheduler.queueDepth() > 0 || isOver());
                    }
                }
            });
        }
        return bodies;
    }

    private boolean isOn() {
        return world.nanos() < startNanos + endNanos;
    }

    private boolean isOver() {
        return answered && speaking == 0;
    }

    private Result result(PortalNpuScheduler scheduler, Decoding decoding) {
        long[] waits = traces.stream()
                .filter(trace -> trace.workload().family() == Family.STT)
                .mapToLong(trace -> trace.queuedNanos() + trace.blockedNanos())
                .sorted()
                .toArray();
        long[] responses = traces.stream()
                .filter(trace -> trace.workload() == NpuWorkload.STT_ENCODER)
                .mapToLong(JobTrace::totalNanos)
                .sorted()
                .toArray();
        return new Result(
                setting,
                waits,
                responses,
                decoded * model.part() * 1e9 / endNanos,
                scheduler.llmLongestPauseNanos(),
                scheduler.utilization().stream()
                        .mapToLong(NpuCoreUtilization::lentTimes)
                        .sum(),
                bounds(scheduler, decoding));
    }

    private List<Bound> bounds(PortalNpuScheduler scheduler, Decoding decoding) {
        List<Bound> bounds = new ArrayList<>();
        List<WorkloadTelemetry> measured = scheduler.telemetry().workloads();
        if (setting.answers()) {
            measured.stream()
                    .filter(w -> w.workload() == NpuWorkload.LLM && w.asked() > 0)
                    .forEach(w -> bounds.add(new Bound(
                            "flag to yield of the LLM, beside its declared segment",
                            w.obeyingMaxNanos(),
                            decoding.segmentNanos())));
            long returned = scheduler.utilization().stream()
                    .mapToLong(NpuCoreUtilization::returnMaxUs)
                    .max()
                    .orElse(0);
            bounds.add(new Bound(
                    "a lent core's way home, beside the borrower's segment", returned * 1000, decoding.segmentNanos()));
        }
        Optional<ReservationBound> reservation = scheduler.reservation(0);
        reservation.ifPresent(share -> {
            bounds.add(new Bound("pause of the LLM", share.observedMaxNanos(), share.boundNanos()));
            bounds.add(new Bound("a turn of its reservation", longestTurn(), share.turnNanos()));
        });
        if (setting.speech() == Speech.TURN) {
            Map<NpuWorkload, Long> periods = Map.of(
                    NpuWorkload.STT_ENCODER, WINDOW_NANOS,
                    NpuWorkload.STT_DECODER, WINDOW_NANOS,
                    NpuWorkload.STT_JOINER, WINDOW_NANOS,
                    NpuWorkload.TTS_ENCODER, SENTENCE_NANOS,
                    NpuWorkload.TTS_DECODER, PIECE_NANOS,
                    NpuWorkload.LLM, SENTENCE_NANOS);
            WorkloadBound.of(
                            measured,
                            periods,
                            setting.tokens() == 1,
                            SchedulerOptions.defaults().starvationNanos(),
                            setting.reservation(),
                            0)
                    .stream()
                    .filter(b -> b.workload().family() == Family.STT)
                    .forEach(b -> b.boundNanos()
                            .ifPresent(nanos ->
                                    bounds.add(new Bound("response of " + b.workload(), b.observedMaxNanos(), nanos))));
        }
        return bounds;
    }

    private long longestTurn() {
        return traces.stream()
                .filter(trace -> trace.workload() == NpuWorkload.LLM)
                .flatMap(trace -> trace.segments().stream())
                .filter(segment -> segment.cause() == Preemption.Cause.RESERVATION)
                .mapToLong(segment -> segment.endNanos() - segment.startNanos())
                .max()
                .orElse(0);
    }

    // Speech.

    private final class Speaker {
        private final PortalNpuScheduler scheduler;
        private final Stage encoder;
        private final Stage decoder;
        private final Stage joiner;
        private final Stage sentence;
        private final Stage piece;

        Speaker(RknpuDevice device, PortalNpuScheduler scheduler) {
            this.scheduler = scheduler;
            DeviceBuffer weights = weights(device, SMALL.bBytes());
            encoder = new Stage(device, weights, NpuWorkload.STT_ENCODER, ENCODER_STEPS);
            decoder = new Stage(device, weights, NpuWorkload.STT_DECODER, DECODER_STEPS);
            joiner = new Stage(device, weights, NpuWorkload.STT_JOINER, JOINER_STEPS);
            sentence = new Stage(device, weights, NpuWorkload.TTS_ENCODER, SENTENCE_STEPS);
            piece = new Stage(device, weights, NpuWorkload.TTS_DECODER, PIECE_STEPS);
        }

        void begin() {
            long now = world.nanos();
            switch (setting.speech()) {
                case NONE -> {}
                case TURN -> {
                    world.at(now + random.nextLong(WINDOW_NANOS), this::window);
                    world.at(now + random.nextLong(PIECE_NANOS), this::piece);
                    world.at(now + random.nextLong(PIECE_NANOS), this::sentence);
                }
                case CONTINUOUS -> {
                    backlog();
                    backlog();
                }
            }
        }

        private void window() {
            if (isOn()) {
                submit(encoder, () -> submit(decoder, () -> submit(joiner, () -> {})));
                world.at(world.nanos() + WINDOW_NANOS + random.nextLong(MS), this::window);
            }
        }

        private void piece() {
            if (isOn()) {
                submit(piece, () -> {});
                world.at(world.nanos() + PIECE_NANOS + random.nextLong(MS), this::piece);
            }
        }

        private void sentence() {
            if (isOn()) {
                submit(sentence, () -> {});
                world.at(world.nanos() + SENTENCE_NANOS + random.nextLong(MS), this::sentence);
            }
        }

        /** A window and, when it is through, the next. */
        private void backlog() {
            if (isOn()) {
                submit(encoder, this::backlog);
            }
        }

        /** Submits a job of a stage; what comes {@code after} it is part of it. */
        private void submit(Stage stage, Runnable after) {
            ChainJob job = stage.take();
            speaking++;
            speech.add(scheduler
                    .sharedSubmit(stage.workload, job.priority(), job)
                    .thenRun(() -> {
                        stage.free.add(job);
                        after.run();
                    })
                    .whenComplete((done, failure) -> speaking--));
        }
    }

    /** Chains of one stage, on its home core. */
    private final class Stage {
        private final NpuWorkload workload;
        private final Deque<ChainJob> free = new ArrayDeque<>();

        Stage(RknpuDevice device, DeviceBuffer weights, NpuWorkload workload, int steps) {
            this.workload = workload;
            int core = workload.homeCore().orElseThrow().index();
            for (int i = 0; i < CHAINS; i++) {
                List<Tile> tiles = new ArrayList<>();
                for (int step = 0; step < steps; step++) {
                    tiles.add(new Tile(SMALL, 0));
                }
                CompiledChain chain = compile(device, weights, tiles, ChainOptions.DEFAULT.onCore(core));
                free.add(new ChainJob(chain, workload, setting.strategy()));
            }
        }

        ChainJob take() {
            ChainJob job = free.poll();
            if (job == null) {
                throw new IllegalStateException(
                        "more than " + CHAINS + " jobs of " + workload + " at once: it does not keep up with speech");
            }
            return job;
        }
    }

    // The language model.

    /** A program: its shape, and where its weights begin. */
    private record Tile(MatmulShape shape, long bOffset) {}

    private record Group(ChainJob job, int times) {}

    /** The matrices with the same activations, as the decoder groups them: one chain each. */
    private List<Group> groups(RknpuDevice device) {
        LlmNpuBench.Shape shape = model.shape();
        int width = shape.width();
        int keys = width / shape.heads() * shape.keyHeads();
        return List.of(
                group(device, width, model.layers(), width, keys, keys),
                group(device, width, model.layers(), width),
                group(device, width, model.layers(), shape.hidden(), shape.hidden()),
                group(device, shape.hidden(), model.layers(), width),
                group(device, width, 1, model.vocabulary()));
    }

    private Group group(RknpuDevice device, int inputs, int times, int... outputs) {
        List<Tile> tiles = new ArrayList<>();
        long bytes = 0;
        int slices = setting.cores()
                * Math.ceilDiv(Math.ceilDiv(Arrays.stream(outputs).max().orElseThrow(), MOST_COLUMNS), setting.cores());
        for (int slice = 0; slice < slices; slice++) {
            for (int matrix : outputs) {
                int columnGroups = Math.ceilDiv(matrix, COLUMN_GROUP);
                int columns = (columnGroups * (slice + 1) / slices - columnGroups * slice / slices) * COLUMN_GROUP;
                for (int from = 0; from < inputs && columns > 0; from += MOST_DEPTH) {
                    MatmulShape shape =
                            new MatmulShape(MatmulType.INT8_INT32, 1, Math.min(MOST_DEPTH, inputs - from), columns);
                    tiles.add(new Tile(shape, bytes));
                    bytes += shape.bBytes();
                }
            }
        }
        ChainOptions options = setting.cores() == 1
                ? ChainOptions.DEFAULT.onCore(LLM_CORE)
                : ChainOptions.DEFAULT.withCores(setting.cores());
        CompiledChain chain = compile(device, weights(device, bytes), tiles, options);
        return new Group(new ChainJob(chain, NpuWorkload.LLM, setting.strategy()), times);
    }

    private DeviceBuffer weights(RknpuDevice device, long bytes) {
        DeviceBuffer weights = device.allocate(bytes, Use.DATA);
        buffers.add(weights);
        return weights;
    }

    private CompiledChain compile(RknpuDevice device, DeviceBuffer weights, List<Tile> tiles, ChainOptions options) {
        DeviceBuffer results = weights(
                device, tiles.stream().mapToLong(tile -> tile.shape().cBytes()).sum());
        List<ChainStep> steps = new ArrayList<>();
        long at = 0;
        for (Tile tile : tiles) {
            MemorySegment a = MemorySegment.ofArray(new byte[tile.shape().k()]);
            steps.add(new ChainStep(tile.shape(), a, weights, tile.bOffset(), results, at));
            at += tile.shape().cBytes();
        }
        CompiledChain chain = device.compile(steps, options);
        chains.add(chain);
        return chain;
    }

    /** An answer, which can be stopped inside a token wherever a chain can be. */
    private final class Decoding implements NpuJob {
        private final List<Group> groups;
        private final long segmentNanos;
        private int group;
        private int time;
        private int left;
        private boolean running;

        Decoding(List<Group> groups) {
            this.groups = groups;
            this.segmentNanos =
                    groups.stream().mapToLong(g -> g.job().segmentNanos()).max().orElseThrow();
        }

        /** A token that was left half done goes on. */
        void begin() {
            left = ANSWER_TOKENS;
        }

        @Override
        public NpuWorkload workload() {
            return NpuWorkload.LLM;
        }

        @Override
        public long segmentNanos() {
            return segmentNanos;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            running = true;
            try {
                while (left > 0) {
                    if (groups.get(group).job().execute(preemption) instanceof NpuJobResult.Yielded) {
                        return NpuJobResult.YIELDED;
                    }
                    next();
                    if (left > 0 && preemption.requested()) {
                        return NpuJobResult.YIELDED;
                    }
                }
                return NpuJobResult.DONE;
            } finally {
                running = false;
            }
        }

        private void next() {
            // The layers one after the other, then the vocabulary.
            group++;
            if (group == groups.size() - 1 && ++time < model.layers()) {
                group = 0;
            } else if (group == groups.size()) {
                group = 0;
                time = 0;
                left--;
                if (isOn()) {
                    decoded++;
                }
            }
        }
    }
}
