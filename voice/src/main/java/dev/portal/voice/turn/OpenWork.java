package dev.portal.voice.turn;

import dev.portal.voice.turn.Signal.Stage;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which stages still work for which turn, those that were cancelled included. */
final class OpenWork {
    private final Map<Long, EnumSet<Stage>> open = new HashMap<>();
    private final Set<Long> cancelled = new HashSet<>();

    void begin(long turn, Stage stage) {
        open.computeIfAbsent(turn, t -> EnumSet.noneOf(Stage.class)).add(stage);
    }

    boolean has(long turn, Stage stage) {
        return open.getOrDefault(turn, EnumSet.noneOf(Stage.class)).contains(stage);
    }

    /** Notes that a stage has ended; true when that was the last work of a cancelled turn. */
    boolean end(long turn, Stage stage) {
        EnumSet<Stage> stages = open.get(turn);
        if (stages == null || !stages.remove(stage)) {
            return false;
        }
        if (stages.isEmpty()) {
            open.remove(turn);
        }
        return stages.isEmpty() && cancelled.remove(turn);
    }

    /** Notes that a turn is over; true when nothing works for it any more. */
    boolean cancel(long turn) {
        if (open.containsKey(turn)) {
            cancelled.add(turn);
            return false;
        }
        return true;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }
}
