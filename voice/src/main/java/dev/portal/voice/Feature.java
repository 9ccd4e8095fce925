package dev.portal.voice;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The feature flags of the scheduling seed ("Feature Flag Architecture"), as configuration instead of conditional
 * compilation: {@code --features a,b} or {@code PORTAL_FEATURES}. A feature switches on what it implies. With none set,
 * {@link Voice} has no scheduler and its hooks do nothing.
 */
public enum Feature {
    /** {@link Voice} has an NPU scheduler. */
    NPU_SCHEDULER,
    /** Scheduler and QNN types. */
    QNN_SCHEDULER,
    /** VAD with the scheduler's hook. */
    QNN_VAD,
    /** The VITS voice as QNN graphs; brings the scheduler. */
    QNN_TTS,
    /** STT as QNN graphs. */
    QNN_STT,
    /** STT on the NPU through a library loaded at run time. */
    NPU_STT,
    /** Audio from and to the network. */
    NETWORK_AUDIO,
    /** The MiniLM intent matcher. */
    NLU_MINILM;

    private static final Map<Feature, Set<Feature>> IMPLIED = Map.of(QNN_TTS, Set.of(QNN_SCHEDULER));

    /** Named sets; {@code production} is the seed's production build. */
    private static final Map<String, Set<Feature>> PROFILES =
            Map.of("production", EnumSet.of(QNN_TTS, QNN_VAD, NPU_STT, NETWORK_AUDIO, NLU_MINILM));

    /** As it is written: {@code npu-scheduler}. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether one of these brings the scheduler. */
    public static boolean withScheduler(Set<Feature> features) {
        return features.contains(NPU_SCHEDULER) || features.contains(QNN_SCHEDULER);
    }

    /**
     * Reads a comma-separated list of flags and profile names, implications included.
     *
     * @throws IllegalArgumentException for a name that is neither; it lists those there are
     */
    public static Set<Feature> parse(String list) {
        Set<Feature> features = EnumSet.noneOf(Feature.class);
        for (String word : list.split(",")) {
            String name = word.strip();
            if (name.isEmpty()) {
                continue;
            }
            Set<Feature> named = PROFILES.get(name);
            if (named == null) {
                named = Set.of(byFlag(name));
            }
            features.addAll(named);
        }
        for (Feature feature : Set.copyOf(features)) {
            features.addAll(IMPLIED.getOrDefault(feature, Set.of()));
        }
        return features;
    }

    private static Feature byFlag(String name) {
        return Arrays.stream(values())
                .filter(f -> f.flag().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no feature or profile '" + name + "'; features: "
                        + Arrays.stream(values()).map(Feature::flag).collect(Collectors.joining(", "))
                        + "; profiles: " + String.join(", ", PROFILES.keySet())));
    }
}
