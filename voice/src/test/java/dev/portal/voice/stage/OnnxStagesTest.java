package dev.portal.voice.stage;

import static dev.portal.voice.stage.OnnxBytes.BOOL;
import static dev.portal.voice.stage.OnnxBytes.FLOAT;
import static dev.portal.voice.stage.OnnxBytes.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxStagesTest {
    @TempDir
    private Path folder;

    private final OnnxStages stages = new OnnxStages();

    @AfterEach
    void closeAll() {
        stages.close();
        assertThat(stages.openModels()).isZero();
    }

    /** sum = a + b with a row of any length, and n passed through. */
    private Path adder() throws IOException {
        OnnxBytes model = new OnnxBytes()
                .input("a", FLOAT, 1, -1)
                .input("b", FLOAT, 1, -1)
                .input("n", INT64, 1)
                .output("sum", FLOAT, 1, -1)
                .output("m", INT64, 1)
                .node("Add", List.of("a", "b"), List.of("sum"))
                .node("Identity", List.of("n"), List.of("m"))
                .metadata("T", "39");
        return Files.write(folder.resolve("adder.onnx"), model.bytes());
    }

    private static List<Tensor> inputs(float... values) {
        return List.of(
                Tensor.ofLongs("n", new long[] {7}, 1),
                Tensor.ofFloats("a", values, 1, values.length),
                Tensor.ofFloats("b", values, 1, values.length));
    }

    @Test
    void aStageSaysWhatItTakesGivesAndCarries() throws IOException {
        ModelStage stage = stages.stage(adder(), NpuWorkload.STT_JOINER);
        assertThat(stage.name()).isEqualTo("adder.onnx");
        assertThat(stage.workload()).isEqualTo(NpuWorkload.STT_JOINER);
        assertThat(stage.inputs()).hasToString("[a float32[1, -1], b float32[1, -1], n int64[1]]");
        assertThat(stage.outputs()).hasToString("[sum float32[1, -1], m int64[1]]");
        assertThat(stage.metadata()).isEqualTo(Map.of("T", "39"));
    }

    @Test
    void aJobRunsTheModelAndItsOutputsOutliveIt() throws IOException {
        NpuJob job;
        List<Tensor> outputs;
        try (ModelStage stage = stages.stage(adder(), NpuWorkload.STT_JOINER)) {
            job = stage.job(inputs(1, 2.5f));
            assertThat(job.workload()).isEqualTo(NpuWorkload.STT_JOINER);
            outputs = Inference.DIRECT.run(job).outputs();
        }
        assertThat(outputs).extracting(Tensor::name).containsExactly("sum", "m");
        assertThat(outputs.get(0).toFloats()).containsExactly(2, 5);
        assertThat(outputs.get(1).toLongs()).containsExactly(7);
        assertThatThrownBy(() -> Inference.DIRECT.run(job))
                .isInstanceOf(NpuException.JobFailed.class)
                .hasMessageContaining("adder.onnx is closed");
    }

    @Test
    void nativeMemoryIsReadInPlace() throws Exception {
        ModelStage stage = stages.stage(adder(), NpuWorkload.STT_JOINER);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2);
            NpuJob job = stage.job(List.of(
                    new Tensor("a", Tensor.Type.FLOAT32, new long[] {1, 2}, memory),
                    new Tensor("b", Tensor.Type.FLOAT32, new long[] {1, 2}, memory),
                    Tensor.ofLongs("n", new long[] {0}, 1)));
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, 1, 20);
            var result = (dev.portal.scheduler.NpuJobResult.Completed) job.execute(Preemption.NEVER);
            assertThat(result.output("sum").toFloats()).containsExactly(2, 40);
        }
    }

    @Test
    void tensorsThatTheModelDoesNotTakeAreRefusedBeforeTheyAreQueued() throws IOException {
        ModelStage stage = stages.stage(adder(), NpuWorkload.STT_JOINER);
        List<Tensor> good = inputs(1);
        assertThatThrownBy(() -> stage.job(good.subList(0, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes 3 inputs");
        assertThatThrownBy(() -> stage.job(replaced(good, Tensor.ofFloats("c", new float[1], 1, 1))))
                .hasMessageContaining("needs an input 'a'");
        assertThatThrownBy(() -> stage.job(replaced(good, Tensor.ofFloats("a", new float[2], 2, 1))))
                .hasMessageContaining("takes a float32[1, -1] and was given a FLOAT32[2, 1]");
        assertThatThrownBy(() -> stage.job(replaced(good, Tensor.ofLongs("a", new long[1], 1, 1))))
                .hasMessageContaining("was given a INT64[1, 1]");
    }

    private static List<Tensor> replaced(List<Tensor> tensors, Tensor second) {
        List<Tensor> changed = new ArrayList<>(tensors);
        changed.set(1, second);
        return changed;
    }

    @Test
    void aFailureInsideTheModelNamesIt() throws IOException {
        ModelStage stage = stages.stage(adder(), NpuWorkload.STT_JOINER);
        List<Tensor> uneven = replaced(inputs(1, 2), Tensor.ofFloats("a", new float[3], 1, 3));
        assertThatThrownBy(() -> Inference.DIRECT.run(stage.job(uneven)))
                .isInstanceOf(NpuException.JobFailed.class)
                .cause()
                .isInstanceOf(StageException.class)
                .hasMessageContaining("adder.onnx failed on");
    }

    @Test
    void typesThatStagesDoNotTakeAreRefusedAtOpening() throws IOException {
        OnnxBytes model =
                new OnnxBytes().input("a", BOOL, 1).output("b", BOOL, 1).node("Identity", List.of("a"), List.of("b"));
        Path file = Files.write(folder.resolve("bool.onnx"), model.bytes());
        assertThatThrownBy(() -> stages.model(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("'a' has elements of type BOOL");
        assertThat(stages.openModels()).isZero();
    }

    @Test
    void aBindingRunsOnFixedMemory() throws IOException {
        OnnxModel model = stages.model(adder());
        long[] shape = {1, 2};
        OnnxBinding binding = model.bind(Map.of("a", shape, "b", shape, "sum", shape));
        try (binding) {
            for (int round = 1; round < 4; round++) {
                binding.floats("a").put(0, round).put(1, 10);
                binding.floats("b").put(0, 0.5f);
                binding.longs("n").put(0, round);
                binding.run();
                assertThat(binding.floats("sum").get(0)).isEqualTo(round + 0.5f);
                assertThat(binding.floats("sum").get(1)).isEqualTo(10);
                assertThat(binding.longs("m").get(0)).isEqualTo(round);
            }
        }
        assertThatThrownBy(binding::run).hasMessageContaining("the binding of adder.onnx is closed");
    }

    @Test
    void aBindingWithoutAllShapesOrWithWrongOnesIsRefused() throws IOException {
        OnnxModel model = stages.model(adder());
        long[] shape = {1, 2};
        assertThatThrownBy(() -> model.bind(Map.of("a", shape))).hasMessageContaining("leaves an extent open");
        assertThatThrownBy(() -> model.bind(Map.of("a", new long[] {2, 2}, "b", shape, "sum", shape)))
                .hasMessageContaining("cannot have the shape [2, 2]");
        assertThatThrownBy(() -> model.bind(Map.of("a", shape, "b", shape, "sum", shape, "x", shape)))
                .hasMessageContaining("has no [x]");
    }

    @Test
    void closingWaitsForTheRunsAndLaterRunsAreRefused() throws Exception {
        OnnxModel model = stages.model(adder());
        CountDownLatch started = new CountDownLatch(4);
        List<FutureTask<Integer>> runners = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FutureTask<Integer> runner = new FutureTask<>(() -> {
                started.countDown();
                for (int runs = 0; ; runs++) {
                    try {
                        assertThat(model.run(inputs(runs)).getFirst().toFloats())
                                .containsExactly(2 * runs);
                    } catch (IllegalStateException closed) {
                        assertThat(closed).hasMessage("adder.onnx is closed");
                        return runs;
                    }
                }
            });
            runners.add(runner);
            Thread.ofPlatform().start(runner);
        }
        started.await();
        stages.close();
        for (FutureTask<Integer> runner : runners) {
            assertThat(result(runner)).isNotNegative();
        }
        model.close();
        assertThatThrownBy(() -> stages.model(adder())).hasMessageContaining("these stages are closed");
    }

    private static int result(FutureTask<Integer> runner) throws InterruptedException {
        try {
            return runner.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }
}
