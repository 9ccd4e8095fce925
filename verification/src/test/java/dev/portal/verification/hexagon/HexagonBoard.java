package dev.portal.verification.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.Clock;
import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.hexagon.ContextBinary;
import dev.portal.emulator.hexagon.ElementType;
import dev.portal.emulator.hexagon.EmulatedShell;
import dev.portal.emulator.hexagon.FastRpcDriver;
import dev.portal.emulator.hexagon.HexagonOptions;
import dev.portal.emulator.hexagon.IntegerBackend;
import dev.portal.emulator.hexagon.IntegerGraph;
import dev.portal.emulator.hexagon.ModelLibrary;
import dev.portal.hexagon.Ed25519Keys;
import dev.portal.hexagon.GraphSpec;
import dev.portal.hexagon.HexagonModel;
import dev.portal.hexagon.HexagonRuntime;
import dev.portal.hexagon.QnnGraphJob;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.hexagon.ShellVerifier;
import dev.portal.hexagon.TensorSpec;
import dev.portal.scheduler.NpuDetection;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.util.List;
import java.util.Optional;

/**
 * An emulated board with a compute DSP: a shell that the owner signed, and a model {@code y = relu(3 x + 5)} over four
 * numbers, each of its three nodes a millisecond on the DSP.
 */
final class HexagonBoard {
    static final String MODEL = "/opt/models/affine.bin";
    static final String LIBRARY = "/opt/models/libaffine.so";
    static final List<GraphSpec> GRAPHS = List.of(new GraphSpec(
            "affine",
            List.of(new TensorSpec("x", Tensor.Type.INT32, new long[] {4})),
            List.of(new TensorSpec("y", Tensor.Type.INT32, new long[] {4}))));

    private static final int ROOT = 0;
    private static final int FILE = 0100644;
    private static final int NODE_NANOS = 1_000_000;

    final Clock clock;
    final FastRpcDriver driver;
    final EmulatedKernel kernel;
    final KeyPair owner = newKeys();
    final byte[] shell;

    private HexagonBoard(Clock clock, FastRpcDriver driver, EmulatedKernel kernel, HexagonOptions options) {
        this.clock = clock;
        this.driver = driver;
        this.kernel = kernel;
        this.shell = EmulatedShell.of(options.firmwareBuild());
        install(shell, sign(owner, shell));
        kernel.putFile(MODEL, ContextBinary.of(List.of(affine().image())), ROOT, FILE);
        kernel.putFile(LIBRARY, ModelLibrary.of(List.of(affine().image())), ROOT, FILE);
    }

    /** For one thread, with the model's times. */
    static HexagonBoard virtual(HexagonOptions options) {
        VirtualClock clock = new VirtualClock();
        FastRpcDriver driver =
                new FastRpcDriver(clock, options, List.of(new IntegerBackend()), new KernelLog(), new ModelReport());
        return new HexagonBoard(clock, driver, new EmulatedKernel(List.of(driver)), options);
    }

    /** For several threads, in the machine's time. */
    static HexagonBoard realTime(RealTime time, HexagonOptions options) {
        FastRpcDriver driver =
                new FastRpcDriver(time, options, List.of(new IntegerBackend()), new KernelLog(), new ModelReport());
        return new HexagonBoard(time, driver, new EmulatedKernel(List.of(driver), time), options);
    }

    static IntegerGraph affine() {
        IntegerGraph graph = new IntegerGraph("affine");
        int x = graph.input("x", ElementType.INT32, 4);
        int three = graph.constant(new int[0], 3);
        int five = graph.constant(new int[0], 5);
        int scaled = graph.node(IntegerGraph.Operator.MULTIPLY, x, three, NODE_NANOS);
        int moved = graph.node(IntegerGraph.Operator.ADD, scaled, five, NODE_NANOS);
        int y = graph.node(IntegerGraph.Operator.RELU, moved, moved, NODE_NANOS);
        return graph.output("y", y, ElementType.INT32, 4);
    }

    static KeyPair newKeys() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    void install(byte[] file, byte[] signature) {
        kernel.putFile(ShellPolicy.DEFAULT_PATH, file, ROOT, FILE);
        kernel.putFile(ShellPolicy.DEFAULT_PATH + ShellPolicy.SIGNATURE_SUFFIX, signature, ROOT, FILE);
    }

    static byte[] sign(KeyPair keys, byte[] file) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(keys.getPrivate());
            signature.update(ShellVerifier.message(3, file.length, ShellVerifier.sha256(MemorySegment.ofArray(file))));
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the owner vouches for: these bytes. */
    ShellPolicy policy(byte[] file) {
        return new ShellPolicy(
                3,
                ShellPolicy.DEFAULT_PATH,
                ShellVerifier.sha256(MemorySegment.ofArray(file)),
                Ed25519Keys.encode((EdECPublicKey) owner.getPublic()),
                ROOT,
                Optional.empty(),
                Long.MAX_VALUE);
    }

    /** Of the transport, for one thread. */
    static dev.portal.hexagon.HexagonOptions oneThread() {
        return dev.portal.hexagon.HexagonOptions.defaults()
                .withOwnThreads(thread -> true)
                .withListener(false);
    }

    /** Opens the DSP for one thread; the watchdog looks by the virtual clock's events. */
    HexagonRuntime stepped(dev.portal.hexagon.HexagonOptions options) {
        HexagonRuntime runtime = HexagonRuntime.stepped(kernel, kernel, clock, options, policy(shell));
        watch((VirtualClock) clock, runtime, options.watchPeriodNanos());
        return runtime;
    }

    private static void watch(VirtualClock clock, HexagonRuntime runtime, long periodNanos) {
        clock.at(clock.nanos() + periodNanos, () -> {
            runtime.watch();
            watch(clock, runtime, periodNanos);
        });
    }

    HexagonRuntime started(dev.portal.hexagon.HexagonOptions options) {
        return HexagonRuntime.start(kernel, kernel, clock, options, policy(shell));
    }

    static QnnGraphJob job(
            HexagonRuntime runtime, HexagonModel model, NpuWorkload workload, QnnGraphJob.Options how, int... x) {
        Tensor input = new Tensor("x", Tensor.Type.INT32, new long[] {4}, MemorySegment.ofArray(x.clone()));
        return new QnnGraphJob(runtime, model, 0, workload, List.of(input), how);
    }

    static int[] output(NpuJobResult.Completed result) {
        return result.output("y").data().toArray(ValueLayout.JAVA_INT);
    }

    static int[] expected(int... x) {
        int[] y = new int[x.length];
        for (int i = 0; i < x.length; i++) {
            y[i] = Math.max(3 * x[i] + 5, 0);
        }
        return y;
    }

    static NpuDetection emulated(int cores) {
        return new NpuDetection(
                true, NpuDetection.Transport.EMULATED, cores, cores, Optional.empty(), true, "the test says so");
    }

    /** Nothing is open, mapped, loaded or alive any more, on either side. */
    void assertNothingLeft(String why) {
        assertThat(driver.usage()).as(why).isEqualTo(FastRpcDriver.Usage.NONE);
        assertThat(kernel.openDescriptors()).as(why).isZero();
        assertThat(kernel.openMappings()).as(why).isZero();
    }

    void assertNoMisuse(String why) {
        assertThat(driver.report().faults()).as(why).isEmpty();
    }
}
