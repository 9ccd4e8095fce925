package dev.portal.voice.turn;

import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Role;
import java.util.ArrayList;
import java.util.List;

/** The last things said, as the user heard them. */
final class ChatHistory {
    private final String systemPrompt;
    private final int limit;
    private final List<Message> messages = new ArrayList<>();

    /** Takes the first message of every request, empty for none, and how many messages are kept. */
    ChatHistory(String systemPrompt, int limit) {
        this.systemPrompt = systemPrompt;
        this.limit = limit;
    }

    /** Remembers a question and what was heard of its answer. */
    void add(String question, String heard) {
        messages.add(new Message(Role.USER, question));
        messages.add(new Message(Role.ASSISTANT, heard));
        while (messages.size() > limit) {
            messages.removeFirst();
        }
    }

    /** What to send to the language model for the next question. */
    List<Message> request(String question) {
        List<Message> request = new ArrayList<>();
        if (!systemPrompt.isEmpty()) {
            request.add(new Message(Role.SYSTEM, systemPrompt));
        }
        request.addAll(messages);
        request.add(new Message(Role.USER, question));
        return request;
    }

    List<Message> messages() {
        return List.copyOf(messages);
    }
}
