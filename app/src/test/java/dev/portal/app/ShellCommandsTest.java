package dev.portal.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ShellCommandsTest {
    private static final String BUILD = "CDSP.HT.2.5.c3-00134-KODIAK-1";

    @TempDir
    private Path temporary;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path shell;
    private Path key;
    private Path manifest;
    private String owner;

    @BeforeEach
    void makeAShell() throws IOException {
        Path folder = temporary.toRealPath();
        shell = folder.resolve("fastrpc_shell_unsigned_3");
        key = folder.resolve("owner.pem");
        manifest = folder.resolve("shell.json");
        ByteBuffer elf = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        elf.put(0, new byte[] {0x7f, 'E', 'L', 'F', 1, 1, 1});
        elf.putShort(16, (short) 3).putShort(18, (short) 164).putInt(28, 52).putShort(42, (short) 32);
        elf.putShort(44, (short) 1).putInt(52 + 4, 1024).putInt(52 + 16, 512);
        elf.put(2048, BUILD.getBytes(StandardCharsets.UTF_8));
        Files.write(shell, elf.array());
        owner = String.valueOf(Files.getAttribute(shell, "unix:uid"));
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line = Main.commandLine();
        return line.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private int sign(String... more) throws IOException {
        String[] first = {
            "hexagon",
            "sign-shell",
            shell.toString(),
            "--new-key",
            key.toString(),
            "--manifest",
            manifest.toString(),
            "--firmware",
            BUILD,
            "--board",
            "kodiak"
        };
        String[] all = java.util.Arrays.copyOf(first, first.length + more.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        int code = run(all);
        for (Path file : new Path[] {shell, manifest, Path.of(key + ".pub"), Path.of(shell + ".sig")}) {
            if (Files.exists(file)) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            }
        }
        return code;
    }

    private int verify(String... more) {
        String[] first = {
            "hexagon",
            "verify-shell",
            shell.toString(),
            "--manifest",
            manifest.toString(),
            "--key",
            key + ".pub",
            "--owner",
            owner
        };
        String[] all = java.util.Arrays.copyOf(first, first.length + more.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return run(all);
    }

    @Test
    void whatTheOwnerSignsIsAcceptedAndWhatChangesAfterwardsIsNot() throws IOException {
        assertThat(sign()).as(err.toString()).isZero();
        assertThat(out.toString()).contains("keep it off the board", "/etc/portal/hexagon-shell.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        assertThat(verify()).as(out.toString()).isZero();
        assertThat(out.toString()).contains("ACCEPTED", "domain 3");
        byte[] changed = Files.readAllBytes(shell);
        changed[3000] ^= 1;
        Files.write(shell, changed);
        assertThat(verify("--json")).isEqualTo(1);
        assertThat(out.toString()).contains("\"verdict\":\"HASH_MISMATCH\"");
    }

    @Test
    void aSignatureForAnotherDspIsRefused() throws IOException {
        assertThat(sign("--domain", "0")).isZero();
        Files.writeString(manifest, Files.readString(manifest).replace("\"domain\" : 0", "\"domain\" : 3"));
        assertThat(verify()).isEqualTo(1);
        assertThat(out.toString()).contains("SIGNATURE_INVALID");
    }

    @Test
    void aMissingKeyIsARefusalAndAMissingManifestIsNotAvailable() throws IOException {
        assertThat(sign()).isZero();
        Files.delete(Path.of(key + ".pub"));
        assertThat(verify()).isEqualTo(1);
        assertThat(out.toString()).contains("KEY_MISSING");
        Files.delete(manifest);
        assertThat(verify()).isEqualTo(3);
        assertThat(err.toString()).contains("sign-shell");
    }

    @Test
    void filesOfSomebodyElseAreNotTrusted() throws IOException {
        assertThat(sign()).isZero();
        Files.setPosixFilePermissions(manifest, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(verify()).isEqualTo(1);
        assertThat(out.toString()).contains("BAD_OWNERSHIP", "shell.json");
    }

    @Test
    void aPrivateKeyThatOthersMayReadIsNotUsed() throws IOException {
        assertThat(sign()).isZero();
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(run("hexagon", "sign-shell", shell.toString(), "--key", key.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("others may read this private key");
        assertThat(run("hexagon", "sign-shell", "--new-key", key.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("never overwritten");
    }

    @Test
    void whatIsNoShellIsNotSigned() throws IOException {
        Files.writeString(shell, "no shell");
        assertThat(sign()).isEqualTo(1);
        assertThat(err.toString()).contains("NOT_HEXAGON");
        assertThat(run("hexagon", "sign-shell")).isEqualTo(2);
        assertThat(run("hexagon", "sign-shell", shell.toString())).isEqualTo(2);
    }

    @Test
    void aDayThatIsNoneIsRefusedAtTheSigning() throws IOException {
        assertThat(sign("--not-after", "soon")).isEqualTo(1);
        assertThat(err.toString()).contains("2030-12-31");
    }
}
