package dev.portal.llama;

import dev.portal.llm.LanguageModel.Message;
import java.util.List;

/**
 * The conversation format of a model whose file brings none, as the tiny assistant was trained on it:
 *
 * <pre>
 * user: turn on the light
 * bot: okay, the light is now on.&lt;/s&gt;&lt;s&gt;user: …
 * bot:
 * </pre>
 */
final class PlainTemplate {
    private PlainTemplate() {}

    /** The prompt for the answer to the last message. System messages have no place in the format and are left out. */
    static String render(List<Message> messages) {
        StringBuilder prompt = new StringBuilder();
        for (Message message : messages) {
            switch (message.role()) {
                case SYSTEM -> {}
                case USER -> prompt.append("user: ").append(message.text()).append("\nbot:");
                case ASSISTANT -> prompt.append(' ').append(message.text()).append("</s><s>");
            }
        }
        return prompt.toString();
    }
}
