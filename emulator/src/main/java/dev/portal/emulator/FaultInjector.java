package dev.portal.emulator;

import dev.portal.base.Clock;
import dev.portal.base.RandomStream;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Asks a {@link FaultPlan} at each occasion whether something goes wrong. Each kind draws from its own random stream, so
 * that one more occasion of one kind does not shift another. Not synchronised: the device's lock guards it.
 */
public final class FaultInjector {
    private final FaultPlan plan;
    private final Clock clock;
    private final RandomStream root;
    private final Map<FaultPlan.Kind, RandomStream> random = new EnumMap<>(FaultPlan.Kind.class);
    private final Map<FaultPlan.Kind, Long> occasions = new EnumMap<>(FaultPlan.Kind.class);
    private final boolean[] spent;
    private boolean healed;

    public FaultInjector(FaultPlan plan, Clock clock, RandomStream random) {
        this.plan = plan;
        this.clock = clock;
        this.root = random;
        this.spent = new boolean[plan.faults().size()];
    }

    /** Whether {@code kind} goes wrong now; counts the occasion. */
    public Optional<FaultPlan.Fault> at(FaultPlan.Kind kind) {
        if (spent.length == 0) {
            return Optional.empty();
        }
        long occasion = occasions.merge(kind, 1L, Long::sum);
        for (int i = 0; i < spent.length; i++) {
            FaultPlan.Fault fault = plan.faults().get(i);
            if (fault.kind() == kind && fires(i, fault.trigger(), kind, occasion) && !healed) {
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }

    private boolean fires(int index, FaultPlan.Trigger trigger, FaultPlan.Kind kind, long occasion) {
        return switch (trigger) {
            case FaultPlan.Trigger.Count(long first, long times) -> occasion >= first && occasion < first + times;
            case FaultPlan.Trigger.At(long nanos) -> {
                boolean now = !spent[index] && clock.nanos() >= nanos;
                spent[index] |= now;
                yield now;
            }
            case FaultPlan.Trigger.Ratio(double probability) ->
                random.computeIfAbsent(kind, _ -> root.derive(kind.name())).nextDouble() < probability;
        };
    }

    /** Lifts every fault: from now on nothing goes wrong. */
    public void heal() {
        healed = true;
    }
}
