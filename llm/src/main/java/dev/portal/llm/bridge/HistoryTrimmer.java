package dev.portal.llm.bridge;

import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Role;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a conversation fit the context by leaving out its oldest turns (protocol rule 8). The child's own counts decide:
 * each one teaches how many tokens a byte of conversation costs, and a prompt that it still refuses is cut further. The
 * system's words and the last message always stay. Not safe for use by several threads.
 */
final class HistoryTrimmer {
    /** Before the child has counted anything. Low, since the child refuses what is too long and never loses a turn. */
    private static final double FIRST_TOKENS_PER_BYTE = 0.25;

    /** What is sent, and what is not; both oldest first. */
    record Fit(List<Message> kept, List<Message> dropped) {}

    private double tokensPerByte = FIRST_TOKENS_PER_BYTE;

    /** The child counted {@code tokens} for these messages. */
    void learn(List<Message> messages, int tokens) {
        long bytes = bytes(messages);
        if (bytes > 0 && tokens > 0) {
            tokensPerByte = (double) tokens / bytes;
        }
    }

    /** Leaves out as many turns as the counts so far ask for. */
    Fit fit(List<Message> messages, int budgetTokens) {
        List<Message> kept = new ArrayList<>(messages);
        List<Message> dropped = new ArrayList<>();
        while (bytes(kept) * tokensPerByte > budgetTokens && dropOldest(kept, dropped)) {
            // One turn less.
        }
        return new Fit(kept, dropped);
    }

    /** Leaves out at least one turn more; the result drops nothing when nothing can be spared. */
    Fit cut(List<Message> messages, int budgetTokens) {
        List<Message> kept = new ArrayList<>(messages);
        List<Message> dropped = new ArrayList<>();
        if (dropOldest(kept, dropped)) {
            Fit rest = fit(kept, budgetTokens);
            dropped.addAll(rest.dropped());
            return new Fit(rest.kept(), dropped);
        }
        return new Fit(kept, dropped);
    }

    /** Drops the oldest message that may go, and the answers to it, so that no history begins with an answer. */
    private static boolean dropOldest(List<Message> kept, List<Message> dropped) {
        int first = 0;
        while (first < kept.size() && kept.get(first).role() == Role.SYSTEM) {
            first++;
        }
        if (first >= kept.size() - 1) {
            return false;
        }
        do {
            dropped.add(kept.remove(first));
        } while (first < kept.size() - 1 && kept.get(first).role() == Role.ASSISTANT);
        return true;
    }

    private static long bytes(List<Message> messages) {
        long bytes = 0;
        for (Message message : messages) {
            bytes += message.text().getBytes(StandardCharsets.UTF_8).length;
        }
        return bytes;
    }
}
