package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Every board experiment of high confidence is a test, or a divergence that is written down. */
class ExperimentCoverageTest {
    private static Map<String, String> covered() throws IOException {
        try (var in = Objects.requireNonNull(ExperimentCoverageTest.class.getResourceAsStream("experiments.txt"))) {
            Map<String, String> covered = new HashMap<>();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t"))
                    .forEach(row -> covered.put(row[0], row[1]));
            return covered;
        }
    }

    @Test
    void everyExperimentOfHighConfidenceIsCovered() throws IOException {
        Map<String, String> covered = covered();
        Map<String, Integer> numbers = new HashMap<>();
        List<String> missing = new ArrayList<>();
        for (String line : Golden.lines("silicon/experiments.tsv")) {
            String[] f = line.split("\t", -1);
            String key = f[0] + "#" + numbers.merge(f[0], 1, Integer::sum);
            if (f[6].equals("high") && !covered.containsKey(key)) {
                missing.add(key + ": " + f[1]);
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void theTestsThatAreNamedExist() throws Exception {
        for (Map.Entry<String, String> entry : covered().entrySet()) {
            if (!entry.getValue().startsWith("divergence: ")) {
                String[] name = entry.getValue().split("\\.");
                Class<?> test = Class.forName(getClass().getPackageName() + "." + name[0]);
                assertThat(Arrays.stream(test.getDeclaredMethods()).map(method -> method.getName()))
                        .as(entry.getKey())
                        .contains(name[1]);
            }
        }
    }
}
