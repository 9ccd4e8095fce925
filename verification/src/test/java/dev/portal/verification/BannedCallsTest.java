package dev.portal.verification;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * What would make a run depend on the machine's time, its luck or its shared threads. Judged on compiled code, tests
 * included, so that no import or method reference hides a call.
 */
final class BannedCallsTest {
    /** The only code that reads the machine's clock. */
    private static final String CLOCK = "dev.portal.base.SystemClock";

    /** This test's own examples of what is forbidden. */
    private static final String EXAMPLES = BannedCallsTest.class.getName() + "$Examples";

    private static final Map<String, Set<String>> METHODS = Map.ofEntries(
            Map.entry("java.lang.System", Set.of("nanoTime", "currentTimeMillis", "identityHashCode")),
            Map.entry("java.lang.Thread", Set.of("sleep")),
            Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep")),
            Map.entry("java.lang.Math", Set.of("random")),
            Map.entry("java.lang.StrictMath", Set.of("random")),
            Map.entry("java.time.Instant", Set.of("now")),
            Map.entry("java.time.LocalDateTime", Set.of("now")),
            Map.entry("java.time.ZonedDateTime", Set.of("now")),
            Map.entry("java.time.Clock", Set.of("systemUTC", "systemDefaultZone", "system")),
            Map.entry("java.util.UUID", Set.of("randomUUID")),
            Map.entry("java.util.Collections", Set.of("shuffle")),
            Map.entry("java.util.concurrent.ForkJoinPool", Set.of("commonPool")));

    private static final Set<String> CLASSES = Set.of(
            "java.util.Random",
            "java.util.SplittableRandom",
            "java.security.SecureRandom",
            "java.util.concurrent.ThreadLocalRandom",
            "java.util.Timer");

    /** How an object of a forbidden class is come by. */
    private static final Set<String> MAKERS = Set.of("<init>", "current", "getInstance", "getInstanceStrong");

    @Test
    void nothingReadsTimeOrLuckOrBorrowsSharedThreads() {
        List<String> violations = new ArrayList<>();
        for (JavaClass type : CompiledClasses.everything()) {
            boolean generated = type.getPackageName().endsWith(".jmh_generated");
            if (!generated && !isOrIsInside(type, CLOCK) && !isOrIsInside(type, EXAMPLES)) {
                violations.addAll(violations(type));
            }
        }
        assertThat(violations)
                .as("take a Clock, a RandomStream or an Executor as a constructor argument")
                .isEmpty();
    }

    @Test
    void aClockOfTheMachineIsMadeByTheWiringAndByBenchmarksOnly() {
        assertThat(CompiledClasses.product().stream()
                        .filter(type -> !type.getPackageName().startsWith("dev.portal.app"))
                        // The wiring of programs of their own.
                        .filter(type -> !type.getName().equals("dev.portal.llama.LlamaChild"))
                        .filter(type -> !type.getName().equals("dev.portal.llama.LlamaProbe"))
                        .flatMap(type -> type.getConstructorCallsFromSelf().stream())
                        .filter(call -> call.getTargetOwner().getName().equals(CLOCK))
                        .map(JavaAccess::getDescription))
                .isEmpty();
    }

    @Test
    void eachFormOfAForbiddenCallIsNoticed() {
        JavaClass examples = new ClassFileImporter()
                .importLocations(List.of(Location.of(Examples.class.getResource("BannedCallsTest$Examples.class"))))
                .get(Examples.class);
        assertThat(violations(examples)).hasSize(Examples.FORBIDDEN);
    }

    private static List<String> violations(JavaClass type) {
        return type.getAccessesFromSelf().stream()
                .filter(BannedCallsTest::banned)
                .map(JavaAccess::getDescription)
                .toList();
    }

    private static boolean banned(JavaAccess<?> access) {
        if (!(access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget target)) {
            return false;
        }
        String owner = target.getOwner().getName();
        String name = target.getName();
        if (METHODS.getOrDefault(owner, Set.of()).contains(name)) {
            // Collections.shuffle(list, random) is as good as its source.
            return !name.equals("shuffle") || target.getRawParameterTypes().size() == 1;
        }
        if (CLASSES.contains(owner)) {
            return MAKERS.contains(name);
        }
        if ((owner.startsWith("java.util.stream.") && name.equals("parallel")) || name.equals("parallelStream")) {
            return true;
        }
        // The Async methods without an executor run on the shared pool.
        return owner.equals("java.util.concurrent.CompletableFuture")
                && name.endsWith("Async")
                && target.getRawParameterTypes().stream()
                        .noneMatch(p -> p.getName().equals("java.util.concurrent.Executor"));
    }

    private static boolean isOrIsInside(JavaClass type, String name) {
        return type.getName().equals(name) || type.getName().startsWith(name + "$");
    }

    /** Calls that must be noticed, and some that must not. Never run. */
    static final class Examples {
        static final int FORBIDDEN = 5;

        private Examples() {}

        static long forbidden(List<Integer> list) {
            java.util.function.LongSupplier reference = System::nanoTime;
            long sum = reference.getAsLong() + new java.util.Random(1).nextInt();
            sum += list.parallelStream()
                    .mapToInt(i -> ThreadLocalRandom.current().nextInt())
                    .sum();
            var _ = CompletableFuture.runAsync(() -> {});
            return sum;
        }

        static void allowed(List<Integer> list, java.util.concurrent.Executor executor) {
            var _ = CompletableFuture.runAsync(() -> {}, executor);
            list.stream().sorted().forEach(i -> {});
        }
    }
}
