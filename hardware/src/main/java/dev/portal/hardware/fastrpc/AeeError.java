package dev.portal.hardware.fastrpc;

import java.util.Optional;

/**
 * The errors of the DSP's runtime by name (spec 2.7).
 *
 * <p>A host value is the bare code. An error raised on the DSP travels as {@code 0x80000400 + code}, a large negative
 * int that the driver returns from the ioctl with errno untouched (spec 1.5). A few values are absolute: the same on
 * both sides, and some of them are also codes, so that only the offset tells them apart.
 */
public enum AeeError {
    EFAILED(0x01),
    ENOMEMORY(0x02),
    EUNABLETOLOAD(0x06),
    EEXPIRED(0x0c),
    EBADSTATE(0x0d),
    EBADPARM(0x0e),
    EBADITEM(0x10),
    EUNSUPPORTED(0x14),
    ERESOURCENOTFOUND(0x16),
    EREENTERED(0x17),
    EALREADY(0x1a),
    EMEMPTR(0x1d),
    EITEMBUSY(0x20),
    EBUFFERTOOSMALL(0x26),
    ENOTALLOWED(0x2b),
    EINVHANDLE(0x2c),
    EOUTOFHANDLES(0x2d),
    EINVALIDSIGNATURE(0x38),
    EINVALIDDOMAIN(0x39),
    EINVALIDFD(0x3a),
    EINVALIDDEVICE(0x3b),
    ENOSUCHMOD(0x3e),
    ENOSUCHSYMBOL(0x42),
    ENOSUCHDEVICE(0x43),
    ENOSUCHFILE(0x45),
    ENOSUCHHANDLE(0x46),
    ENOSUCHMAP(0x48),
    EBADOFFSET(0x4c),
    EBADSIZE(0x4d),
    EBADPERMS(0x4e),
    EBADFD(0x4f),
    EBADELF(0x52),
    EMMAP(0x65),
    ENORPCMEMORY(0x68),
    ENOROOTOFTRUST(0x69),
    EUNSUPPORTEDAPI(0x6c),
    ECONNREFUSED(0x72),
    EUNSIGNEDMOD(0x81),
    EINVALIDHASH(0x82),
    EBADVA(0x83),
    EBADMAPREFCNT(0x85),
    EMAPALREADYPRESENT(0x87),
    ENOSESSION(0x8a),
    EQURTBADASID(0x14f),
    EINVALIDJOB(0x182),
    EBUSY(0x183),
    ESTUBSKELVERMISMATCH(0x194),
    ERPC(0x200),
    EFILE(0x201);

    /** What an error of the DSP has over the bare code. */
    public static final int DSP_OFFSET = 0x8000_0400;

    /** Absolute results, without offset on either side. */
    public static final int SUCCESS = 0;

    public static final int EUNKNOWN = -1;
    public static final int ENOSUCH = 39;
    public static final int EINTERRUPTED = 46;
    public static final int ECONNRESET = 104;
    public static final int EWOULDBLOCK = 516;

    /** Codes above this are no codes. */
    private static final int CODE_MASK = 0xfff;

    private final int code;

    AeeError(int code) {
        this.code = code;
    }

    /** The bare code. */
    public int code() {
        return code;
    }

    /** The result as the DSP sends it: {@code 0x80000400 + code}. */
    public int onDsp() {
        return DSP_OFFSET + code;
    }

    /** The error with this bare code. */
    public static Optional<AeeError> ofCode(int code) {
        for (AeeError error : values()) {
            if (error.code == code) {
                return Optional.of(error);
            }
        }
        return Optional.empty();
    }

    /** The error that {@code result} stands for when the DSP raised it; empty for anything without the offset. */
    public static Optional<AeeError> ofDspResult(int result) {
        return isDspError(result) ? ofCode(result - DSP_OFFSET) : Optional.empty();
    }

    /** Whether {@code result} lies in the range of the DSP's own errors. */
    public static boolean isDspError(int result) {
        int code = result - DSP_OFFSET;
        return code >= 0 && code <= CODE_MASK;
    }

    /** Name and number of what a call returned, for messages. */
    public static String describe(int result) {
        String name = switch (result) {
            case SUCCESS -> "SUCCESS";
            case EUNKNOWN -> "EUNKNOWN";
            case ENOSUCH -> "ENOSUCH";
            case EINTERRUPTED -> "EINTERRUPTED";
            case ECONNRESET -> "ECONNRESET";
            case EWOULDBLOCK -> "EWOULDBLOCK";
            default ->
                ofDspResult(result).or(() -> ofCode(result)).map(AeeError::name).orElse("unknown");
        };
        return "AEE_" + name + " (0x" + Integer.toHexString(result) + ")";
    }

    /**
     * What the vendor's user library makes of a kernel errno, and only when the ioctl returned -1. ENOENT and EBUSY end
     * as ERPC in its current source, by mistake, and so does anything unlisted.
     */
    public static int ofErrno(int errno) {
        return switch (errno) {
            case 9, 14, 17, 22, 44, 52, 53, 74, 75, 77, 112 -> EBADPARM.code;
            case 6, 19, 126 -> ENOSUCHDEVICE.code;
            case 12, 105 -> ENOMEMORY.code;
            case 63, 87, 108, 110, 122 -> EEXPIRED.code;
            case 107, 111 -> ECONNREFUSED.code;
            case 32, 104 -> ECONNRESET;
            case 93 -> EUNSUPPORTED.code;
            case 27 -> EFILE.code;
            case 1, 13 -> EBADPERMS.code;
            default -> ERPC.code;
        };
    }
}
