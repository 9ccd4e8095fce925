package dev.portal.verification.bench;

import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.hexagon.ContextBinary;
import dev.portal.emulator.hexagon.ElementType;
import dev.portal.emulator.hexagon.EmulatedShell;
import dev.portal.emulator.hexagon.FastRpcDriver;
import dev.portal.emulator.hexagon.IntegerBackend;
import dev.portal.emulator.hexagon.IntegerGraph;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Invoke;
import dev.portal.hardware.fastrpc.InvokeArgs;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hexagon.ArgumentPacker;
import dev.portal.hexagon.Ed25519Keys;
import dev.portal.hexagon.GraphSpec;
import dev.portal.hexagon.HexagonModel;
import dev.portal.hexagon.HexagonOptions;
import dev.portal.hexagon.HexagonRuntime;
import dev.portal.hexagon.QnnGraph;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.hexagon.ShellVerifier;
import dev.portal.hexagon.TensorSpec;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.LinuxKernel;
import dev.portal.kernel.Open;
import dev.portal.scheduler.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The host side of a call: packing, the ioctl seam, and a cycle of a graph that adds two numbers. {@link HexagonBench}. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
// Not final: JMH generates a subclass.
public class HexagonBenchmarks {
    private static final int FILE = 0100644;
    private static final String MODEL = "/opt/add.bin";

    private final ArgumentPacker packer = new ArgumentPacker();
    private final MemorySegment room = Arena.ofAuto().allocate(64, 8);
    private final LinuxKernel linux = new LinuxKernel();
    private final MemorySegment nothing = Arena.ofAuto().allocate(24, 8);
    private final int node = (int) linux.open("/dev/null", Open.READ_WRITE);
    private final EmulatedKernel kernel;
    private final HexagonRuntime runtime;
    private final QnnGraph graph;
    private final int session;
    private final MemorySegment[] invokes;
    private int next;

    /** Opens the emulated DSP in real time and loads the graph; no time of the DSP's own is modelled. */
    public HexagonBenchmarks() {
        RealTime time = new RealTime(new dev.portal.base.SystemClock());
        var board = dev.portal.emulator.hexagon.HexagonOptions.standard();
        FastRpcDriver driver =
                new FastRpcDriver(time, board, List.of(new IntegerBackend()), new KernelLog(), new ModelReport());
        kernel = new EmulatedKernel(List.of(driver), time);
        byte[] shell = EmulatedShell.of(board.firmwareBuild());
        byte[] digest = ShellVerifier.sha256(MemorySegment.ofArray(shell));
        byte[] publicKey = sign(shell, digest);
        IntegerGraph add = new IntegerGraph("add");
        int x = add.input("x", ElementType.INT32, 4);
        int y = add.node(IntegerGraph.Operator.ADD, x, x, 0);
        add.output("y", y, ElementType.INT32, 4);
        kernel.putFile(MODEL, ContextBinary.of(List.of(add.image())), 0, FILE);
        ShellPolicy policy =
                new ShellPolicy(3, ShellPolicy.DEFAULT_PATH, digest, publicKey, 0, Optional.empty(), Long.MAX_VALUE);
        HexagonOptions options =
                HexagonOptions.defaults().withOwnThreads(thread -> true).withListener(false);
        runtime = HexagonRuntime.start(kernel, kernel, time, options, policy);
        HexagonModel model = runtime.load(
                "add",
                MODEL,
                List.of(new GraphSpec(
                        "add",
                        List.of(new TensorSpec("x", Tensor.Type.INT32, new long[] {4})),
                        List.of(new TensorSpec("y", Tensor.Type.INT32, new long[] {4})))));
        graph = runtime.graphs(model).getFirst();
        session = session();
        invokes = bareInvokes(model);
    }

    /** Installs the shell as its owner signed it; returns the owner's public key. */
    private byte[] sign(byte[] shell, byte[] digest) {
        try {
            KeyPair owner = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(owner.getPrivate());
            signature.update(ShellVerifier.message(3, shell.length, digest));
            kernel.putFile(ShellPolicy.DEFAULT_PATH, shell, 0, FILE);
            kernel.putFile(ShellPolicy.DEFAULT_PATH + ShellPolicy.SIGNATURE_SUFFIX, signature.sign(), 0, FILE);
            return Ed25519Keys.encode((EdECPublicKey) owner.getPublic());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The session's descriptor: the first that knows the request. */
    private int session() {
        int fd = 3;
        while (Answer.errno(kernel.ioctl(fd, Fastrpc.INVOKE, Arena.ofAuto().allocate(16, 8))) == Errno.ENOTTY) {
            fd++;
        }
        return fd;
    }

    /** The same three calls, made by the emulator's ioctl alone. */
    private MemorySegment[] bareInvokes(HexagonModel model) {
        Arena arena = Arena.ofAuto();
        int handle = model.handle().orElseThrow();
        long input = graph.input(0).dspAddress();
        long output = graph.output(0).dspAddress();
        MemorySegment set = arena.allocate(QnnWire.TENSOR_IN_BYTES, 8);
        packer.into(set).u32(handle).u32(0).u32(0).u64(input).u32(16);
        MemorySegment execute = arena.allocate(QnnWire.EXECUTE_IN_BYTES, 8);
        packer.into(execute).u32(handle).u32(0);
        MemorySegment get = arena.allocate(QnnWire.TENSOR_IN_BYTES, 8);
        packer.into(get).u32(handle).u32(0).u32(0).u64(output).u32(16);
        return new MemorySegment[] {
            invoke(arena, QnnWire.SET_INPUT_SCALARS, set),
            invoke(arena, QnnWire.EXECUTE_SCALARS, execute),
            invoke(arena, QnnWire.GET_OUTPUT_SCALARS, get)
        };
    }

    private MemorySegment invoke(Arena arena, int scalars, MemorySegment in) {
        InvokeArgs argument = new InvokeArgs(arena.allocate(InvokeArgs.LAYOUT));
        argument.ptr(in.address());
        argument.length(in.byteSize());
        argument.fd(Fastrpc.NO_FD);
        Invoke invoke = new Invoke(arena.allocate(Invoke.LAYOUT));
        invoke.handle(runtime.moduleHandle());
        invoke.sc(scalars);
        invoke.args(argument.segment().address());
        return invoke.segment();
    }

    /** Closes it. */
    @TearDown
    public void close() {
        runtime.close();
        linux.close(node);
    }

    /** The largest of the five methods' arguments. */
    @Benchmark
    public int pack() {
        int i = next++;
        return packer.into(room)
                .u32(i)
                .u32(1)
                .u32(2)
                .u64(0xc000_0000L + i)
                .u32(4096)
                .size();
    }

    /** set_input, execute, get_output through the transport, on this thread. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public QnnGraph cycle() {
        graph.setInput(0);
        graph.execute();
        graph.getOutput(0);
        return graph;
    }

    /** The emulator's part of {@link #cycle}: three ioctls and nothing else. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public long threeInvokes() {
        long answer = 0;
        for (MemorySegment one : invokes) {
            answer |= kernel.ioctl(session, Fastrpc.INVOKE, one);
        }
        if (answer != 0) {
            throw new IllegalStateException("an emulated call failed: 0x" + Long.toHexString(answer));
        }
        return answer;
    }

    /** One ioctl that /dev/null refuses: the cost of the seam. */
    @Benchmark
    public long seam() {
        return linux.ioctl(node, Fastrpc.INVOKE, nothing);
    }
}
