package dev.portal.llm.decoder;

import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufMetadata;
import dev.portal.llm.tokenizer.Tokenizer;
import dev.portal.llm.tokenizer.Vocabulary;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The form in which a family was taught conversations. The template in the file says which one it is by its markers; it
 * is not run. Immutable.
 */
final class ChatTemplate {
    private enum Form {
        /** {@code <|im_start|>user\nTEXT<|im_end|>\n}: Qwen, SmolLM. */
        CHAT_ML,
        /** {@code <|start_header_id|>user<|end_header_id|>\n\nTEXT<|eot_id|>}: Llama 3. */
        LLAMA_3,
        /** {@code [INST] TEXT [/INST] ANSWER </s>}: Llama 2, TinyLlama chat of that form. */
        LLAMA_2,
        /** {@code user: TEXT\nbot: ANSWER</s>}: the tiny assistant. */
        PLAIN
    }

    private static final Pattern DEFAULT_SYSTEM =
            Pattern.compile("<\\|im_start\\|>system(?:\\\\n|\\n)([^'\"{}<]+?)(?:\\\\n)?<\\|im_end\\|>");

    /** The date is the template's own for when it cannot ask for one. */
    private static final String DATES = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";

    private final Form form;
    /** What ChatML says when there is no system message; empty for nothing. */
    private final String defaultSystem;
    /** Llama 3.1 and later open with the dates. */
    private final boolean dates;

    private final boolean thoughts;

    private ChatTemplate(Form form, String template) {
        this.form = form;
        Matcher system = DEFAULT_SYSTEM.matcher(template);
        defaultSystem = form == Form.CHAT_ML && system.find() ? system.group(1) : "";
        dates = template.contains("Cutting Knowledge Date");
        thoughts = template.contains("</think>");
    }

    /**
     * The form of a file.
     *
     * @throws GgufException when the template is none of those that are known here
     */
    static ChatTemplate of(GgufMetadata keys, Vocabulary vocabulary) {
        String template = keys.text("tokenizer.chat_template").orElse("");
        if (template.contains("<|im_start|>")) {
            return new ChatTemplate(Form.CHAT_ML, template);
        }
        if (template.contains("<|start_header_id|>")) {
            return new ChatTemplate(Form.LLAMA_3, template);
        }
        if (template.contains("[INST]")) {
            return new ChatTemplate(Form.LLAMA_2, template);
        }
        if (template.contains("user: ") && template.contains("bot:")) {
            return new ChatTemplate(Form.PLAIN, template);
        }
        if (!template.isEmpty()) {
            throw new GgufException("key 'tokenizer.chat_template' is none of ChatML, Llama 3, Llama 2 or 'user:/bot:';"
                    + " --engine llama.cpp runs other templates");
        }
        // A base model: the form that its vocabulary has markers for.
        boolean markers = vocabulary.find("<|im_start|>") != Vocabulary.NONE;
        return new ChatTemplate(markers ? Form.CHAT_ML : Form.PLAIN, "");
    }

    /** The tokens of a conversation up to where the next answer begins. Control tokens come from the form alone. */
    int[] tokens(Tokenizer tokenizer, List<Message> messages) {
        Text text = new Text();
        switch (form) {
            case CHAT_ML -> chatMl(text, messages);
            case LLAMA_3 -> llama3(text, messages);
            case LLAMA_2 -> llama2(text, messages);
            case PLAIN -> plain(text, messages);
        }
        byte[] bytes = text.all.toString().getBytes(StandardCharsets.UTF_8);
        return tokenizer.encode(bytes, true, text.markup::get);
    }

    private void chatMl(Text text, List<Message> messages) {
        if (!defaultSystem.isEmpty()
                && (messages.isEmpty() || messages.getFirst().role() != Role.SYSTEM)) {
            text.markup("<|im_start|>system\n").plain(defaultSystem).markup("<|im_end|>\n");
        }
        for (Message message : messages) {
            text.markup("<|im_start|>" + name(message) + "\n")
                    .plain(said(message))
                    .markup("<|im_end|>\n");
        }
        text.markup("<|im_start|>assistant\n");
    }

    private void llama3(Text text, List<Message> messages) {
        boolean system = !messages.isEmpty() && messages.getFirst().role() == Role.SYSTEM;
        if (dates) {
            text.markup("<|start_header_id|>system<|end_header_id|>\n\n" + DATES)
                    .plain(system ? messages.getFirst().text().strip() : "")
                    .markup("<|eot_id|>");
        }
        for (Message message : dates && system ? messages.subList(1, messages.size()) : messages) {
            text.markup("<|start_header_id|>" + name(message) + "<|end_header_id|>\n\n")
                    .plain(message.text().strip())
                    .markup("<|eot_id|>");
        }
        text.markup("<|start_header_id|>assistant<|end_header_id|>\n\n");
    }

    private static void llama2(Text text, List<Message> messages) {
        String system = "";
        boolean first = true;
        for (Message message : messages) {
            switch (message.role()) {
                case SYSTEM -> system = message.text().strip();
                case USER -> {
                    text.markup(first ? "[INST] " : "<s>[INST] ");
                    if (!system.isEmpty()) {
                        text.markup("<<SYS>>\n").plain(system).markup("\n<</SYS>>\n\n");
                        system = "";
                    }
                    text.plain(message.text().strip()).markup(" [/INST]");
                    first = false;
                }
                case ASSISTANT -> text.plain(" " + message.text().strip() + " ").markup("</s>");
            }
        }
    }

    /** System messages have no place in this form and are left out. */
    private static void plain(Text text, List<Message> messages) {
        for (Message message : messages) {
            switch (message.role()) {
                case SYSTEM -> {}
                case USER -> text.markup("user: ").plain(message.text()).markup("\nbot:");
                case ASSISTANT -> text.plain(" " + message.text()).markup("</s><s>");
            }
        }
    }

    private static String name(Message message) {
        return message.role().name().toLowerCase(Locale.ROOT);
    }

    /** Qwen 3 forgets what it thought before an answer. */
    private String said(Message message) {
        int end = message.text().lastIndexOf("</think>");
        return thoughts && message.role() == Role.ASSISTANT && end >= 0
                ? message.text().substring(end + 8).stripLeading()
                : message.text();
    }

    /** Text of which it is known, byte by byte, what is markup. */
    private static final class Text {
        private final StringBuilder all = new StringBuilder();
        private final BitSet markup = new BitSet();
        private int bytes;

        Text markup(String text) {
            int from = bytes;
            plain(text);
            markup.set(from, bytes);
            return this;
        }

        Text plain(String text) {
            all.append(text);
            bytes += text.getBytes(StandardCharsets.UTF_8).length;
            return this;
        }
    }
}
