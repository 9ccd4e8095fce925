package dev.portal.llm.decoder;

import dev.portal.base.Clock;
import dev.portal.llm.Generation;
import dev.portal.llm.LlmException;
import dev.portal.llm.LlmException.Kind;
import dev.portal.llm.ResumableModel;
import dev.portal.llm.gguf.GgufException;
import dev.portal.llm.gguf.GgufFile;
import dev.portal.llm.tokenizer.Tokenizer;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.Preemption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A language model decoded in this process. A generation reads its prompt in pieces and makes one token after the other;
 * between two of these steps it can be interrupted, resumed, or cancelled. What a conversation has in common with the one
 * before stays in the cache and is not read again.
 *
 * <p>One request at a time; a second is refused as busy, since queueing is the arbiter's work. The model owns its file,
 * back end and team. Closing while a generation runs waits for its step.
 */
public final class LocalModel implements ResumableModel {
    private static final long WARM_UP_NANOS = 200_000_000;

    private final String name;
    private final GgufFile file;
    private final Tokenizer tokenizer;
    private final ChatTemplate template;
    private final LocalOptions options;
    private final Backend backend;
    private final Team team;
    private final Clock clock;
    private final LlamaDecoder decoder;
    private final ModelShape shape;
    /** The tokens whose keys and values are in the cache, as many as it is long. Touched by the running generation. */
    private final int[] cached;

    private final int[] ends;

    private final Object lock = new Object();
    /** The request that has the model; guarded by the lock. */
    private @Nullable LocalGeneration current;

    private boolean closed;
    private boolean released;
    private int piece;
    private long segmentNanos = NpuJob.UNDECLARED;

    private LocalModel(
            Path path,
            GgufFile file,
            LocalOptions options,
            Clock clock,
            Team team,
            Kernels kernels,
            Backend.Factory make) {
        this.file = file;
        this.options = options;
        this.clock = clock;
        this.team = team;
        shape = ModelShape.of(file);
        tokenizer = Tokenizer.of(file.metadata());
        if (tokenizer.vocabulary().size() != shape.vocabulary()) {
            throw new GgufException(
                    "key 'tokenizer.ggml.tokens' has " + tokenizer.vocabulary().size()
                            + " tokens, and tensor 'token_embd.weight' has " + shape.vocabulary());
        }
        template = ChatTemplate.of(file.metadata(), tokenizer.vocabulary());
        int context = Math.min(options.contextTokens(), shape.context());
        int batch = Math.min(options.batchTokens(), context);
        long cacheBytes = KvCache.bytes(shape, context);
        long heap = Runtime.getRuntime().maxMemory();
        if (cacheBytes > Math.min(heap, options.freeBytes())) {
            throw new LlmException(
                    Kind.OUT_OF_MEMORY,
                    "the cache for " + context + " positions needs " + (cacheBytes >> 20) + " MiB of "
                            + (Math.min(heap, options.freeBytes()) >> 20)
                            + " MiB; ask for a smaller context, or raise -Xmx in PORTAL_JAVA_OPTS");
        }
        CpuScratch scratch = new CpuScratch(team, kernels, batch, shape.longestRow());
        backend = make.open(scratch, options.freeBytes() - cacheBytes);
        try {
            ModelWeights weights = ModelWeights.of(file, shape, backend::group);
            decoder = new LlamaDecoder(shape, weights, new KvCache(shape, context), team, kernels, batch);
        } catch (RuntimeException | Error e) {
            backend.close();
            throw e;
        }
        cached = new int[context];
        ends = tokenizer.vocabulary().ends();
        piece = batch;
        name = "jvm " + file.metadata().text("general.name").orElse(String.valueOf(path.getFileName()));
    }

    /**
     * Opens a GGUF file. The team is the model's from then on.
     *
     * @param make where the matrices are computed
     * @throws IOException when the file cannot be read
     * @throws GgufException when it is broken or foreign
     * @throws LlmException out of memory, when the model or its cache does not fit
     */
    public static LocalModel open(
            Path path, LocalOptions options, Clock clock, Team team, Kernels kernels, Backend.Factory make)
            throws IOException {
        try {
            GgufFile file = GgufFile.open(path);
            try {
                LocalModel model = new LocalModel(path, file, options, clock, team, kernels, make);
                model.warmUp();
                return model;
            } catch (GgufException e) {
                file.close();
                throw new GgufException(path.getFileName() + ": " + e.getMessage());
            } catch (RuntimeException | Error e) {
                file.close();
                throw e;
            }
        } catch (IOException | RuntimeException | Error e) {
            team.close();
            throw e;
        }
    }

    /** Measures the time between two looks at the preempt flag, for the declared segment and the size of pieces. */
    private void warmUp() {
        int[] tokens = new int[decoder.batch()];
        Looks looks = new Looks(clock);
        long began = clock.nanos();
        long pieceNanos = 0;
        // A back end settles a bounded number of times.
        boolean settling = true;
        for (int round = 0; settling || (round < 8 && (round < 2 || clock.nanos() - began < WARM_UP_NANOS)); round++) {
            decoder.cache().truncate(0);
            looks.restart();
            advance(tokens, tokens.length, looks);
            pieceNanos = looks.longest;
            if (decoder.cache().length() < decoder.cache().capacity()) {
                advance(tokens, 1, looks);
            }
            settling = backend.settle();
        }
        decoder.cache().truncate(0);
        long perToken = Math.max(1, pieceNanos / tokens.length);
        piece = Math.clamp(options.segmentNanos() / perToken, 1, decoder.batch());
        segmentNanos = 2 * looks.longest;
    }

    private void advance(int[] tokens, int count, Looks looks) {
        decoder.begin(tokens, 0, count, true);
        while (!decoder.advance(looks)) {
            // Looks ask for nothing.
        }
        var _ = looks.requested();
    }

    /** Asks for nothing, and remembers the longest time between two looks. */
    private static final class Looks implements Preemption {
        private final Clock clock;
        private long last;
        private long longest;

        Looks(Clock clock) {
            this.clock = clock;
        }

        void restart() {
            longest = 0;
            last = clock.nanos();
        }

        @Override
        public boolean requested() {
            long now = clock.nanos();
            longest = Math.max(longest, now - last);
            last = now;
            return false;
        }
    }

    @Override
    public String name() {
        return name + " (" + backend.name() + ")";
    }

    /** Twice the longest time between two looks, as measured when the model was opened; undeclared where time stood still. */
    @Override
    public long segmentNanos() {
        return segmentNanos;
    }

    @Override
    public double npuShare() {
        return backend.npuShare();
    }

    /** What the file's keys say. */
    public ModelShape shape() {
        return shape;
    }

    public Tokenizer tokenizer() {
        return tokenizer;
    }

    @Override
    public Reply generate(Request request, TokenSink tokens) {
        return start(request).run(tokens, Preemption.NEVER).orElseThrow();
    }

    @Override
    public Generation start(Request request) {
        Sampling sampling = sampling(request);
        synchronized (lock) {
            if (closed) {
                throw new LlmException(Kind.NOT_READY, "the model is closed");
            }
            if (current != null) {
                throw new LlmException(
                        Kind.BUSY,
                        "'" + current.id() + "' is being answered; cancel it, or submit '" + request.id()
                                + "' through the arbiter, which queues");
            }
            List<Message> dropped = new ArrayList<>();
            int[] prompt = prompt(request, dropped);
            var _ = backend.settle();
            Sampler sampler = new Sampler(sampling, tokenizer, shape.vocabulary());
            current = new LocalGeneration(this, request, prompt, dropped, sampler);
            return current;
        }
    }

    private Sampling sampling(Request request) {
        try {
            return new Sampling(
                    request.temperature(),
                    request.topK(),
                    request.topP(),
                    options.minP(),
                    options.repetition(),
                    64,
                    request.seed(),
                    options.grammar());
        } catch (IllegalArgumentException e) {
            throw new LlmException(Kind.BACKEND, "'" + request.id() + "': " + e.getMessage(), e);
        }
    }

    /** The tokens of a conversation; the oldest messages go until the answer has room as well. */
    private int[] prompt(Request request, List<Message> dropped) {
        int context = decoder.cache().capacity();
        List<Message> messages = new ArrayList<>(request.messages());
        while (true) {
            int[] tokens = template.tokens(tokenizer, messages);
            int kept =
                    (int) messages.stream().filter(m -> m.role() != Role.SYSTEM).count();
            if (tokens.length > 0 && tokens.length + request.maxTokens() <= context) {
                return tokens;
            }
            if (kept > 1) {
                dropped.add(oldest(messages));
                continue;
            }
            if (tokens.length == 0) {
                throw new LlmException(Kind.BACKEND, "'" + request.id() + "' asks nothing: its prompt has no tokens");
            }
            if (tokens.length < context) {
                return tokens;
            }
            throw new LlmException(
                    Kind.PROMPT_TOO_LONG,
                    "the prompt has " + tokens.length + " tokens and the context " + context
                            + "; shorten it, or open the model with a larger context");
        }
    }

    private static Message oldest(List<Message> messages) {
        for (int i = 0; i < messages.size(); i++) {
            if (messages.get(i).role() != Role.SYSTEM) {
                return messages.remove(i);
            }
        }
        throw new IllegalStateException("no message but the system's");
    }

    /**
     * The logits after a text, for comparisons; what it has in common with the one before is not read again.
     *
     * @param tokens 1 to as many as the context has
     * @return one a token of the vocabulary; the caller's
     * @throws LlmException busy, when a request is being answered
     */
    public float[] logits(int... tokens) {
        synchronized (lock) {
            if (current != null) {
                throw new LlmException(Kind.BUSY, "'" + current.id() + "' is being answered");
            }
            float[] logits = {};
            for (int from = keep(tokens); from < tokens.length; ) {
                int count = Math.min(decoder.batch(), tokens.length - from);
                logits = decoder.read(tokens, from, count, from + count == tokens.length);
                System.arraycopy(tokens, from, cached, from, count);
                from += count;
            }
            return logits.clone();
        }
    }

    /** Forgets what the cache does not have in common with a prompt; the last token is read again, for its logits. */
    int keep(int[] prompt) {
        int length = decoder.cache().length();
        int common = 0;
        while (common < Math.min(length, prompt.length - 1) && cached[common] == prompt[common]) {
            common++;
        }
        decoder.cache().truncate(common);
        return common;
    }

    @Override
    public void cancel(String id, String reason) {
        LocalGeneration meant;
        synchronized (lock) {
            meant = current != null && current.id().equals(id) ? current : null;
        }
        if (meant != null) {
            meant.cancel(reason);
        }
    }

    @Override
    public boolean generating() {
        synchronized (lock) {
            return current != null;
        }
    }

    @Override
    public void reset() {
        synchronized (lock) {
            if (current != null) {
                throw new LlmException(Kind.BUSY, "no reset while '" + current.id() + "' is being answered");
            }
            decoder.cache().truncate(0);
        }
    }

    @Override
    public void close() {
        LocalGeneration running;
        synchronized (lock) {
            closed = true;
            running = current;
        }
        if (running != null) {
            running.cancel("the model is closed");
            running.awaitStep();
        }
        synchronized (lock) {
            if (released) {
                return;
            }
            released = true;
        }
        backend.close();
        team.close();
        file.close();
    }

    // For the generation that has the model.

    LlamaDecoder decoder() {
        return decoder;
    }

    Clock clock() {
        return clock;
    }

    int[] cached() {
        return cached;
    }

    /** Tokens of a prompt that one step reads. */
    int piece() {
        return piece;
    }

    boolean ends(int token) {
        return tokenizer.vocabulary().ends(token);
    }

    /** Takes the model's wish to end out of its logits, where it is to be passed over. */
    void passOverEnds(float[] logits) {
        if (options.ignoreEnd()) {
            for (int token : ends) {
                logits[token] = Float.NEGATIVE_INFINITY;
            }
        }
    }

    void release(LocalGeneration done) {
        synchronized (lock) {
            if (current == done) {
                current = null;
            }
        }
    }
}
