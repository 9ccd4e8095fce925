package dev.portal.hexagon;

import java.util.Arrays;
import java.util.Optional;

/**
 * Which shell a board's owner vouches for (spec 7.4). Nothing in the kernel or the DSP checks this: it is the host's own
 * rule, and it holds closed.
 *
 * @param domain of the DSP that the shell is for
 * @param path of the file; its signature is beside it, as {@code path.sig}
 * @param sha256 32 bytes that the file must have as its digest
 * @param publicKey 32 bytes of an Ed25519 key; empty when none was installed, and then nothing is loaded
 * @param ownerUid who must own the file, and nobody else may write it
 * @param buildId text that the file must contain; empty where the firmware's build is not known
 * @param notAfterMillis end of the manifest's time, milliseconds since 1970; {@link Long#MAX_VALUE} for none
 */
public record ShellPolicy(
        int domain,
        String path,
        byte[] sha256,
        byte[] publicKey,
        int ownerUid,
        Optional<String> buildId,
        long notAfterMillis) {
    /** Where boards have it (scheduling seed). */
    public static final String DEFAULT_PATH = "/usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3";

    public static final int DIGEST_BYTES = 32;
    public static final int PUBLIC_KEY_BYTES = 32;
    public static final int SIGNATURE_BYTES = 64;
    public static final String SIGNATURE_SUFFIX = ".sig";

    public ShellPolicy {
        if (sha256.length != DIGEST_BYTES) {
            throw new IllegalArgumentException("a SHA-256 of " + sha256.length + " bytes; it has 32");
        }
        sha256 = sha256.clone();
        publicKey = publicKey.clone();
    }

    @Override
    public byte[] sha256() {
        return sha256.clone();
    }

    @Override
    public byte[] publicKey() {
        return publicKey.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ShellPolicy that
                && domain == that.domain
                && path.equals(that.path)
                && Arrays.equals(sha256, that.sha256)
                && Arrays.equals(publicKey, that.publicKey)
                && ownerUid == that.ownerUid
                && buildId.equals(that.buildId)
                && notAfterMillis == that.notAfterMillis;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sha256);
    }
}
