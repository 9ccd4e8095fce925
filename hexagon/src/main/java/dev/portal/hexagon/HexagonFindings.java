package dev.portal.hexagon;

import dev.portal.base.Clock;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a doctor says of the Hexagon DSP of this machine: node, session, memory, shell, each with its remedy. */
public final class HexagonFindings {
    /**
     * One finding.
     *
     * @param good whether nothing is to be done
     * @param text what was found
     * @param fix the next step; null when there is none
     */
    public record Finding(
            boolean good, String text, @Nullable String fix) {}

    private HexagonFindings() {}

    /**
     * Looks at the machine; takes a session for a moment, and starts no process on the DSP.
     *
     * @param files of the shell
     * @param shell what the owner vouches for; empty when there is no manifest
     */
    public static List<Finding> examine(Kernel kernel, Kernel files, Clock clock, Optional<ShellPolicy> shell) {
        HexagonOptions options = HexagonOptions.defaults();
        List<Finding> findings = new ArrayList<>();
        InvokeThreads threads = InvokeThreads.stepped(kernel, clock, options);
        try (FastRpcSession session = FastRpcSession.open(kernel, clock, options, threads)) {
            findings.add(new Finding(true, session.node() + ": a session opens" + abilities(session), null));
            findings.add(memory(session));
        } catch (HexagonException e) {
            findings.add(new Finding(false, String.valueOf(e.getMessage()), remedy(e)));
            if (e instanceof HexagonException.Unavailable) {
                return findings;
            }
        } finally {
            threads.close();
        }
        findings.add(heap(kernel));
        findings.add(shell(files, clock, shell));
        return findings;
    }

    private static String abilities(FastRpcSession session) {
        Optional<Integer> architecture = ask(session, Fastrpc.ATTRIBUTE_ARCH_VER);
        return architecture
                .map(version -> ", architecture v" + Integer.toHexString(version & 0xff))
                .orElse(", its firmware tells no attributes");
    }

    private static Optional<Integer> ask(FastRpcSession session, int attribute) {
        try {
            return session.capability(attribute);
        } catch (HexagonException e) {
            return Optional.empty();
        }
    }

    private static Finding memory(FastRpcSession session) {
        try (DmaBuffer buffer = session.allocate(1)) {
            return new Finding(true, "buffers come from " + buffer.heap(), null);
        } catch (HexagonException e) {
            return new Finding(false, String.valueOf(e.getMessage()), "free memory, or configure another DMA heap");
        }
    }

    private static Finding heap(Kernel kernel) {
        long answer = kernel.open(Fastrpc.DMA_HEAP_SYSTEM, Open.DEVICE);
        if (!Answer.failed(answer)) {
            kernel.close(Answer.value(answer));
            return new Finding(true, Fastrpc.DMA_HEAP_SYSTEM + " opens", null);
        }
        return Answer.errno(answer) == Errno.EACCES
                ? new Finding(
                        false,
                        Fastrpc.DMA_HEAP_SYSTEM + ": " + Errno.describe(Errno.EACCES)
                                + ", so buffers come from the session, uncached and slower",
                        "let the user's group read and write the node by a udev rule")
                : new Finding(
                        true,
                        "no " + Fastrpc.DMA_HEAP_SYSTEM + "; buffers come from the session, uncached and slower",
                        null);
    }

    private static Finding shell(Kernel files, Clock clock, Optional<ShellPolicy> policy) {
        if (policy.isEmpty()) {
            return new Finding(
                    false,
                    "no manifest says which shell this board may load, so none is loaded",
                    "./portal hexagon sign-shell makes one for a board's owner (docs/hexagon.md)");
        }
        try {
            HexagonRuntime.verifyShell(files, clock, policy.get());
            return new Finding(true, "shell " + policy.get().path() + ": digest and signature hold", null);
        } catch (HexagonException.ShellRefused e) {
            return new Finding(false, String.valueOf(e.getMessage()), shellRemedy(e.reason()));
        }
    }

    private static String shellRemedy(HexagonException.ShellRefused.Reason reason) {
        return switch (reason) {
            case UNREADABLE -> "install the shell as a regular file, with no link on its path";
            case BAD_OWNERSHIP -> "chown root the shell and chmod go-w it";
            case TOO_LARGE, NOT_HEXAGON, HASH_MISMATCH -> "reinstall the shell that came with this firmware";
            case SIGNATURE_INVALID, KEY_MISSING, EXPIRED -> "sign the shell anew: ./portal hexagon sign-shell";
            case WRONG_BUILD -> "install the shell of the firmware build that runs";
        };
    }

    private static String remedy(HexagonException e) {
        return switch (e) {
            case HexagonException.Unavailable _ -> "none is needed: --device emulated runs without a DSP";
            case HexagonException.Denied _ -> "add the user to the group that owns the node, and log in again";
            case HexagonException.NoSession _ -> "close the programs that hold sessions: fuser names them";
            case HexagonException.ShellRefused refused -> shellRemedy(refused.reason());
            default -> "read dmesg | grep fastrpc; restarting the DSP's remoteproc clears a hung one";
        };
    }
}
