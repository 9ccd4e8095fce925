package dev.portal.voice.vad;

import dev.portal.base.Clock;
import dev.portal.voice.stage.OnnxBinding;
import dev.portal.voice.stage.OnnxModel;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stage.TensorSpec;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Silero's voice detector on ONNX Runtime, always on the CPU. Takes the model's versions 4, 5 and 6 at 16 kHz and 8 kHz
 * (spec 6.1) and finds out by the inputs which it was given.
 *
 * <table>
 * <caption>Inputs</caption>
 * <tr><th>version</th><th>inputs</th><th>a window at 16 kHz (8 kHz)</th></tr>
 * <tr><td>4</td><td>input [1, N], sr, h [2, 1, 64], c [2, 1, 64]</td><td>512, 1024 or 1536 (256, 512 or 768)</td></tr>
 * <tr><td>5, 6</td><td>input [1, context + N], state [2, 1, 128], sr</td><td>512 after 64 samples of context (256 after
 * 32)</td></tr>
 * </table>
 *
 * <p>Versions 5 and 6 differ in their weights alone. A file for one rate may leave {@code sr} out.
 */
public final class SileroVad implements VoiceDetector {
    private final OnnxModel model;
    private final Generation generation;
    private final OnnxBinding binding;
    private final FloatBuffer input;
    private final FloatBuffer output;
    private final List<Recurrence> recurrences;
    private final Clock clock;
    private final InferenceObserver observer;
    private final int sampleRateHz;
    private final int windowSamples;
    private final int contextSamples;

    private enum Generation {
        V4("Silero 4", Map.of("h", "hn", "c", "cn"), 64, false, 3),
        V5("Silero 5 or 6", Map.of("state", "stateN"), 128, true, 1);

        private final String label;
        /** State inputs, and the outputs that take their place. */
        private final Map<String, String> states;

        private final int stateWidth;
        private final boolean hasContext;
        /** How many times the smallest window it takes at once. */
        private final int largestWindow;

        Generation(String label, Map<String, String> states, int stateWidth, boolean hasContext, int largestWindow) {
            this.label = label;
            this.states = states;
            this.stateWidth = stateWidth;
            this.hasContext = hasContext;
            this.largestWindow = largestWindow;
        }

        long[] stateShape() {
            return new long[] {2, 1, stateWidth};
        }

        static Generation of(OnnxModel model) {
            for (Generation generation : values()) {
                boolean complete = has(model.inputs(), "input") && has(model.outputs(), "output");
                for (var state : generation.states.entrySet()) {
                    complete &= has(model.inputs(), state.getKey()) && has(model.outputs(), state.getValue());
                }
                if (complete) {
                    return generation;
                }
            }
            throw new StageException(
                    model + " is not a Silero detector: version 4 has the inputs input, sr, h, c; versions"
                            + " 5 and 6 have input, state, sr");
        }
    }

    /** A state output that becomes the state input of the next window. */
    private record Recurrence(FloatBuffer in, FloatBuffer out) {
        void advance() {
            in.put(0, out, 0, out.capacity());
        }

        void clear() {
            for (int i = 0; i < in.capacity(); i++) {
                in.put(i, 0f);
            }
        }
    }

    /** Opens a model with the usual window: 512 samples at 16 kHz, 256 at 8 kHz. */
    public static SileroVad open(OnnxStages stages, Path file, int sampleRateHz, Clock clock) {
        return open(stages, file, sampleRateHz, sampleRateHz == 8000 ? 256 : 512, clock, InferenceObserver.NONE);
    }

    /**
     * Opens a model.
     *
     * @param sampleRateHz 16000 or 8000
     * @param windowSamples 512 (256 at 8 kHz); version 4 also takes two or three times that
     * @throws StageException when the file is missing or no Silero detector
     * @throws IllegalArgumentException when the model does not take that rate or window
     */
    public static SileroVad open(
            OnnxStages stages,
            Path file,
            int sampleRateHz,
            int windowSamples,
            Clock clock,
            InferenceObserver observer) {
        if (sampleRateHz != 16000 && sampleRateHz != 8000) {
            throw new IllegalArgumentException(
                    "Silero takes 16000 or 8000 Hz, not " + sampleRateHz + "; resample the audio first");
        }
        OnnxModel model = stages.model(file);
        try {
            return new SileroVad(model, sampleRateHz, windowSamples, clock, observer);
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
    }

    private SileroVad(OnnxModel model, int sampleRateHz, int windowSamples, Clock clock, InferenceObserver observer) {
        this.model = model;
        this.sampleRateHz = sampleRateHz;
        this.windowSamples = windowSamples;
        this.clock = clock;
        this.observer = observer;
        this.generation = Generation.of(model);
        boolean rateInput = has(model.inputs(), "sr");
        if (!rateInput && sampleRateHz != 16000) {
            throw new IllegalArgumentException(model.name() + " takes no rate: it is made for 16000 Hz alone");
        }
        int smallest = sampleRateHz == 8000 ? 256 : 512;
        int times = windowSamples / smallest;
        if (windowSamples % smallest != 0 || times < 1 || times > generation.largestWindow) {
            throw new IllegalArgumentException(model.name() + " at " + sampleRateHz + " Hz takes windows of " + smallest
                    + (generation.largestWindow == 3 ? ", " + 2 * smallest + " or " + 3 * smallest : "")
                    + " samples, not " + windowSamples);
        }
        this.contextSamples = generation.hasContext ? smallest / 8 : 0;
        Map<String, long[]> shapes = new HashMap<>();
        shapes.put("input", new long[] {1, contextSamples + windowSamples});
        shapes.put("output", new long[] {1, 1});
        generation.states.forEach((in, out) -> {
            shapes.put(in, generation.stateShape());
            shapes.put(out, generation.stateShape());
        });
        this.binding = model.bind(shapes);
        this.input = binding.floats("input");
        this.output = binding.floats("output");
        this.recurrences = generation.states.entrySet().stream()
                .map(state -> new Recurrence(binding.floats(state.getKey()), binding.floats(state.getValue())))
                .toList();
        if (rateInput) {
            binding.longs("sr").put(0, sampleRateHz);
        }
    }

    private static boolean has(List<TensorSpec> specs, String name) {
        return specs.stream().anyMatch(spec -> spec.name().equals(name));
    }

    @Override
    public String name() {
        return generation.label + " (" + model.name() + ")";
    }

    @Override
    public int sampleRateHz() {
        return sampleRateHz;
    }

    @Override
    public int windowSamples() {
        return windowSamples;
    }

    @Override
    public float probability(float[] samples, int offset) {
        input.put(contextSamples, samples, offset, windowSamples);
        long startedNanos = clock.nanos();
        boolean success = false;
        try {
            binding.run();
            success = true;
        } finally {
            observer.inferenceEnded((clock.nanos() - startedNanos) / 1000, success);
        }
        recurrences.forEach(Recurrence::advance);
        input.put(0, input, windowSamples, contextSamples);
        return output.get(0);
    }

    @Override
    public void reset() {
        recurrences.forEach(Recurrence::clear);
        for (int i = 0; i < contextSamples; i++) {
            input.put(i, 0f);
        }
    }

    @Override
    public void close() {
        binding.close();
        model.close();
    }
}
