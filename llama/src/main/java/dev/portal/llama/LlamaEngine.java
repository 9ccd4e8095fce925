package dev.portal.llama;

import de.kherud.llama.InferenceParameters;
import de.kherud.llama.LlamaIterator;
import de.kherud.llama.LlamaModel;
import de.kherud.llama.ModelParameters;
import de.kherud.llama.Pair;
import de.kherud.llama.args.LogFormat;
import dev.portal.base.Clock;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.bridge.ChildServer.Answer;
import dev.portal.llm.bridge.ChildServer.Ask;
import dev.portal.llm.bridge.ChildServer.ChildException;
import dev.portal.llm.bridge.ChildServer.Control;
import dev.portal.llm.bridge.ChildServer.Engine;
import dev.portal.llm.bridge.ChildServer.Loaded;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * llama.cpp through its Java binding.
 *
 * <p>The binding decodes on a thread of its own and cannot hold, so a pause ends its task and keeps the KV cache; the
 * generation then goes on from prompt and text so far, of which the cache holds all. That is the same generation only
 * where the text so far reads back as the same tokens, so a pause waits for a token at which the counts agree, {@link
 * #LATEST_PAUSE} tokens at most. A sampled answer (temperature above 0) starts its random numbers anew.
 */
final class LlamaEngine implements Engine {
    private static final String TEMPLATE_KEY = "tokenizer.chat_template";
    /** Tokens that a pause may wait for an exact boundary. */
    private static final int LATEST_PAUSE = 8;

    private final int threads;
    private final Clock clock;
    private @Nullable LlamaModel model;
    private boolean ownTemplate;
    private int contextTokens;
    /** The first generation after a reset reads its whole prompt. */
    private boolean useCache = true;

    LlamaEngine(int threads, Clock clock) {
        this.threads = threads;
        this.clock = clock;
    }

    @Override
    public Loaded load(String file, int wantedContextTokens) throws ChildException {
        Map<String, String> texts;
        try {
            texts = GgufHeader.texts(Path.of(file));
        } catch (IOException e) {
            throw new ChildException(Kind.BACKEND.code(), "model '" + file + "': " + e.getMessage());
        }
        ownTemplate = texts.containsKey(TEMPLATE_KEY);
        contextTokens = wantedContextTokens;
        LlamaModel.setLogger(LogFormat.TEXT, (level, message) -> {
            switch (level) {
                case DEBUG, INFO -> {}
                case WARN, ERROR -> System.err.print(message);
            }
        });
        ModelParameters parameters = new ModelParameters()
                .setModel(file)
                .setCtxSize(wantedContextTokens)
                .setThreads(threads)
                .setGpuLayers(0)
                .setParallel(1)
                .skipWarmup()
                .disableContextShift();
        if (ownTemplate) {
            parameters.enableJinja();
        }
        try {
            model = new LlamaModel(parameters);
        } catch (RuntimeException e) {
            throw new ChildException(Kind.BACKEND.code(), "model '" + file + "': " + e.getMessage());
        }
        String name =
                texts.getOrDefault("general.name", Path.of(file).getFileName().toString());
        return new Loaded(name, wantedContextTokens, true, "de.kherud:llama 4.2.0");
    }

    @Override
    public void reset() {
        useCache = false;
    }

    @Override
    public Answer generate(Ask ask, Control control) throws ChildException {
        LlamaModel loaded = model;
        if (loaded == null) {
            throw new ChildException(Kind.NOT_READY.code(), "no model is loaded");
        }
        String asked = ask.prompt();
        String prompt =
                asked != null ? asked : ownTemplate ? render(loaded, ask) : PlainTemplate.render(ask.messages());
        int promptTokens = loaded.encode(prompt).length + 1;
        if (promptTokens > contextTokens - ask.maxTokens()) {
            throw new ChildException(
                    Kind.PROMPT_TOO_LONG.code(),
                    "the prompt has " + promptTokens + " tokens; with " + ask.maxTokens() + " to make, "
                            + (contextTokens - ask.maxTokens()) + " fit",
                    promptTokens);
        }
        try {
            return new Run(loaded, ask, control, prompt, promptTokens).go();
        } catch (RuntimeException e) {
            throw new ChildException(Kind.BACKEND.code(), String.valueOf(e.getMessage()));
        }
    }

    /** What the binding is asked next; reading it uses up a reset. */
    InferenceParameters parameters(Ask ask, String prompt, int tokens) {
        boolean cached = useCache;
        useCache = true;
        return new InferenceParameters(prompt)
                .setNPredict(tokens)
                .setTemperature((float) ask.temperature())
                .setTopP((float) ask.topP())
                .setTopK(ask.temperature() > 0 ? ask.topK() : 1)
                .setSeed((int) ask.seed())
                .setCachePrompt(cached)
                .setStopStrings(ask.stop().toArray(String[]::new));
    }

    private static String render(LlamaModel model, Ask ask) {
        List<Pair<String, String>> messages = new ArrayList<>();
        String system = "";
        for (Message message : ask.messages()) {
            String role = message.role().name().toLowerCase(Locale.ROOT);
            if (role.equals("system") && messages.isEmpty()) {
                system = system.isEmpty() ? message.text() : system + "\n" + message.text();
            } else {
                messages.add(new Pair<>(role, message.text()));
            }
        }
        return model.applyTemplate(new InferenceParameters("").setMessages(system, messages));
    }

    /** One generation, over as many tasks of the binding as it has pauses. */
    private final class Run {
        private final LlamaModel loaded;
        private final Ask ask;
        private final Control control;
        private final String prompt;
        private final int promptTokens;
        private final StringBuilder made = new StringBuilder();
        private final long beganNanos = clock.nanos();
        private int madeTokens;
        private long firstNanos;
        private long heldNanos;
        private boolean spoke;

        Run(LlamaModel loaded, Ask ask, Control control, String prompt, int promptTokens) {
            this.loaded = loaded;
            this.ask = ask;
            this.control = control;
            this.prompt = prompt;
            this.promptTokens = promptTokens;
        }

        Answer go() {
            boolean ended = false;
            while (!ended && madeTokens < ask.maxTokens() && !control.cancelled()) {
                ended = task();
                long held = clock.nanos();
                control.holdWhilePaused();
                heldNanos += clock.nanos() - held;
            }
            long firstUs = (firstNanos == 0 ? 0 : firstNanos - beganNanos) / 1000;
            long allUs = (clock.nanos() - beganNanos - heldNanos) / 1000;
            return new Answer(
                    ended ? "stop" : "length", promptTokens, madeTokens, 0, firstUs, firstUs, allUs - firstUs);
        }

        /** Runs one task of the binding; says whether the model was done. */
        private boolean task() {
            InferenceParameters parameters = parameters(ask, prompt + made, ask.maxTokens() - madeTokens);
            LlamaIterator pieces = loaded.generate(parameters).iterator();
            int waited = 0;
            while (pieces.hasNext()) {
                String text = pieces.next().text;
                if (!text.isEmpty()) {
                    take(text);
                }
                boolean pause = control.pauseRequested() && (exact() || ++waited > LATEST_PAUSE);
                if (pieces.hasNext() && (control.cancelled() || pause)) {
                    pieces.cancel();
                    return false;
                }
            }
            return madeTokens < ask.maxTokens();
        }

        private void take(String text) {
            if (firstNanos == 0) {
                firstNanos = clock.nanos();
            }
            madeTokens++;
            made.append(text);
            // The blank that stands between "bot:" and the answer is part of the format.
            String spoken = spoke ? text : text.stripLeading();
            if (!spoken.isEmpty()) {
                spoke = true;
                control.token(spoken);
            }
        }

        /** Whether prompt and text so far read back as just the tokens that were made. */
        private boolean exact() {
            return loaded.encode(prompt + made).length + 1 == promptTokens + madeTokens;
        }
    }
}
