package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.app.trace.SplitSpans;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedDevice;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.OtherDrmDriver;
import dev.portal.emulator.rk3588.Rk3588Options;
import dev.portal.emulator.rk3588.RknpuDriver;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.decoder.LocalModel;
import dev.portal.rknpu.RknpuDevice;
import dev.portal.rknpu.RknpuOptions;
import dev.portal.scheduler.NpuDetection.Transport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same code on a machine with an NPU, with another device only, and with one that somebody has; the machine is emulated. */
final class LlmDeviceTest {
    private static final Path ASSISTANT =
            Path.of(System.getProperty("portal.root", "..")).resolve("models/tiny-assistant/tiny-assistant.gguf");

    private final VirtualClock clock = new VirtualClock();
    private final List<String> notes = new ArrayList<>();
    private final RknpuDriver driver =
            new RknpuDriver(clock, Rk3588Options.standard(), new KernelLog(), new ModelReport());
    private final EngineOptions options = new EngineOptions();

    /** Half of it on the NPU, as nothing can be measured while time stands still. */
    private String answerOn(Transport transport, EmulatedKernel kernel, double share) {
        options.npuShare = 0.5;
        LlmDevice device = new LlmDevice(transport, () -> kernel, clock, notes::add, () -> true);
        try (LocalModel model = LocalModels.open(ASSISTANT, options, 128, clock, device.backend(options))) {
            assertThat(model.npuShare()).isBetween(share - 0.1, share + 0.1);
            Request request = new Request(
                    "turn-1", List.of(new Message(Role.USER, "turn on the kitchen light")), 8, 0, 1, 0, List.of(), 1);
            return model.generate(request, (sequence, text) -> {}).text();
        }
    }

    private EmulatedKernel machineWith(EmulatedDevice... devices) {
        return new EmulatedKernel(List.of(devices));
    }

    @Test
    void aMachineWithAnNpuComputesOnItAndGivesTheSameText() {
        EmulatedKernel kernel = machineWith(driver);
        String there = answerOn(Transport.NPU_NODE, kernel, 0.5);
        assertThat(there).isNotBlank().isEqualTo(answerOn(Transport.NONE, kernel, 0));
        assertThat(notes).isEmpty();
        assertThat(driver.usage()).isEqualTo(new RknpuDriver.Usage(0, 0, 0, 0));
        assertThat(kernel.openDescriptors()).isZero();
    }

    @Test
    void whereTheNodeIsAnotherDevicesTheProcessorComputesAndSaysWhy() {
        EmulatedKernel kernel = machineWith(new OtherDrmDriver("/dev/dri/renderD128", "panthor", 0));
        assertThat(answerOn(Transport.NPU_NODE, kernel, 0)).isNotBlank();
        assertThat(notes)
                .singleElement()
                .asString()
                .startsWith("the language model runs on the CPU")
                .contains("panthor", "./portal doctor");
    }

    @Test
    void anNpuThatSomebodyHasIsLeftToHim() {
        EmulatedKernel kernel = machineWith(driver);
        try (RknpuDevice other = RknpuDevice.open(kernel, clock, RknpuOptions.DEFAULT)) {
            assertThat(other.node()).isNotBlank();
            assertThat(answerOn(Transport.NPU_NODE, kernel, 0)).isNotBlank();
        }
        assertThat(notes).singleElement().asString().startsWith("the language model runs on the CPU");
    }

    @Test
    void theFilesOwnWeightsStayOnTheProcessorAndAreRefusedForTheEmulatedNpu() {
        options.weights = "native";
        assertThat(answerOn(Transport.NPU_NODE, machineWith(driver), 0)).isNotBlank();
        assertThatThrownBy(() -> answerOn(Transport.EMULATED, machineWith(), 0))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("--device cpu");
    }

    @Test
    void theProcessorsPartInFourBitsIsForASplitOnly() {
        options.cpuWeights = "i4";
        assertThat(answerOn(Transport.NPU_NODE, machineWith(driver), 0.5)).isNotBlank();
        assertThatThrownBy(() -> answerOn(Transport.NONE, machineWith(), 0))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("beside an NPU");
        options.cpuWeights = "i2";
        assertThatThrownBy(() -> answerOn(Transport.NPU_NODE, machineWith(driver), 0.5))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("i8 and i4");
    }

    @Test
    void bothPartsAreHeardOfOnTheEmulatedChip() {
        SplitSpans spans = new SplitSpans(clock, 1_000);
        options.splitListener = spans;
        assertThat(answerOn(Transport.EMULATED, machineWith(), 0.5)).isNotBlank();
        assertThat(spans.groups()).isNotEmpty().allSatisfy(group -> {
            assertThat(group.npuPart()).isBetween(0.3, 0.7);
            assertThat(group.npuEndNanos()).isGreaterThan(group.npuStartNanos());
        });
    }
}
