package dev.portal.app.doctor;

import dev.portal.app.hexagon.ShellManifest;
import dev.portal.base.Clock;
import dev.portal.hexagon.HexagonException.ShellRefused;
import dev.portal.hexagon.HexagonFindings;
import dev.portal.hexagon.ShellPolicy;
import dev.portal.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The Hexagon DSP: what {@link HexagonFindings} learns from node, driver and shell, joined with what the nodes' owners and
 * modes say. Where only permission is missing, the nodes say it better: they know the group.
 */
final class HexagonChecks {
    private static final String TOPIC = "hexagon";

    private final Kernel kernel;
    private final Kernel files;
    private final Clock clock;

    /**
     * Of a machine.
     *
     * @param files of the shell and its manifest
     */
    HexagonChecks(Kernel kernel, Kernel files, Clock clock) {
        this.kernel = kernel;
        this.files = files;
        this.clock = clock;
    }

    /** @param nodes findings about nodes; those about the DSP that the driver knows better are left out */
    List<Finding> examine(List<Finding> nodes) {
        List<Finding> findings = new ArrayList<>(nodes);
        boolean denied =
                findings.stream().anyMatch(node -> node.topic().equals(TOPIC) && node.level() == Finding.Level.MISSING);
        Optional<ShellPolicy> policy = Optional.empty();
        try {
            policy = ShellManifest.installed(files);
        } catch (ShellRefused e) {
            findings.add(Finding.missing(
                    TOPIC,
                    String.valueOf(e.getMessage()),
                    "install " + ShellManifest.PATH + " as docs/hexagon.md says"));
        }
        for (HexagonFindings.Finding found : HexagonFindings.examine(kernel, files, clock, policy)) {
            if (!(found.permission() && denied)) {
                findings.add(new Finding(level(found.level()), TOPIC, found.text(), found.fix()));
            }
        }
        return findings;
    }

    private static Finding.Level level(HexagonFindings.Level level) {
        return switch (level) {
            case GOOD -> Finding.Level.OK;
            case ABSENT -> Finding.Level.NOTE;
            case RESTRICTED -> Finding.Level.WARNING;
            case UNUSABLE -> Finding.Level.MISSING;
        };
    }
}
