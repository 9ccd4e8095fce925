package dev.portal.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a project of its own, with a JDK and a Maven that only write down how they were called. The folders in
 * which it looks for a JDK are moved below the test's, so that this machine's do not matter.
 */
final class LauncherTest {
    private static final FileTime LONG_AGO = FileTime.from(Instant.EPOCH);

    @TempDir
    private Path folder;

    private Path root;
    private Path home;
    private Path programs;
    private Path jdk;

    @BeforeEach
    void makeAProject() throws IOException {
        root = Files.createDirectories(folder.resolve("a project"));
        home = Files.createDirectories(folder.resolve("user"));
        programs = Files.createDirectories(folder.resolve("bin"));
        String script = Files.readString(Repository.root().resolve("portal"));
        for (String place : List.of("/usr/lib/jvm", "/opt", "/usr/local", "/usr/java", "/Library")) {
            script = script.replace(" " + place + "/", " \"" + folder + "\"" + place + "/");
        }
        program(root.resolve("portal"), script);
        for (String module : List.of("app", "base", "verification")) {
            write(root.resolve(module + "/pom.xml"), "<project/>");
            write(root.resolve(module + "/src/main/java/A.java"), "class A {}");
        }
        write(root.resolve("pom.xml"), "<project>\n  <version>1.2.3</version>\n</project>");
        write(root.resolve(".mvn/jvm.config"), "");
        jdk = jdk("usr/lib/jvm/jdk-25", "25.0.3");
        program(
                programs.resolve("mvn"),
                "#!/bin/sh\necho \"$*\" >> '" + folder
                        + "/mvn.calls'\nmkdir -p app/target/lib\necho x >> app/target/lib/a.jar\n");
    }

    @Test
    void withoutAJdkItSaysWhatToInstallAndEndsWithThree() throws IOException {
        Files.delete(jdk.resolve("release"));
        Shell.Result result = portal("doctor");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).startsWith("portal: no JDK 25 or newer found").contains("PORTAL_JAVA_HOME");
        assertThat(result.err().lines()).hasSize(1);
    }

    @Test
    void anOldJdkIsPassedOverForANewOneInAnUsualFolder() throws IOException {
        Path old = jdk("opt/jdk-17", "17.0.9");
        Shell.Result result = portal(Map.of("JAVA_HOME", old.toString()), "doctor");
        assertThat(result.out()).contains("java " + jdk);
    }

    @Test
    void aNewerJdkThanAskedForServes() throws IOException {
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"27-ea\"\n");
        assertThat(portal("--version").out()).contains("portal 1.2.3", "JDK 27");
    }

    @Test
    void theJdkThatWasNamedIsTakenOrRefusedButNeverReplaced() throws IOException {
        Path named = jdk("named", "26");
        assertThat(portal(Map.of("PORTAL_JAVA_HOME", named.toString()), "doctor")
                        .out())
                .contains("java " + named);
        Shell.Result refused = portal(Map.of("PORTAL_JAVA_HOME", "/nowhere"), "doctor");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.err())
                .isEqualTo("portal: PORTAL_JAVA_HOME=/nowhere is not a JDK 25 or newer; correct or unset it\n");
    }

    @Test
    void itRunsFromAnyFolderAndThroughALinkAndKeepsTheFolder() throws IOException {
        Path elsewhere = Files.createDirectories(folder.resolve("else where"));
        Path link = Files.createSymbolicLink(elsewhere.resolve("p"), Path.of("../a project/portal"));
        Shell.Result result =
                Shell.run(elsewhere, environment(), List.of(link.toString(), "demo", "--wav", "my file.wav"));
        assertThat(result.out())
                .contains("folder " + elsewhere + "\n")
                .contains("argument " + root + "/app/target/lib\n")
                .endsWith("argument demo\nargument --wav\nargument my file.wav\n");
    }

    @Test
    void nativeAccessIsGrantedToExactlyTheModulesThatNeedIt() throws IOException {
        assertThat(portal("doctor").out().lines().filter(line -> line.contains("native-access")))
                .containsExactly(
                        "argument --enable-native-access=dev.portal.kernel,dev.portal.voice,com.microsoft.onnxruntime");
    }

    @Test
    void theExitCodeOfTheCommandIsKept() throws IOException {
        assertThat(portal(Map.of("FAKE_EXIT", "7"), "demo").exitCode()).isEqualTo(7);
    }

    @Test
    void aRelativeHomeIsMeantFromWhereTheUserIs() throws IOException {
        assertThat(portal(Map.of("PORTAL_HOME", "models here"), "doctor").out())
                .contains("argument -Dportal.home=" + root + "/models here\n");
        assertThat(portal(Map.of("XDG_CACHE_HOME", "/cache"), "doctor").out())
                .contains("argument -Dportal.home=/cache/portal\n");
        assertThat(portal("doctor").out()).contains("argument -Dportal.home=" + home + "/.cache/portal\n");
    }

    @Test
    void onlyWhatIsStaleIsBuiltAndOfflineAfterTheFirstTime() throws IOException {
        portal("doctor");
        portal("doctor");
        assertThat(mavenCalls()).containsExactly("-B -pl app,llama -am -DskipTests package");
        touch(root.resolve("verification/src/main/java/A.java"));
        touch(root.resolve("base/src/test/java/T.java"));
        portal("doctor");
        assertThat(mavenCalls()).hasSize(1);
        touch(root.resolve("base/src/main/java/A.java"));
        portal("doctor");
        assertThat(mavenCalls()).hasSize(2).last().isEqualTo("-B -o -pl app,llama -am -DskipTests package");
        touch(root.resolve("base/pom.xml"));
        portal("doctor");
        assertThat(mavenCalls()).hasSize(3).last().isEqualTo("-B -pl app,llama -am -DskipTests package");
    }

    @Test
    void aFileThatWasRemovedMakesTheBuildStale() throws IOException {
        portal("doctor");
        Files.delete(root.resolve("base/src/main/java/A.java"));
        portal("doctor");
        assertThat(mavenCalls()).hasSize(2);
    }

    @Test
    void twoAtOnceBuildOnce() throws Exception {
        program(
                programs.resolve("mvn"),
                "#!/bin/sh\necho \"$*\" >> '" + folder + "/mvn.calls'\nsleep 0.3\nmkdir -p app/target/lib\n");
        try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
            List<Future<Shell.Result>> runs = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                runs.add(executor.submit(() -> portal("doctor")));
            }
            for (Future<Shell.Result> run : runs) {
                assertThat(run.get().exitCode()).isZero();
            }
        }
        assertThat(mavenCalls()).hasSize(1);
    }

    @Test
    void aBuildThatIsNotWantedIsNotMade() throws IOException {
        Shell.Result nothing = portal(Map.of("PORTAL_BUILD", "never"), "doctor");
        assertThat(nothing.exitCode()).isEqualTo(3);
        assertThat(nothing.err()).contains("nothing is built yet");
        portal("doctor");
        touch(root.resolve("base/src/main/java/A.java"));
        assertThat(portal(Map.of("PORTAL_BUILD", "never"), "doctor").exitCode()).isZero();
        assertThat(mavenCalls()).hasSize(1);
    }

    @Test
    void withoutMavenItSaysHowToInstallIt() throws IOException {
        Files.delete(programs.resolve("mvn"));
        assertOneLine(3, "Maven is not installed", "apt-get install maven");
    }

    @Test
    void aBuildWithoutANetworkSaysSo() throws IOException {
        program(
                programs.resolve("mvn"),
                "#!/bin/sh\necho '[ERROR] Could not transfer artifact x: Unknown host'\nexit 1\n");
        assertOneLine(3, "could not download", "check the network");
    }

    @Test
    void aBuildOnAFullDiskSaysSo() throws IOException {
        program(programs.resolve("mvn"), "#!/bin/sh\necho '[ERROR] No space left on device'\nexit 1\n");
        assertOneLine(3, "no space left", "free some");
    }

    @Test
    void aBuildThatFailsShowsTheCompilersWordsAndEndsWithOne() throws IOException {
        program(programs.resolve("mvn"), "#!/bin/sh\necho '[ERROR] /x/A.java:[3,1] cannot find symbol'\nexit 1\n");
        Shell.Result result = portal("doctor");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("A.java:[3,1] cannot find symbol", "the build failed", ".portal/build.log");
    }

    @Test
    void testFetchesModelsAndKeepsMavensExitCode() throws IOException {
        program(
                programs.resolve("mvn"),
                "#!/bin/sh\necho \"$*\" >> '" + folder + "/mvn.calls'\nmkdir -p app/target/lib\n"
                        + "case \"$*\" in *verify*) echo 'Tests run: 3'; exit 5 ;; esac\n");
        Shell.Result result = portal("test", "--fast", "-Dportal.seed=7");
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(result.out()).contains("argument models\nargument fetch\n", "Tests run: 3");
        assertThat(mavenCalls().getLast())
                .isEqualTo("-B -Pchecks,fast -Dportal.home=" + home + "/.cache/portal verify -Dportal.seed=7");
    }

    @Test
    void benchmarksAreFoundByName() throws IOException {
        assertThat(portal("bench").out()).contains("benchmarks: none");
        write(
                root.resolve("verification/src/test/java/dev/portal/verification/bench/SchedulerBench.java"),
                "class SchedulerBench { static void main(String[] a) {} }");
        write(root.resolve("verification/target/bench.classpath"), "a.jar:b.jar");
        assertThat(portal("bench").out()).startsWith("benchmarks: scheduler\n");
        assertThat(portal("bench", "scheduler", "-f", "1").out())
                .contains(":a.jar:b.jar\n")
                .endsWith("argument dev.portal.verification.bench.SchedulerBench\nargument -f\nargument 1\n");
        write(
                root.resolve("verification/src/main/java/dev/portal/verification/bench/VadBench.java"),
                "class VadBench {}");
        assertThat(portal("bench", "vad").out())
                .endsWith("argument org.openjdk.jmh.Main\nargument dev.portal.verification.bench.VadBench\n");
        assertThat(portal("bench", "nothing").exitCode()).isEqualTo(2);
    }

    private void assertOneLine(int exitCode, String... words) throws IOException {
        Shell.Result result = portal("doctor");
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(exitCode);
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).startsWith("portal: ").contains(words);
    }

    private Shell.Result portal(String... arguments) {
        return portal(Map.of(), arguments);
    }

    private Shell.Result portal(Map<String, String> more, String... arguments) {
        Map<String, String> environment = environment();
        environment.putAll(more);
        List<String> command = new ArrayList<>(List.of("./portal"));
        command.addAll(List.of(arguments));
        return Shell.run(root, environment, command);
    }

    /** Only the test's own programs and the system's, none of which is a Maven or a JDK: those are in other folders here. */
    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        environment.put("PATH", programs + ":" + systemPrograms());
        environment.put("HOME", home.toString());
        for (String name : List.of(
                "JAVA_HOME", "PORTAL_JAVA_HOME", "PORTAL_HOME", "XDG_CACHE_HOME", "PORTAL_BUILD", "PORTAL_JAVA_OPTS")) {
            environment.put(name, "");
        }
        return environment;
    }

    /** A folder with what the launcher uses of the system and no more. */
    private String systemPrograms() {
        Path links = folder.resolve("system");
        if (!Files.isDirectory(links)) {
            try {
                Files.createDirectories(links);
                for (String name : List.of(
                        "bash",
                        "sh",
                        "env",
                        "dirname",
                        "basename",
                        "readlink",
                        "find",
                        "cat",
                        "sed",
                        "grep",
                        "sort",
                        "head",
                        "tr",
                        "touch",
                        "mkdir",
                        "mv",
                        "rm",
                        "flock",
                        "sleep")) {
                    program(links.resolve(name), "#!/bin/sh\nexec " + systemProgram(name) + " \"$@\"\n");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return links.toString();
    }

    private static Path systemProgram(String name) {
        return Stream.of("/usr/bin", "/bin")
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("this test needs the program " + name));
    }

    /** A JDK whose java writes down its folder and its arguments. */
    private Path jdk(String where, String version) throws IOException {
        Path place = folder.resolve(where);
        write(place.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        Files.setLastModifiedTime(place.resolve("release"), LONG_AGO);
        program(place.resolve("bin/javac"), "#!/bin/sh\n");
        program(
                place.resolve("bin/java"),
                "#!/bin/sh\necho \"java " + place + "\"\necho \"folder $PWD\"\nfor a; do echo \"argument $a\"; done\n"
                        + "exit ${FAKE_EXIT:-0}\n");
        return place;
    }

    private List<String> mavenCalls() throws IOException {
        return Files.readAllLines(folder.resolve("mvn.calls"));
    }

    private static void program(Path file, String script) throws IOException {
        write(file, script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Writes a file that is old: only what a test touches is newer than a build. */
    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, LONG_AGO);
    }

    private static void touch(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "class A { int changed; }");
    }
}
