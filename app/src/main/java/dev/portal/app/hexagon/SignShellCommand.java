package dev.portal.app.hexagon;

import dev.portal.app.Failure;
import dev.portal.hexagon.FastRpcSession;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.hexagon.ShellVerifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code portal hexagon sign-shell}: the owner's side of the check. Writes the signature and a manifest. */
@Command(
        name = "sign-shell",
        description = "Signs a FastRPC shell for a board: writes SHELL.sig and a manifest.",
        mixinStandardHelpOptions = true)
final class SignShellCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SHELL", description = "the shell as the firmware brought it")
    private @Nullable Path shell;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "the owner's private key, PEM, readable by its owner only")
    private @Nullable Path key;

    @Option(names = "--new-key", paramLabel = "FILE", description = "make a key pair: FILE, and FILE.pub for the board")
    private @Nullable Path newKey;

    @Option(names = "--domain", defaultValue = "" + FastRpcSession.CDSP_DOMAIN_ID, description = "DSP (default: 3)")
    private int domain;

    @Option(names = "--board", defaultValue = "", description = "name of the board")
    private String board;

    @Option(names = "--firmware", defaultValue = "", description = "build id that the shell must name")
    private String firmware;

    @Option(names = "--key-id", defaultValue = "", description = "name of the key")
    private String keyId;

    @Option(names = "--not-after", defaultValue = "", paramLabel = "DAY", description = "last day, as 2030-12-31")
    private String notAfter;

    @Option(
            names = "--path",
            defaultValue = ShellPolicy.DEFAULT_PATH,
            description = "where the board has the shell (default: ${DEFAULT-VALUE})")
    private String path;

    @Option(names = "--manifest", paramLabel = "FILE", description = "where to write it (default: SHELL.json)")
    private @Nullable Path manifest;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (newKey != null) {
            PemKeys.create(newKey);
            out.println("private key " + newKey + ": keep it off the board\npublic key " + PemKeys.publicOf(newKey)
                    + ": install it as " + ShellManifest.KEY_PATH);
        }
        if (shell != null) {
            Path signing = key != null ? key : newKey;
            if (signing == null) {
                throw new ParameterException(spec.commandLine(), "which key? --key FILE, or --new-key FILE");
            }
            sign(out, shell, PemKeys.privateKey(signing));
        } else if (newKey == null) {
            throw new ParameterException(spec.commandLine(), "nothing to do: name a SHELL, or --new-key FILE");
        }
        out.flush();
        return 0;
    }

    private void sign(PrintWriter out, Path file, PrivateKey privateKey) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        ShellVerifier.requireHexagon(segment);
        byte[] digest = ShellVerifier.sha256(segment);
        byte[] signature;
        try {
            Signature signer = Signature.getInstance("Ed25519");
            signer.initSign(privateKey);
            signer.update(ShellVerifier.message(domain, bytes.length, digest));
            signature = signer.sign();
        } catch (GeneralSecurityException e) {
            throw new Failure("signing failed: " + e.getMessage());
        }
        HexFormat hex = HexFormat.of();
        ShellManifest text = new ShellManifest(
                board,
                firmware,
                domain,
                path,
                bytes.length,
                hex.formatHex(digest),
                hex.formatHex(signature),
                keyId,
                notAfter);
        // Refuses a wrong day or an unusable digest now, and not on the board.
        text.policy(new byte[0], ShellManifest.ROOT);
        Path signatureFile = file.resolveSibling(file.getFileName() + ShellPolicy.SIGNATURE_SUFFIX);
        Path manifestFile = manifest != null ? manifest : file.resolveSibling(file.getFileName() + ".json");
        Files.write(signatureFile, signature);
        Files.writeString(manifestFile, text.toJson());
        out.println("signature " + signatureFile + ": install it as " + path + ShellPolicy.SIGNATURE_SUFFIX
                + "\nmanifest " + manifestFile + ": install it as " + ShellManifest.PATH);
    }
}
