package dev.portal.verification.bench;

import dev.portal.base.VirtualClock;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.vad.SileroVad;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What a window of 32 ms costs Silero on the CPU, one thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
// Not final: JMH generates a subclass.
public class VadBench {
    private static final int WINDOW_SAMPLES = 512;

    /** The model's folder name below the models folder. */
    @Param({"silero-vad-v6", "silero-vad-v5", "silero-vad-v4"})
    public String model = "";

    private final OnnxStages stages = new OnnxStages();
    private final float[] sound = new float[64 * WINDOW_SAMPLES];

    @SuppressWarnings("NullAway.Init") // JMH calls open() before anything else.
    private SileroVad vad;

    private int window;

    /** Opens the model of {@code portal.home}. */
    @Setup
    public void open() {
        for (int i = 0; i < sound.length; i++) {
            sound[i] = (float) (0.3 * Math.sin(i * 0.05 + Math.sin(i * 0.001) * 20));
        }
        Path home = Path.of(System.getProperty("portal.home", System.getProperty("user.home") + "/.cache/portal"));
        Path file = home.resolve("models").resolve(model).resolve("silero_vad.onnx");
        vad = SileroVad.open(stages, file, 16000, new VirtualClock());
    }

    @TearDown
    public void close() {
        vad.close();
        stages.close();
    }

    @Benchmark
    public float window() {
        window = (window + 1) % 64;
        return vad.probability(sound, window * WINDOW_SAMPLES);
    }
}
