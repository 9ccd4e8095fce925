package dev.portal.app.hexagon;

import dev.portal.app.Failure;
import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.hexagon.HexagonRuntime;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.LinuxKernel;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code portal hexagon verify-shell}: whether this board would load a shell, and if not, why. Nothing is loaded. */
@Command(
        name = "verify-shell",
        description = "Says whether a board's owner vouches for a FastRPC shell; 0 accepted, 1 refused, 3 no manifest.",
        mixinStandardHelpOptions = true)
final class VerifyShellCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FILE",
            description = "the shell; where the manifest says, by default")
    private @Nullable Path file;

    @Option(
            names = "--manifest",
            paramLabel = "FILE",
            defaultValue = ShellManifest.PATH,
            description = "what the owner says of it (default: ${DEFAULT-VALUE})")
    private Path manifest;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            defaultValue = ShellManifest.KEY_PATH,
            description = "the owner's public key, PEM (default: ${DEFAULT-VALUE})")
    private Path key;

    @Option(
            names = "--owner",
            paramLabel = "UID",
            defaultValue = "0",
            description = "user who must own shell, manifest and key (default: root)")
    private int owner;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    private final Kernel files = new LinuxKernel();
    private final Clock clock = new SystemClock();

    @Override
    public Integer call() {
        if (!files.exists(manifest.toString())) {
            throw Failure.notAvailable(
                    manifest + ": no manifest, so no shell is accepted; a board's owner makes one with"
                            + " ./portal hexagon sign-shell");
        }
        PrintWriter out = spec.commandLine().getOut();
        String shell = String.valueOf(file == null ? manifest : file);
        try {
            ShellPolicy policy = ShellManifest.read(files, absolute(manifest), absolute(key), owner);
            if (file != null) {
                policy = at(policy, absolute(file));
            }
            shell = policy.path();
            HexagonRuntime.verifyShell(files, clock, policy);
            print(
                    out,
                    shell,
                    "ACCEPTED",
                    "SHA-256 " + HexFormat.of().formatHex(policy.sha256()) + ", domain " + policy.domain());
            return 0;
        } catch (ShellRefused e) {
            print(out, shell, e.reason().name(), String.valueOf(e.getMessage()));
            return 1;
        }
    }

    private static String absolute(Path path) {
        return path.toAbsolutePath().toString();
    }

    private static ShellPolicy at(ShellPolicy policy, String path) {
        return new ShellPolicy(
                policy.domain(),
                path,
                policy.sha256(),
                policy.publicKey(),
                policy.ownerUid(),
                policy.buildId(),
                policy.notAfterMillis());
    }

    private void print(PrintWriter out, String shell, String verdict, String why) {
        if (json) {
            ObjectNode answer = new ObjectMapper().createObjectNode();
            answer.put("shell", shell).put("verdict", verdict).put("why", why);
            out.println(answer);
        } else {
            out.println(shell + ": " + verdict + "\n" + why);
        }
        out.flush();
    }
}
