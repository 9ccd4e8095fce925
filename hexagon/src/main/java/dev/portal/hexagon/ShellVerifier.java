package dev.portal.hexagon;

import dev.portal.base.Clock;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.hexagon.HexagonException.ShellRefused.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.HexFormat;

/**
 * Judges a shell by its bytes: the very bytes that the kernel is handed, not the file (spec 7.4). Fails closed, with a typed
 * reason.
 *
 * <p>The owner signs {@code "portal-shell-v1\0" ‖ u32le domain ‖ u64le length ‖ SHA-256(file)}: digest and signature cover
 * the same thing, and a signature for one domain is none for another.
 */
public final class ShellVerifier {
    /** Begins every message that is signed. */
    private static final byte[] CONTEXT = "portal-shell-v1\0".getBytes(StandardCharsets.US_ASCII);

    private static final int MAX_BYTES = Fastrpc.INIT_FILELEN_MAX;
    private static final int ELF_MAGIC = 0x464c457f;
    private static final int ELF_CLASS = 4;
    private static final int ELF_DATA = 5;
    private static final int ELF_TYPE = 16;
    private static final int ELF_MACHINE = 18;
    private static final int ELF_PROGRAM_HEADERS = 28;
    private static final int ELF_PROGRAM_HEADER_SIZE = 42;
    private static final int ELF_PROGRAM_HEADER_COUNT = 44;
    private static final int ELF_HEADER_BYTES = 52;
    private static final int PROGRAM_HEADER_BYTES = 32;
    private static final int SEGMENT_OFFSET = 4;
    private static final int SEGMENT_FILE_SIZE = 16;
    private static final int ELFCLASS32 = 1;
    private static final int ELFDATA2LSB = 1;
    private static final int ET_DYN = 3;
    private static final int EM_HEXAGON = 164;

    private final ShellPolicy policy;
    private final Clock clock;

    public ShellVerifier(ShellPolicy policy, Clock clock) {
        this.policy = policy;
        this.clock = clock;
    }

    /**
     * Accepts, or throws.
     *
     * @param shell exactly the bytes of the shell
     * @param signature the detached signature; empty when there is none
     * @throws ShellRefused with the first reason that was found
     */
    public void verify(MemorySegment shell, byte[] signature) {
        if (clock.wallMillis() > policy.notAfterMillis()) {
            throw refused(Reason.EXPIRED, "the manifest's last day is over; get a new one from the board's owner");
        }
        byte[] key = policy.publicKey();
        if (key.length != ShellPolicy.PUBLIC_KEY_BYTES) {
            throw refused(
                    Reason.KEY_MISSING,
                    "a public key of " + key.length + " bytes; it has 32. Install the owner's key in the manifest");
        }
        if (Ed25519Keys.hasSmallOrder(key)) {
            throw refused(
                    Reason.KEY_MISSING, "the public key is of small order and vouches for anything; make a new one");
        }
        requireHexagon(shell);
        byte[] digest = sha256(shell);
        if (!MessageDigest.isEqual(digest, policy.sha256())) {
            throw refused(
                    Reason.HASH_MISMATCH,
                    "SHA-256 is " + HexFormat.of().formatHex(digest) + " and the manifest says "
                            + HexFormat.of().formatHex(policy.sha256())
                            + "; reinstall the shell of this firmware, or sign the new one");
        }
        requireSigned(shell, digest, key, signature);
        policy.buildId().ifPresent(build -> requireBuild(shell, build));
    }

    /** The message that a board's owner signs. */
    public static byte[] message(int domain, long length, byte[] sha256) {
        return ByteBuffer.allocate(CONTEXT.length + Integer.BYTES + Long.BYTES + sha256.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(CONTEXT)
                .putInt(domain)
                .putLong(length)
                .put(sha256)
                .array();
    }

    /** The digest of {@code bytes}. */
    public static byte[] sha256(MemorySegment bytes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes.asByteBuffer());
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no SHA-256, so no shell can be verified", e);
        }
    }

    /**
     * Whether it is an ELF32 little-endian shared object for Hexagon, with its program headers and segments inside.
     *
     * @throws ShellRefused when not
     */
    public static void requireHexagon(MemorySegment shell) {
        long size = shell.byteSize();
        if (size < 1 || size > MAX_BYTES) {
            throw refused(Reason.TOO_LARGE, "it has " + size + " bytes; 1 to " + MAX_BYTES + " are possible");
        }
        if (size < ELF_HEADER_BYTES || shell.get(ValueLayout.JAVA_INT_UNALIGNED, 0) != ELF_MAGIC) {
            throw notHexagon("it is no ELF file");
        }
        require("class", shell.get(ValueLayout.JAVA_BYTE, ELF_CLASS), ELFCLASS32);
        require("data encoding", shell.get(ValueLayout.JAVA_BYTE, ELF_DATA), ELFDATA2LSB);
        require("type", half(shell, ELF_TYPE), ET_DYN);
        require("machine", half(shell, ELF_MACHINE), EM_HEXAGON);
        long table = word(shell, ELF_PROGRAM_HEADERS);
        int count = half(shell, ELF_PROGRAM_HEADER_COUNT);
        require("program header size", half(shell, ELF_PROGRAM_HEADER_SIZE), PROGRAM_HEADER_BYTES);
        if (count == 0 || table > size || (long) count * PROGRAM_HEADER_BYTES > size - table) {
            throw notHexagon(count + " program headers at " + table + " of " + size + " bytes");
        }
        for (int i = 0; i < count; i++) {
            long header = table + (long) i * PROGRAM_HEADER_BYTES;
            long offset = word(shell, header + SEGMENT_OFFSET);
            long bytes = word(shell, header + SEGMENT_FILE_SIZE);
            if (offset > size || bytes > size - offset) {
                throw notHexagon("segment " + i + " ends outside of the file");
            }
        }
    }

    private static void require(String what, int value, int expected) {
        if (value != expected) {
            throw notHexagon("ELF " + what + " is " + value + ", not " + expected);
        }
    }

    private static int half(MemorySegment shell, long at) {
        return Short.toUnsignedInt(shell.get(ValueLayout.JAVA_SHORT_UNALIGNED, at));
    }

    private static long word(MemorySegment shell, long at) {
        return Integer.toUnsignedLong(shell.get(ValueLayout.JAVA_INT_UNALIGNED, at));
    }

    private void requireSigned(MemorySegment shell, byte[] digest, byte[] key, byte[] signature) {
        if (signature.length != ShellPolicy.SIGNATURE_BYTES) {
            throw refused(
                    Reason.SIGNATURE_INVALID,
                    "a signature of " + signature.length + " bytes beside it; it has 64. Sign it with"
                            + " ./portal hexagon sign-shell");
        }
        if (!Ed25519Keys.isCanonical(signature)) {
            throw refused(Reason.SIGNATURE_INVALID, "the signature's S is not reduced; sign again");
        }
        boolean valid;
        try {
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(Ed25519Keys.publicKey(key));
            verifier.update(message(policy.domain(), shell.byteSize(), digest));
            valid = verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            throw refused(Reason.SIGNATURE_INVALID, "key or signature cannot be used (" + e.getMessage() + ")");
        }
        if (!valid) {
            throw refused(
                    Reason.SIGNATURE_INVALID,
                    "the signature is not the board key's over this file and domain " + policy.domain()
                            + "; was it made with another key, or for another DSP?");
        }
    }

    private static void requireBuild(MemorySegment shell, String build) {
        byte[] wanted = build.getBytes(StandardCharsets.UTF_8);
        long last = shell.byteSize() - wanted.length;
        for (long at = 0; at <= last; at++) {
            if (shell.get(ValueLayout.JAVA_BYTE, at) == wanted[0]
                    && shell.asSlice(at, wanted.length).mismatch(MemorySegment.ofArray(wanted)) < 0) {
                return;
            }
        }
        throw refused(
                Reason.WRONG_BUILD,
                "it does not name the firmware build " + build
                        + "; INIT_CREATE would time out after 10 s. Install the shell of this build");
    }

    private static ShellRefused notHexagon(String why) {
        return refused(Reason.NOT_HEXAGON, why + "; it must be the shell that came with the DSP's firmware");
    }

    private static ShellRefused refused(Reason reason, String message) {
        return new ShellRefused(reason, message);
    }
}
