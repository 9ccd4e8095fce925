package dev.portal.app.hexagon;

import dev.portal.app.Failure;
import dev.portal.hexagon.Ed25519Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Set;

/** Ed25519 keys as PEM files, the form that {@code openssl genpkey -algorithm ed25519} writes. */
final class PemKeys {
    private static final String ALGORITHM = "Ed25519";
    private static final String PRIVATE = "PRIVATE KEY";
    private static final String PUBLIC = "PUBLIC KEY";
    static final String PUBLIC_SUFFIX = ".pub";

    private PemKeys() {}

    /** The 32 bytes of a public key in PEM. */
    static byte[] publicKey(byte[] pem, String file) {
        try {
            return Ed25519Keys.encode((EdECPublicKey)
                    KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(body(pem, PUBLIC, file))));
        } catch (GeneralSecurityException e) {
            throw new Failure(file + ": no Ed25519 public key (" + e.getMessage() + "); make one with"
                    + " openssl pkey -in KEY -pubout");
        }
    }

    /** A private key that nobody but its owner may read. */
    static PrivateKey privateKey(Path file) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.contains(PosixFilePermission.GROUP_READ)
                || permissions.contains(PosixFilePermission.OTHERS_READ)) {
            throw new Failure(file
                    + ": others may read this private key; chmod 600 it, and make a new one if it ever lay" + " open");
        }
        try {
            return KeyFactory.getInstance(ALGORITHM)
                    .generatePrivate(new PKCS8EncodedKeySpec(body(Files.readAllBytes(file), PRIVATE, file.toString())));
        } catch (GeneralSecurityException e) {
            throw new Failure(file + ": no Ed25519 private key (" + e.getMessage() + "); make one with --new-key");
        }
    }

    /** Makes a pair: the private key in {@code file}, for its owner only, the public one beside it. */
    static void create(Path file) throws IOException {
        Path open = publicOf(file);
        if (Files.exists(file) || Files.exists(open)) {
            throw new Failure(file + " or " + open + " exists already; keys are never overwritten");
        }
        try {
            KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, pem(pair.getPrivate().getEncoded(), PRIVATE));
            Files.writeString(open, pem(pair.getPublic().getEncoded(), PUBLIC));
        } catch (GeneralSecurityException e) {
            throw new Failure("this Java makes no Ed25519 keys (" + e.getMessage() + ")");
        }
    }

    static Path publicOf(Path privateKey) {
        return privateKey.resolveSibling(privateKey.getFileName() + PUBLIC_SUFFIX);
    }

    private static String pem(byte[] der, String kind) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END " + kind + "-----\n";
    }

    private static byte[] body(byte[] pem, String kind, String file) {
        String text = new String(pem, StandardCharsets.US_ASCII);
        String begin = "-----BEGIN " + kind + "-----";
        String end = "-----END " + kind + "-----";
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        if (from < 0 || to < from) {
            throw new Failure(file + ": no PEM block '" + kind + "'");
        }
        try {
            return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
        } catch (IllegalArgumentException e) {
            throw new Failure(file + ": damaged PEM (" + e.getMessage() + ")");
        }
    }
}
