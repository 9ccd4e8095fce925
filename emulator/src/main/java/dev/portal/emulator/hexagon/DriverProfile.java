package dev.portal.emulator.hexagon;

/** Which kernel's driver answers (spec 1.9). */
public enum DriverProfile {
    /** Linux 6.1. */
    V6_1(true, true, false, false, false, false),
    /** Mainline 7.x. */
    V7(false, false, true, true, true, false),
    /** Qualcomm's 7.x topic tree: mainline's with SET_OPTION. */
    V7_TOPIC(false, false, true, true, true, true);

    /** The client on the wire is the opener's thread group, not the session's number. */
    final boolean clientIsThreadGroup;

    /** GET_DSP_INFO checks the domain, and writes four bytes to offset 0 only. */
    final boolean oldInfo;

    /** INIT_CREATE_STATIC, and the remote heap of MMAP. */
    final boolean remoteHeap;

    /** A length beyond the DMA-BUF is EINVAL. */
    final boolean checksLength;

    /** A map is found by descriptor and DMA-BUF, not by the descriptor's number alone. */
    final boolean mapsByObject;

    final boolean setOption;

    DriverProfile(
            boolean clientIsThreadGroup,
            boolean oldInfo,
            boolean remoteHeap,
            boolean checksLength,
            boolean mapsByObject,
            boolean setOption) {
        this.clientIsThreadGroup = clientIsThreadGroup;
        this.oldInfo = oldInfo;
        this.remoteHeap = remoteHeap;
        this.checksLength = checksLength;
        this.mapsByObject = mapsByObject;
        this.setOption = setOption;
    }
}
