package dev.portal.llm.bridge;

import dev.portal.base.SystemClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A parent that dies without closing its bridge; prints its child's process number first. */
final class OrphanMain {
    private OrphanMain() {}

    public static void main(String[] command) {
        LlmBridge bridge = LlmBridge.open(
                new ChildCommand(List.of(command), Map.of(), Map.of(), "model", "scripted"),
                BridgeOptions.defaults(),
                new SystemClock(),
                event -> {
                    if (event instanceof BridgeEvent.Started started) {
                        System.out.println(started.pid());
                    }
                });
        bridge.awaitReady(Duration.ofSeconds(60));
        Runtime.getRuntime().halt(0);
    }
}
