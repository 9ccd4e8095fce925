package dev.portal.verification;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The arrows of the design, read from the compiled classes of every module, tests included where it says so. */
final class ArchitectureTest {
    /** Module to what it may use beside itself and {@code base}: the table of design section 2. */
    private static final Map<String, List<String>> ARROWS = arrows();

    private static final List<String> ALL = List.of("*");

    private final JavaClasses product = CompiledClasses.product();
    private final JavaClasses everything = CompiledClasses.everything();

    private static Map<String, List<String>> arrows() {
        Map<String, List<String>> arrows = new LinkedHashMap<>();
        arrows.put("base", List.of());
        arrows.put("scheduler", List.of());
        arrows.put("kernel", List.of());
        arrows.put("hardware", List.of());
        arrows.put("rknpu", List.of("hardware", "kernel", "scheduler"));
        arrows.put("hexagon", List.of("hardware", "kernel", "scheduler"));
        arrows.put("emulator", List.of("hardware", "kernel"));
        arrows.put("llm", List.of("scheduler", "rknpu", "kernel")); // docs/decisions/0001
        // A program of its own, that no module depends on.
        arrows.put("llama", List.of("llm", "scheduler"));
        arrows.put("voice", List.of("scheduler", "llm"));
        arrows.put("app", List.of("*"));
        arrows.put("verification", List.of("*"));
        return arrows;
    }

    @Test
    void everyModuleIsInTheTableOfArrows() {
        assertThat(ARROWS).containsKeys(Repository.modules().toArray(String[]::new));
    }

    @Test
    void everyModuleHasCompiledClassesToJudge() {
        // Built on its own, verification brings what it depends on, which the language model's child is not.
        assertThat(product.stream().map(c -> moduleOf(c.getPackageName())).distinct())
                .containsAll(Repository.modules().stream()
                        .filter(module -> !module.equals("verification") && !module.equals("llama"))
                        .toList());
    }

    @Test
    void aClassLivesInThePackageOfItsModule() {
        classes()
                .should(new ArchCondition<>("live below dev.portal.MODULE of their own module") {
                    @Override
                    public void check(JavaClass item, ConditionEvents events) {
                        String source = item.getSource().orElseThrow().getUri().toString();
                        if (!source.contains("/" + moduleOf(item.getPackageName()) + "/target/")
                                && !item.getSimpleName().equals("module-info")) {
                            events.add(SimpleConditionEvent.violated(item, item.getName() + " is in " + source));
                        }
                    }
                })
                .check(everything);
    }

    @Test
    void arrowsGoDownOnlyInTestsToo() {
        ARROWS.forEach((module, allowed) -> {
            if (!allowed.equals(ALL)) {
                List<String> packages = new ArrayList<>(List.of(below(module), below("base")));
                allowed.forEach(other -> packages.add(below(other)));
                noClasses()
                        .that()
                        .resideInAPackage(below(module))
                        .should()
                        .dependOnClassesThat(resideInAPackage("dev.portal..")
                                .and(not(resideInAnyPackage(packages.toArray(String[]::new)))))
                        .allowEmptyShould(true)
                        .because(module + " may use base and " + allowed + " alone (design section 2)")
                        .check(everything);
            }
        });
    }

    @Test
    void schedulerUsesTheJdkAndBaseAlone() {
        classes()
                .that()
                .resideInAPackage(below("scheduler"))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("java..", "org.jspecify..", below("scheduler"), below("base")))
                .check(product);
    }

    @Test
    void driversAndEmulatorNeverSeeEachOther() {
        String[] drivers = {below("rknpu"), below("hexagon")};
        noClasses()
                .that()
                .resideInAnyPackage(drivers)
                .should()
                .dependOnClassesThat(resideInAPackage(below("emulator")))
                .check(everything);
        noClasses()
                .that()
                .resideInAPackage(below("emulator"))
                .should()
                .dependOnClassesThat(resideInAnyPackage(drivers))
                .check(everything);
    }

    @Test
    void onlyTheSeamAndTheSpeechLibrariesLookUpNativeSymbols() {
        noClasses()
                .that(not(nested("dev.portal.kernel.LinuxKernel").or(resideInAPackage("dev.portal.voice.nativelib.."))))
                .should()
                .dependOnClassesThat(nested("java.lang.foreign.Linker").or(nested("java.lang.foreign.SymbolLookup")))
                .because("native code is LinuxKernel, voice.nativelib and ONNX Runtime (design section 3)")
                .check(product);
    }

    @Test
    void aLookUpOfNativeSymbolsWouldBeSeen() {
        assertThat(product.get("dev.portal.kernel.LinuxKernel").getDirectDependenciesFromSelf())
                .anyMatch(d -> d.getTargetClass().getName().equals("java.lang.foreign.Linker"));
    }

    @Test
    void thereIsNoStaticMutableState() {
        fields().that().areStatic().should().beFinal().check(product);
    }

    @Test
    void classesAreFinalOrMadeToBeExtended() {
        classes()
                .that(not(resideInAPackage("..generated..")))
                .should(new ArchCondition<>("be final, abstract, sealed or anonymous") {
                    @Override
                    public void check(JavaClass item, ConditionEvents events) {
                        boolean closed = item.getModifiers().contains(JavaModifier.FINAL)
                                || item.getModifiers().contains(JavaModifier.ABSTRACT)
                                || item.isInterface()
                                || item.isEnum()
                                || item.isAnonymousClass()
                                || item.getSimpleName().endsWith("-info")
                                || item.reflect().isSealed();
                        if (!closed) {
                            events.add(SimpleConditionEvent.violated(item, item.getName() + " is open; make it final"));
                        }
                    }
                })
                .check(product);
    }

    private static String below(String module) {
        return "dev.portal." + module + "..";
    }

    private static String moduleOf(String packageName) {
        String[] parts = packageName.split("\\.");
        return parts.length > 2 ? parts[2] : "";
    }

    private static DescribedPredicate<JavaClass> nested(String name) {
        return DescribedPredicate.describe(
                name, c -> c.getName().equals(name) || c.getName().startsWith(name + "$"));
    }
}
