package dev.portal.llm.bridge;

import dev.portal.base.VirtualClock;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A bridge over scripted children in virtual time; the last script serves every further restart. */
final class Bench {
    final VirtualClock clock = new VirtualClock();
    final List<BridgeEvent> events = new ArrayList<>();
    final List<ScriptedProcess> children = new ArrayList<>();
    final List<Long> launchedAtNanos = new ArrayList<>();
    final List<String> tokens = new ArrayList<>();
    final LlmBridge bridge;

    private final ArrayDeque<Map<String, String>> scripts = new ArrayDeque<>();

    Bench(String... settings) {
        this(BridgeOptions.defaults(), settings);
    }

    Bench(BridgeOptions options, String... settings) {
        scripts.add(ScriptedBrain.script(settings));
        ChildCommand command = new ChildCommand(List.of("scripted"), Map.of(), Map.of(), "model", "scripted");
        bridge = new LlmBridge(
                (what, told) -> {
                    Map<String, String> script = scripts.size() > 1 ? scripts.removeFirst() : scripts.getFirst();
                    launchedAtNanos.add(clock.nanos());
                    children.add(new ScriptedProcess(clock, told, 100 + children.size(), script));
                    return children.getLast();
                },
                command,
                options,
                clock,
                events::add);
    }

    /** The script of the next child. */
    Bench then(String... settings) {
        scripts.add(ScriptedBrain.script(settings));
        return this;
    }

    /** Every further child is a good one. */
    void heal() {
        scripts.clear();
        scripts.add(ScriptedBrain.script());
    }

    Bench started() {
        bridge.start();
        bridge.awaitReady(Duration.ofSeconds(61));
        return this;
    }

    /** Forgets the tokens of the last request. */
    Bench fresh() {
        tokens.clear();
        return this;
    }

    /** Lets time pass with nobody but the supervisor at work. */
    void pass(Duration time) {
        bridge.supervisor().await(() -> false, clock.nanos() + time.toNanos());
    }

    void collect(int sequence, String text) {
        if (sequence != tokens.size()) {
            throw new AssertionError("token " + sequence + " after " + tokens);
        }
        tokens.add(text);
    }

    <E extends BridgeEvent> List<E> events(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    static Request ask(String id, String text) {
        return Request.greedy(id, List.of(new Message(Role.USER, text)), 64);
    }
}
