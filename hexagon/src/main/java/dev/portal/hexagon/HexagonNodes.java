package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Open;
import java.util.List;

/**
 * The compute DSP's nodes: the secure one first, and the plain one where that is missing or closed to this user (spec 2.1,
 * 7.3). "Secure" speaks of the client's trust; an unsigned process may be made through either.
 */
public final class HexagonNodes {
    /** In the order in which they are tried. */
    static final List<String> COMPUTE = List.of(Fastrpc.NODE_CDSP_SECURE, Fastrpc.NODE_CDSP);

    /**
     * An open node.
     *
     * @param path which
     * @param fd its descriptor: one session of the channel
     */
    record Opened(String path, int fd) {}

    private HexagonNodes() {}

    /**
     * Opens the compute DSP.
     *
     * @throws HexagonException.Unavailable when there is no node
     * @throws HexagonException.Denied when this user may open none
     * @throws HexagonException.NoSession when all sessions are taken
     */
    static Opened open(Kernel kernel) {
        int denied = 0;
        for (String path : COMPUTE) {
            long answer = kernel.open(path, Open.DEVICE);
            if (!Answer.failed(answer)) {
                return new Opened(path, Answer.value(answer));
            }
            int errno = Answer.errno(answer);
            switch (errno) {
                case Errno.ENOENT, Errno.ENODEV -> {}
                case Errno.EACCES, Errno.EPERM -> denied++;
                case Errno.EBUSY ->
                    throw new HexagonException.NoSession(path + ": EBUSY, every session of the DSP is taken (8 to 14"
                            + " exist); close other programs that use it: fuser " + path + " names them");
                default ->
                    throw new HexagonException.Refused("open " + path, errno, "dmesg | grep fastrpc may say more");
            }
        }
        if (denied > 0) {
            throw new HexagonException.Denied(String.join(" and ", COMPUTE) + ": " + denied
                    + " may not be opened by this user; add the user to the group that owns the node, and log in"
                    + " again");
        }
        throw new HexagonException.Unavailable(explain(kernel));
    }

    private static String explain(Kernel kernel) {
        String none = "neither " + String.join(" nor ", COMPUTE) + " exists";
        for (String downstream : List.of(Fastrpc.NODE_DOWNSTREAM, Fastrpc.NODE_DOWNSTREAM_SECURE)) {
            if (kernel.exists(downstream)) {
                return none + ", but " + downstream + " does: a kernel of Android's line, whose driver has other"
                        + " requests under the same numbers. Detected, and not supported; boot a mainline kernel";
            }
        }
        for (String audio : List.of(Fastrpc.NODE_ADSP_SECURE, Fastrpc.NODE_ADSP)) {
            if (kernel.exists(audio)) {
                return none + ", but " + audio + " does: the audio DSP says nothing of the compute DSP. Check that"
                        + " its remoteproc runs: cat /sys/class/remoteproc/remoteproc*/state";
            }
        }
        return none + "; load the fastrpc driver and start the DSP, or use --device emulated";
    }
}
