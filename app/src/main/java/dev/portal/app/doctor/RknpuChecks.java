package dev.portal.app.doctor;

import dev.portal.base.Clock;
import dev.portal.kernel.Kernel;
import dev.portal.rknpu.RknpuFindings;
import java.util.ArrayList;
import java.util.List;

/**
 * The RK3588's NPU: what {@link RknpuFindings} learns from the drivers themselves, joined with what the nodes' owners and
 * modes say. Where only permission is missing, the nodes say it better: they know the group.
 */
final class RknpuChecks {
    private static final String TOPIC = "rk3588";

    private final Kernel kernel;
    private final Clock clock;

    RknpuChecks(Kernel kernel, Clock clock) {
        this.kernel = kernel;
        this.clock = clock;
    }

    /** @param nodes findings about nodes; those about this NPU that the driver knows better are left out */
    List<Finding> examine(List<Finding> nodes) {
        List<Finding> findings = new ArrayList<>(nodes);
        findings.removeIf(node -> node.topic().equals(TOPIC) && node.level() == Finding.Level.OK);
        boolean denied =
                findings.stream().anyMatch(node -> node.topic().equals(TOPIC) && node.level() == Finding.Level.MISSING);
        for (RknpuFindings.Finding found : RknpuFindings.examine(kernel, clock)) {
            if (!(found.permission() && denied)) {
                findings.add(finding(found));
            }
        }
        return findings;
    }

    private static Finding finding(RknpuFindings.Finding found) {
        return new Finding(level(found.level()), TOPIC, found.text(), found.fix());
    }

    private static Finding.Level level(RknpuFindings.Level level) {
        return switch (level) {
            case GOOD -> Finding.Level.OK;
            case ABSENT -> Finding.Level.NOTE;
            case RESTRICTED -> Finding.Level.WARNING;
            case UNUSABLE -> Finding.Level.MISSING;
        };
    }
}
