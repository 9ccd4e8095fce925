package dev.portal.app.npu;

import dev.portal.base.Clock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.KernelLog;
import dev.portal.emulator.ModelReport;
import dev.portal.emulator.RealTime;
import dev.portal.emulator.hexagon.EmulatedShell;
import dev.portal.emulator.hexagon.FastRpcDriver;
import dev.portal.emulator.hexagon.IntegerBackend;
import dev.portal.emulator.hexagon.OnnxBackend;
import dev.portal.emulator.transcript.RecordingKernel;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hexagon.Ed25519Keys;
import dev.portal.hexagon.HexagonOptions;
import dev.portal.hexagon.HexagonRuntime;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.hexagon.ShellVerifier;
import dev.portal.kernel.Kernel;
import java.lang.foreign.MemorySegment;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.util.List;
import java.util.Optional;

/**
 * A whole board with a compute DSP in software, in real time, with a session on it: the emulator's kernel, a shell that
 * was signed by a key made for this run, and the driver's runtime over them. The same bytes pass as on a board.
 *
 * <p>Any thread. {@link #close} ends the session first.
 */
public final class EmulatedDsp implements AutoCloseable {
    private static final int READABLE_FILE = 0100444;
    private static final String CONTAINERS = "/var/lib/portal/";

    private final EmulatedKernel kernel;
    private final FastRpcDriver driver;
    private final RecordingKernel recording;
    private final OnnxBackend backend = new OnnxBackend(0);
    private final HexagonRuntime runtime;

    /**
     * Starts the board and opens a session.
     *
     * @param machine the machine's clock
     */
    public EmulatedDsp(Clock machine, dev.portal.emulator.hexagon.HexagonOptions board, HexagonOptions transport) {
        this(machine, board, transport, 0);
    }

    /**
     * With a transcript.
     *
     * @param recordedCalls how many calls of the kernel are kept; 0 records nothing
     */
    public EmulatedDsp(
            Clock machine,
            dev.portal.emulator.hexagon.HexagonOptions board,
            HexagonOptions transport,
            int recordedCalls) {
        RealTime time = new RealTime(machine);
        driver = new FastRpcDriver(
                time, board, List.of(new IntegerBackend(), backend), new KernelLog(), new ModelReport());
        kernel = new EmulatedKernel(List.of(driver), time);
        ShellPolicy policy = installShell(EmulatedShell.of(board.firmwareBuild()), board.firmwareBuild());
        recording = new RecordingKernel(kernel, time, recordedCalls);
        Kernel seam = recordedCalls > 0 ? recording : kernel;
        runtime = HexagonRuntime.start(seam, kernel, time, transport, policy);
    }

    /** Puts a shell and its signature onto the board's disk, as its owner would with a key of his own. */
    private ShellPolicy installShell(byte[] shell, String build) {
        try {
            KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            byte[] digest = ShellVerifier.sha256(MemorySegment.ofArray(shell));
            Signature signer = Signature.getInstance("Ed25519");
            signer.initSign(keys.getPrivate());
            signer.update(ShellVerifier.message(Fastrpc.DOMAIN_CDSP, shell.length, digest));
            kernel.putFile(EmulatedShell.PATH, shell, 0, READABLE_FILE);
            kernel.putFile(EmulatedShell.PATH + ShellPolicy.SIGNATURE_SUFFIX, signer.sign(), 0, READABLE_FILE);
            return new ShellPolicy(
                    Fastrpc.DOMAIN_CDSP,
                    EmulatedShell.PATH,
                    digest,
                    Ed25519Keys.encode((EdECPublicKey) keys.getPublic()),
                    0,
                    Optional.of(build),
                    Long.MAX_VALUE);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK cannot sign with Ed25519: " + e.getMessage(), e);
        }
    }

    /** The session and its models. */
    public HexagonRuntime runtime() {
        return runtime;
    }

    /** The board's driver, for telemetry and the report of misuse. */
    public FastRpcDriver driver() {
        return driver;
    }

    /** The recorded calls as text, for {@code hexagon replay}. */
    public String transcript() {
        return recording.dump();
    }

    /** The board's kernel. */
    public EmulatedKernel kernel() {
        return kernel;
    }

    /** Puts a model container onto the board's disk and returns its path. */
    String putContainer(String name, byte[] bytes) {
        String path = CONTAINERS + name;
        kernel.putFile(path, bytes, 0, READABLE_FILE);
        return path;
    }

    void removeContainer(String path) {
        kernel.removeFile(path);
    }

    @Override
    public void close() {
        runtime.close();
        backend.close();
    }
}
