package dev.portal.app;

import dev.portal.app.trace.PerfettoTrace;
import dev.portal.llm.LanguageModel;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Reply;
import dev.portal.llm.LanguageModel.Request;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.llm.LanguageModel.Timings;
import dev.portal.llm.LlmException;
import dev.portal.llm.decoder.Grammar;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code portal chat}: the language model alone, streaming. Replies on standard output, figures on standard error. */
@Command(name = "chat", description = "Talks to the language model, line by line.", mixinStandardHelpOptions = true)
final class ChatCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private EngineOptions engines;

    @Option(names = "--prompt", paramLabel = "TEXT", description = "one question; the reply alone is printed")
    private @Nullable String prompt;

    @Option(names = "--system", paramLabel = "TEXT", description = "what the model is told before the conversation")
    private @Nullable String system;

    @Option(names = "--greedy", description = "always the likeliest token, whatever the other choices say")
    private boolean greedy;

    @Option(
            names = "--temperature",
            defaultValue = "0.7",
            description = "above 1 makes unlikely tokens likelier; 0 is --greedy (${DEFAULT-VALUE})")
    private double temperature;

    @Option(
            names = "--max-tokens",
            defaultValue = "128",
            description = "at most so many tokens a reply (${DEFAULT-VALUE})")
    private int maxTokens;

    @Option(names = "--seed", defaultValue = "1", description = "of the sampling (${DEFAULT-VALUE})")
    private long seed;

    @Option(names = "--top-k", defaultValue = "0", description = "this many of the likeliest tokens; 0 for all")
    private int topK;

    @Option(
            names = "--top-p",
            defaultValue = "0.95",
            description = "the fewest tokens that together are as likely as this (${DEFAULT-VALUE})")
    private double topP;

    @Option(names = "--min-p", defaultValue = "0", description = "tokens at least this part as likely as the likeliest")
    private double minP;

    @Option(
            names = "--repeat-penalty",
            defaultValue = "1",
            description = "above 1 makes what was said less likely (${DEFAULT-VALUE})")
    private double repetition;

    @Option(names = "--grammar", paramLabel = "FILE", description = "GBNF rules that every answer keeps")
    private @Nullable Path grammar;

    @Option(names = "--trace", paramLabel = "FILE", description = "write the lanes, and NPU and CPU, for Perfetto")
    private @Nullable Path trace;

    private final List<Message> history = new ArrayList<>();
    private int asked;

    @Override
    public Integer call() throws Exception {
        check("--max-tokens", maxTokens, maxTokens >= 1, "1 or more");
        check("--temperature", temperature, temperature >= 0, "0 or more");
        check("--top-p", topP, topP > 0 && topP <= 1, "above 0 to 1");
        check("--top-k", topK, topK >= 0, "0 or more");
        check("--min-p", minP, minP >= 0 && minP <= 1, "0 to 1");
        check("--repeat-penalty", repetition, repetition > 0, "above 0");
        engines.splitTraced = trace != null;
        engines.answerRules = new AnswerRules(minP, repetition, rules());
        try (Wiring wiring = new Wiring(Settings.ofThisProcess(), engines, event -> {}, this::note)) {
            LanguageModel model = wiring.voice().languageModel();
            String chosen = model.name();
            boolean choice = engines.npuShare == null && chosen.contains("(npu, ");
            if (choice) {
                note(chosen);
            }
            if (system != null) {
                history.add(new Message(Role.SYSTEM, system));
            }
            if (prompt == null) {
                converse(model);
            } else {
                ask(model, prompt);
            }
            if (choice && !model.name().equals(chosen)) {
                note("not as planned: " + model.name());
            }
            if (trace != null) {
                PerfettoTrace.write(trace, wiring.recorder().jobs(), List.of(), wiring.splitGroups());
            }
            return 0;
        } catch (LlmException e) {
            throw new Failure(e.kind() + ": " + e.getMessage());
        }
    }

    private static void check(String option, Number value, boolean possible, String range) {
        if (!possible) {
            throw Failure.usage(option + " " + value + "; " + range + " is possible");
        }
    }

    private void note(String line) {
        spec.commandLine().getErr().println("portal: " + line);
    }

    private @Nullable Grammar rules() throws IOException {
        if (grammar == null) {
            return null;
        }
        try {
            return Grammar.parse(Files.readString(grammar));
        } catch (IllegalArgumentException e) {
            throw new Failure(grammar + ": " + e.getMessage());
        }
    }

    private void converse(LanguageModel model) throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        boolean terminal = Boolean.getBoolean("portal.terminal");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (terminal) {
            err.println(model.name() + "; an empty line ends the conversation");
        }
        while (true) {
            if (terminal) {
                err.print("> ");
                err.flush();
            }
            String line = lines.readLine();
            if (line == null || line.isBlank()) {
                return;
            }
            ask(model, line.strip());
        }
    }

    private void ask(LanguageModel model, String text) {
        PrintWriter out = spec.commandLine().getOut();
        history.add(new Message(Role.USER, text));
        Request request = new Request(
                "chat-" + asked++,
                history,
                maxTokens,
                greedy ? 0 : temperature,
                greedy ? 1 : topP,
                topK,
                List.of(),
                seed);
        Reply reply = model.generate(request, (sequence, piece) -> {
            out.print(sequence == 0 ? piece.stripLeading() : piece);
            out.flush();
        });
        out.println();
        out.flush();
        history.removeAll(reply.dropped());
        history.add(new Message(Role.ASSISTANT, reply.text().strip()));
        if (!reply.dropped().isEmpty()) {
            note("the context is full: " + reply.dropped().size() + " of the oldest messages were left out; --context"
                    + " makes room for more");
        }
        if (reply.finish() == FinishReason.LENGTH) {
            note("the reply is cut short by --max-tokens " + maxTokens + " or --context " + engines.context);
        }
        Timings timings = reply.timings();
        if (timings != null) {
            double seconds = timings.decodeUs() / 1e6;
            spec.commandLine()
                    .getErr()
                    .println(String.format(
                            Locale.ROOT,
                            "%d tokens, %.0f a second, first after %.1f ms (host), NPU's share %.0f %%",
                            reply.completionTokens(),
                            seconds > 0 ? reply.completionTokens() / seconds : 0,
                            timings.firstTokenUs() / 1000.0,
                            100 * model.npuShare()));
        }
    }
}
