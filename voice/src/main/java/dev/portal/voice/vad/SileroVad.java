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
    private final OnnxBinding binding;
    private final FloatBuffer input;
    private final FloatBuffer output;
    private final List<Recurrence> recurrences;
    private final Clock clock;
    private final InferenceObserver observer;
    private final int sampleRateHz;
    private final int windowSamples;
    private final int contextSamples;

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
        boolean separateStates = has(model.inputs(), "h") && has(model.inputs(), "c") && has(model.outputs(), "hn");
        boolean joinedState = has(model.inputs(), "state") && has(model.outputs(), "stateN");
        if (!has(model.inputs(), "input") || !has(model.outputs(), "output") || separateStates == joinedState) {
            throw new StageException(model + " is not a Silero detector: version 4 has input, sr, h, c; versions 5 and"
                    + " 6 have input, state, sr");
        }
        int smallest = sampleRateHz == 8000 ? 256 : 512;
        int largest = separateStates ? 3 * smallest : smallest;
        if (windowSamples < smallest || windowSamples > largest || windowSamples % smallest != 0) {
            throw new IllegalArgumentException(model.name() + " at " + sampleRateHz + " Hz takes windows of " + smallest
                    + (separateStates ? ", " + 2 * smallest + " or " + 3 * smallest : "") + " samples, not "
                    + windowSamples);
        }
        this.contextSamples = joinedState ? smallest / 8 : 0;
        Map<String, long[]> shapes = new HashMap<>();
        shapes.put("input", new long[] {1, contextSamples + windowSamples});
        shapes.put("output", new long[] {1, 1});
        if (separateStates) {
            for (String state : List.of("h", "c", "hn", "cn")) {
                shapes.put(state, new long[] {2, 1, 64});
            }
        } else {
            shapes.put("state", new long[] {2, 1, 128});
            shapes.put("stateN", new long[] {2, 1, 128});
        }
        this.binding = model.bind(shapes);
        this.input = binding.floats("input");
        this.output = binding.floats("output");
        this.recurrences = separateStates
                ? List.of(recurrence("h", "hn"), recurrence("c", "cn"))
                : List.of(recurrence("state", "stateN"));
        if (has(model.inputs(), "sr")) {
            binding.longs("sr").put(0, sampleRateHz);
        } else if (sampleRateHz != 16000) {
            throw new IllegalArgumentException(model.name() + " takes no rate: it is made for 16000 Hz alone");
        }
    }

    private Recurrence recurrence(String in, String out) {
        return new Recurrence(binding.floats(in), binding.floats(out));
    }

    private static boolean has(List<TensorSpec> specs, String name) {
        return specs.stream().anyMatch(spec -> spec.name().equals(name));
    }

    @Override
    public String name() {
        return (contextSamples == 0 ? "Silero 4 (" : "Silero 5 or 6 (") + model.name() + ")";
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
