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
    /** How bad a finding is. */
    public enum Level {
        /** As it should be. */
        GOOD,
        /** Not there, and not needed. */
        ABSENT,
        /** Works, or soon will, but not as well as it could. */
        RESTRICTED,
        /** No model can run. */
        UNUSABLE
    }

    /**
     * One finding.
     *
     * @param level how bad it is
     * @param permission whether only a permission of a node is missing
     * @param text what was found
     * @param fix the next step; null when there is none
     */
    public record Finding(
            Level level,
            boolean permission,
            String text,
            @Nullable String fix) {
        static Finding good(String text) {
            return new Finding(Level.GOOD, false, text, null);
        }

        static Finding of(Level level, String text, String fix) {
            return new Finding(level, false, text, fix);
        }
    }

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
            findings.add(Finding.good(session.node() + ": a session opens" + abilities(session)));
            findings.add(memory(session));
        } catch (HexagonException e) {
            findings.add(new Finding(
                    level(e), e instanceof HexagonException.Denied, String.valueOf(e.getMessage()), remedy(e)));
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
            return Finding.good("buffers come from " + buffer.heap());
        } catch (HexagonException e) {
            return Finding.of(
                    Level.UNUSABLE, String.valueOf(e.getMessage()), "free memory, or configure another DMA heap");
        }
    }

    private static Finding heap(Kernel kernel) {
        long answer = kernel.open(Fastrpc.DMA_HEAP_SYSTEM, Open.DEVICE);
        if (!Answer.failed(answer)) {
            kernel.close(Answer.value(answer));
            return Finding.good(Fastrpc.DMA_HEAP_SYSTEM + " opens");
        }
        return Answer.errno(answer) == Errno.EACCES
                ? new Finding(
                        Level.RESTRICTED,
                        true,
                        Fastrpc.DMA_HEAP_SYSTEM + ": " + Errno.describe(Errno.EACCES)
                                + ", so buffers come from the session, uncached and slower",
                        "let the user's group read and write the node by a udev rule")
                : Finding.good(
                        "no " + Fastrpc.DMA_HEAP_SYSTEM + "; buffers come from the session, uncached and slower");
    }

    private static Finding shell(Kernel files, Clock clock, Optional<ShellPolicy> policy) {
        if (policy.isEmpty()) {
            return Finding.of(
                    Level.UNUSABLE,
                    "no manifest says which shell this board may load, so none is loaded",
                    "./portal hexagon sign-shell makes one for a board's owner (docs/hexagon.md)");
        }
        try {
            HexagonRuntime.verifyShell(files, clock, policy.get());
            return Finding.good("shell " + policy.get().path() + ": digest and signature hold");
        } catch (HexagonException.ShellRefused e) {
            return Finding.of(Level.UNUSABLE, policy.get().path() + ": " + e.getMessage(), shellRemedy(e.reason()));
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

    private static Level level(HexagonException e) {
        return switch (e) {
            case HexagonException.Unavailable _ -> Level.ABSENT;
            case HexagonException.NoSession _ -> Level.RESTRICTED;
            default -> Level.UNUSABLE;
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
