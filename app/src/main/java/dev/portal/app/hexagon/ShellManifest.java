package dev.portal.app.hexagon;

import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.hexagon.HexagonException.ShellRefused.Reason;
import dev.portal.hexagon.ShellFile;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.kernel.Kernel;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a board's owner says of its shell: one JSON file for each board (spec 7.4). The key is not in it: whoever could
 * write the manifest could otherwise vouch for himself.
 *
 * <pre>
 *   {"board": …, "firmware": …, "domain": 3, "path": …, "size": …, "sha256": …, "signature": …, "keyId": …, "notAfter": …}
 * </pre>
 *
 * @param board name of the board, free text
 * @param firmware build that the shell belongs to and names; empty when not known
 * @param domain of the DSP, 3 for the compute DSP
 * @param path where the board has the shell
 * @param sizeBytes its length
 * @param sha256 its digest, in hexadecimal
 * @param signature in hexadecimal; the same as in the file beside the shell
 * @param keyId name of the key, free text
 * @param notAfter last day, as 2030-12-31; empty for none
 */
public record ShellManifest(
        String board,
        String firmware,
        int domain,
        String path,
        long sizeBytes,
        String sha256,
        String signature,
        String keyId,
        String notAfter) {
    /** Where a board has it, and the owner's public key. */
    public static final String PATH = "/etc/portal/hexagon-shell.json";

    static final String KEY_PATH = "/etc/portal/hexagon-shell.pub";
    static final int ROOT = 0;
    private static final int LARGEST_BYTES = 64 * 1024;

    /**
     * The policy of this board; empty when there is no manifest.
     *
     * @throws ShellRefused when manifest or key are there and not to be trusted
     */
    public static Optional<ShellPolicy> installed(Kernel files) {
        return files.exists(PATH) ? Optional.of(read(files, PATH, KEY_PATH, ROOT)) : Optional.empty();
    }

    /** Reads a manifest and a public key that only their owner may write. */
    static ShellPolicy read(Kernel files, String manifest, String key, int owner) {
        byte[] text = ShellFile.trusted(files, manifest, owner, LARGEST_BYTES);
        byte[] publicKey = new byte[0];
        if (files.exists(key)) {
            publicKey = PemKeys.publicKey(ShellFile.trusted(files, key, owner, LARGEST_BYTES), key);
        }
        return parse(text, manifest).policy(publicKey, owner);
    }

    static ShellManifest parse(byte[] text, String file) {
        try {
            JsonNode json = new ObjectMapper().readTree(text);
            return new ShellManifest(
                    json.path("board").asString(""),
                    json.path("firmware").asString(""),
                    json.path("domain").asInt(-1),
                    json.path("path").asString(ShellPolicy.DEFAULT_PATH),
                    json.path("size").asLong(-1),
                    json.path("sha256").asString(""),
                    json.path("signature").asString(""),
                    json.path("keyId").asString(""),
                    json.path("notAfter").asString(""));
        } catch (JacksonException e) {
            throw new ShellRefused(Reason.UNREADABLE, file + " is no JSON: " + e.getOriginalMessage());
        }
    }

    /** What the verifier holds a shell against. */
    ShellPolicy policy(byte[] publicKey, int owner) {
        byte[] digest;
        try {
            digest = HexFormat.of().parseHex(sha256);
        } catch (IllegalArgumentException e) {
            throw new ShellRefused(Reason.HASH_MISMATCH, "the manifest's sha256 is no hexadecimal: '" + sha256 + "'");
        }
        if (digest.length != ShellPolicy.DIGEST_BYTES) {
            throw new ShellRefused(
                    Reason.HASH_MISMATCH, "the manifest's sha256 has " + digest.length + " bytes; it has 32");
        }
        return new ShellPolicy(
                domain,
                path,
                digest,
                publicKey,
                owner,
                firmware.isEmpty() ? Optional.empty() : Optional.of(firmware),
                lastMillis());
    }

    private long lastMillis() {
        if (notAfter.isEmpty()) {
            return Long.MAX_VALUE;
        }
        try {
            return LocalDate.parse(notAfter)
                    .plusDays(1)
                    .atStartOfDay(ZoneOffset.UTC)
                    .toInstant()
                    .toEpochMilli();
        } catch (DateTimeParseException e) {
            throw new ShellRefused(
                    Reason.EXPIRED, "the manifest's notAfter is no day like 2030-12-31: '" + notAfter + "'");
        }
    }

    String toJson() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode json = mapper.createObjectNode();
        json.put("board", board)
                .put("firmware", firmware)
                .put("domain", domain)
                .put("path", path)
                .put("size", sizeBytes)
                .put("sha256", sha256)
                .put("signature", signature)
                .put("keyId", keyId)
                .put("notAfter", notAfter);
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
    }
}
