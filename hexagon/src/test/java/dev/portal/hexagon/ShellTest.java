package dev.portal.hexagon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.hexagon.HexagonException.ShellRefused.Reason;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.LinuxKernel;
import dev.portal.kernel.Open;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every test of spec 7.4, on real files. */
class ShellTest {
    private final Kernel files = new LinuxKernel();
    private final TestClock clock = new TestClock();
    private final Shells shells = new Shells();
    private final byte[] shell = Shells.shell(8192);

    @TempDir
    Path temporary;

    private Path folder;
    private Path file;
    private int owner;

    @BeforeEach
    void install() throws IOException {
        folder = temporary.toRealPath();
        file = folder.resolve("fastrpc_shell_unsigned_3");
        write(file, shell);
        write(signature(), shells.sign(3, shell));
        int fd = (int) files.open(file.toString(), Open.READ_ONLY);
        owner = files.fstat(fd).uid();
        files.close(fd);
    }

    private Path signature() {
        return file.resolveSibling(file.getFileName() + ".sig");
    }

    private static void write(Path path, byte[] bytes) throws IOException {
        Files.write(path, bytes);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private ShellPolicy policy() {
        return shells.policy(file.toString(), shell, owner);
    }

    private void verify(ShellPolicy policy) {
        HexagonRuntime.verifyShell(files, clock, policy);
    }

    private static void refused(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ShellRefused.class,
                        e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
    }

    @Test
    void aShellThatTheOwnerSignedIsAccepted() {
        verify(policy());
    }

    @Test
    void aBitFlipAnywhereIsNoticed() throws IOException {
        // Magic, class, data, type, machine, header offset and count, a segment's offset, build id, filler, last byte.
        int[] hexagonChecks = {0, 3, 4, 5, 16, 18, 19};
        for (int at : hexagonChecks) {
            write(file, flipped(at));
            refused(Reason.NOT_HEXAGON, () -> verify(policy()));
        }
        for (int at : new int[] {7, 36, 100, 500, 2048, 4000, shell.length - 1}) {
            write(file, flipped(at));
            refused(Reason.HASH_MISMATCH, () -> verify(policy()));
        }
    }

    private byte[] flipped(int at) {
        byte[] changed = shell.clone();
        changed[at] ^= 1;
        return changed;
    }

    @Test
    void aHeaderThatLeadsOutsideOfTheFileIsRefused() {
        byte[] table = shell.clone();
        table[30] = 0x7f;
        refused(Reason.NOT_HEXAGON, () -> ShellVerifier.requireHexagon(MemorySegment.ofArray(table)));
        byte[] segment = shell.clone();
        segment[52 + 4 + 3] = (byte) 0xff;
        refused(Reason.NOT_HEXAGON, () -> ShellVerifier.requireHexagon(MemorySegment.ofArray(segment)));
        byte[] length = shell.clone();
        length[52 + 16 + 2] = 1;
        refused(Reason.NOT_HEXAGON, () -> ShellVerifier.requireHexagon(MemorySegment.ofArray(length)));
        refused(Reason.NOT_HEXAGON, () -> ShellVerifier.requireHexagon(MemorySegment.ofArray(new byte[51])));
    }

    @Test
    void aTruncatedShellIsRefused() throws IOException {
        write(file, Arrays.copyOf(shell, 2000));
        refused(Reason.NOT_HEXAGON, () -> verify(policy()));
        write(file, Arrays.copyOf(shell, 8000));
        refused(Reason.HASH_MISMATCH, () -> verify(policy()));
        write(file, new byte[0]);
        refused(Reason.TOO_LARGE, () -> verify(policy()));
    }

    @Test
    void aShellThatChangesWhileItIsReadIsRefused() throws IOException {
        try (ShellFile open = ShellFile.open(files, file.toString(), owner);
                Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(open.sizeBytes());
            write(file, Shells.shell(9000));
            assertThatThrownBy(() -> open.readInto(room)).hasMessageContaining("longer than 8192 bytes by now");
        }
        write(file, shell);
        try (ShellFile open = ShellFile.open(files, file.toString(), owner);
                Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(open.sizeBytes());
            write(file, Arrays.copyOf(shell, 5000));
            refused(Reason.UNREADABLE, () -> open.readInto(room));
        }
    }

    @Test
    void aFileExchangedAfterItWasOpenedIsNotTheOneThatIsRead() throws IOException {
        try (ShellFile open = ShellFile.open(files, file.toString(), owner);
                Arena arena = Arena.ofConfined()) {
            Path evil = temporary.resolve("evil");
            write(evil, flipped(4000));
            Files.move(file, temporary.resolve("aside"));
            Files.createSymbolicLink(file, evil);
            MemorySegment room = arena.allocate(open.sizeBytes());
            open.readInto(room);
            new ShellVerifier(policy(), clock).verify(room, shells.sign(3, shell));
        }
        refused(Reason.UNREADABLE, () -> verify(policy()));
    }

    @Test
    void aLinkOnTheWayIsRefused() throws IOException {
        Path link = temporary.toRealPath().resolve("link");
        Files.createSymbolicLink(link, folder);
        refused(
                Reason.UNREADABLE,
                () -> verify(shells.policy(link.resolve(file.getFileName()).toString(), shell, owner)));
        refused(Reason.UNREADABLE, () -> verify(shells.policy("relative/shell", shell, owner)));
        refused(Reason.UNREADABLE, () -> verify(shells.policy(folder + "/./shell", shell, owner)));
        refused(Reason.UNREADABLE, () -> verify(shells.policy(file + "-missing", shell, owner)));
    }

    @Test
    void aFifoAndAFolderAreRefusedWithoutWaiting() throws Exception {
        Path fifo = temporary.toRealPath().resolve("fifo");
        Process made = new ProcessBuilder("mkfifo", fifo.toString()).start();
        assertThat(made.waitFor()).isZero();
        refused(Reason.UNREADABLE, () -> verify(shells.policy(fifo.toString(), shell, owner)));
        refused(Reason.UNREADABLE, () -> verify(shells.policy(folder.toString(), shell, owner)));
    }

    @Test
    void aFileThatOthersMayWriteOrOwnIsRefused() throws IOException {
        for (String mode : new String[] {"rw-rw-r--", "rw-r--rw-"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            refused(Reason.BAD_OWNERSHIP, () -> verify(policy()));
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        refused(Reason.BAD_OWNERSHIP, () -> verify(shells.policy(file.toString(), shell, owner + 1)));
        Files.setPosixFilePermissions(signature(), PosixFilePermissions.fromString("rw-rw-r--"));
        refused(Reason.BAD_OWNERSHIP, () -> verify(policy()));
    }

    @Test
    void twoMebibytesAreAcceptedAndOneByteMoreIsNot() throws IOException {
        byte[] largest = Shells.shell(2 << 20);
        write(file, largest);
        write(signature(), shells.sign(3, largest));
        verify(shells.policy(file.toString(), largest, owner));
        byte[] larger = Shells.shell((2 << 20) + 1);
        write(file, larger);
        write(signature(), shells.sign(3, larger));
        refused(Reason.TOO_LARGE, () -> verify(shells.policy(file.toString(), larger, owner)));
    }

    @Test
    void aSignatureByAnotherKeyOrForAnotherDomainIsRefused() throws IOException {
        write(signature(), Shells.sign(Shells.newKeys(), 3, shell));
        refused(Reason.SIGNATURE_INVALID, () -> verify(policy()));
        write(signature(), shells.sign(0, shell));
        refused(Reason.SIGNATURE_INVALID, () -> verify(policy()));
        byte[] other = flipped(4000);
        write(signature(), shells.sign(3, other));
        refused(Reason.SIGNATURE_INVALID, () -> verify(policy()));
    }

    @Test
    void aMissingEmptyShortOrLongSignatureIsRefused() throws IOException {
        for (int bytes : new int[] {0, 1, 63, 65, 4096}) {
            write(signature(), new byte[bytes]);
            refused(Reason.SIGNATURE_INVALID, () -> verify(policy()));
        }
        Files.delete(signature());
        refused(Reason.SIGNATURE_INVALID, () -> verify(policy()));
    }

    @Test
    void aSignatureWhoseSIsNotReducedIsRefused() throws IOException {
        byte[] good = shells.sign(3, shell);
        BigInteger order = BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));
        byte[] reversed = new byte[32];
        for (int i = 0; i < 32; i++) {
            reversed[i] = good[63 - i];
        }
        byte[] larger = new BigInteger(1, reversed).add(order).toByteArray();
        byte[] second = good.clone();
        Arrays.fill(second, 32, 64, (byte) 0);
        for (int i = 0; i < Math.min(32, larger.length); i++) {
            second[32 + i] = larger[larger.length - 1 - i];
        }
        write(signature(), second);
        assertThatThrownBy(() -> verify(policy()))
                .isInstanceOfSatisfying(
                        ShellRefused.class, e -> assertThat(e.reason()).isEqualTo(Reason.SIGNATURE_INVALID))
                .hasMessageContaining("not reduced");
    }

    @Test
    void aKeyOfSmallOrderIsNone() {
        // Each has an order that divides 8: eight times the point is the neutral element.
        BigInteger p = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
        String[] small = {
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0100000000000000000000000000000000000000000000000000000000000080"
        };
        for (String key : small) {
            byte[] bytes = java.util.HexFormat.of().parseHex(key);
            assertThat(eightTimesIsNeutral(bytes, p)).as(key).isTrue();
            refused(Reason.KEY_MISSING, () -> verify(withKey(bytes)));
        }
        assertThat(eightTimesIsNeutral(shells.publicKey(), p)).isFalse();
        refused(Reason.KEY_MISSING, () -> verify(withKey(new byte[0])));
        refused(Reason.KEY_MISSING, () -> verify(withKey(new byte[33])));
    }

    private ShellPolicy withKey(byte[] key) {
        ShellPolicy good = policy();
        return new ShellPolicy(
                good.domain(), good.path(), good.sha256(), key, owner, good.buildId(), good.notAfterMillis());
    }

    /** Doubling by the curve's own equation, -x² + y² = 1 + d x² y², on y² alone: y' = (y² + x²) / (2 + x² - y²). */
    private static boolean eightTimesIsNeutral(byte[] key, BigInteger p) {
        byte[] bigEndian = new byte[32];
        for (int i = 0; i < 32; i++) {
            bigEndian[31 - i] = key[i];
        }
        bigEndian[0] &= 0x7f;
        BigInteger d = BigInteger.valueOf(-121665)
                .multiply(BigInteger.valueOf(121666).modInverse(p))
                .mod(p);
        BigInteger y = new BigInteger(1, bigEndian).mod(p);
        for (int i = 0; i < 3; i++) {
            BigInteger yy = y.multiply(y).mod(p);
            BigInteger xx = yy.subtract(BigInteger.ONE)
                    .multiply(d.multiply(yy).add(BigInteger.ONE).modInverse(p))
                    .mod(p);
            BigInteger below = BigInteger.TWO.add(xx).subtract(yy).mod(p);
            y = yy.add(xx).multiply(below.modInverse(p)).mod(p);
        }
        return y.equals(BigInteger.ONE);
    }

    @Test
    void aManifestPastItsDayAndAShellOfAnotherBuildAreRefused() {
        ShellPolicy good = policy();
        clock.advance(2_000_000_000L);
        refused(
                Reason.EXPIRED,
                () -> verify(new ShellPolicy(
                        3, good.path(), good.sha256(), good.publicKey(), owner, Optional.empty(), 1_000)));
        refused(
                Reason.WRONG_BUILD,
                () -> verify(new ShellPolicy(
                        3,
                        good.path(),
                        good.sha256(),
                        good.publicKey(),
                        owner,
                        Optional.of("CDSP.HT.2.5.c3-00135-KODIAK-1"),
                        Long.MAX_VALUE)));
        assertThatThrownBy(() -> new ShellPolicy(3, "/x", new byte[31], new byte[32], 0, Optional.empty(), 0))
                .hasMessageContaining("31 bytes");
    }

    @Test
    void aRefusedShellLeavesNothingOpenAndStartsNoProcess() {
        ScriptedKernel kernel = new ScriptedKernel();
        new ScriptedDsp(kernel);
        ShellPolicy good = shells.install(kernel);
        kernel.files.put("/shell.sig", new byte[64]);
        HexagonOptions options =
                HexagonOptions.defaults().withOwnThreads(thread -> true).withListener(false);
        refused(Reason.SIGNATURE_INVALID, () -> HexagonRuntime.stepped(kernel, kernel, clock, options, good));
        assertThat(kernel.log).noneMatch(line -> line.startsWith("INIT_CREATE"));
        assertThat(kernel.open).isEmpty();
        assertThat(kernel.mappings).isZero();
    }
}
