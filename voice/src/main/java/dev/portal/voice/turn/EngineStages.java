package dev.portal.voice.turn;

import dev.portal.llm.LanguageModel;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.voice.audio.Resampler;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.tts.Utterance;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The engines behind a conversation, one thread each: what is asked of an engine is done in order, and answered into the
 * inbox. Cancelling marks the work and tells the engine; the mark decides where the two race.
 */
final class EngineStages implements Effects, AutoCloseable {
    /** A partial transcript is read after so many windows: about 100 ms. */
    private static final int WINDOWS_A_PARTIAL = 3;

    private final StreamingRecognizer recognizer;
    private final LanguageModel model;
    private final SpeechEngine voice;
    private final Inference inference;
    private final AudioOutput output;
    private final Inbox inbox;
    private final Runnable workEnded;

    private final ExecutorService recognizing = worker("stt");
    private final ExecutorService generating = worker("llm");
    private final ExecutorService speaking = worker("tts");
    private final AtomicInteger openTasks = new AtomicInteger();
    private final ConcurrentHashMap<Long, Generation> generations = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, Synthesis> syntheses = new ConcurrentHashMap<>();

    private volatile long abandonedTurn;
    // Of the recognizing thread.
    private int windowsHeard;
    private String lastPartial = "";

    EngineStages(TurnRunner.Engines engines, AudioOutput output, Inbox inbox, Runnable workEnded) {
        this.recognizer = engines.recognizer();
        this.model = engines.model();
        this.voice = engines.voice();
        this.inference = engines.inference();
        this.output = output;
        this.inbox = inbox;
        this.workEnded = workEnded;
        if (recognizer.sampleRateHz() != TurnOptions.SAMPLE_RATE_HZ) {
            throw new IllegalArgumentException("recognizer " + recognizer.name() + " wants " + recognizer.sampleRateHz()
                    + " Hz; a conversation has " + TurnOptions.SAMPLE_RATE_HZ);
        }
    }

    private static ExecutorService worker(String name) {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name("portal-turn-" + name).daemon().factory());
    }

    /** Whether no engine works; whatever they had to say is in the inbox then. */
    boolean quiet() {
        return openTasks.get() == 0;
    }

    private void submit(ExecutorService worker, long turn, Signal.Stage stage, Runnable task) {
        openTasks.incrementAndGet();
        worker.execute(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                inbox.post(new Signal.StageFailed(turn, stage, e.toString()));
            } finally {
                openTasks.decrementAndGet();
                workEnded.run();
            }
        });
    }

    @Override
    public void startRecognition(long turn) {
        submit(recognizing, turn, Signal.Stage.STT, () -> {
            windowsHeard = 0;
            lastPartial = "";
            recognizer.start();
        });
    }

    @Override
    public void recognize(long turn, float[] samples) {
        submit(recognizing, turn, Signal.Stage.STT, () -> {
            if (turn == abandonedTurn) {
                return;
            }
            recognizer.accept(samples, 0, samples.length);
            if (++windowsHeard % WINDOWS_A_PARTIAL == 0) {
                String partial = recognizer.partial();
                if (!partial.equals(lastPartial)) {
                    lastPartial = partial;
                    inbox.post(new Signal.PartialTranscript(turn, partial));
                }
            }
        });
    }

    @Override
    public void finishRecognition(long turn) {
        submit(recognizing, turn, Signal.Stage.STT, () -> {
            Transcript transcript = recognizer.finish();
            inbox.post(new Signal.TranscriptReady(turn, transcript));
        });
    }

    @Override
    public void abandonRecognition(long turn) {
        abandonedTurn = turn;
    }

    @Override
    public void generate(long turn, List<LanguageModel.Message> messages, int maxTokens) {
        Generation generation = new Generation(turn, messages, maxTokens);
        generations.put(turn, generation);
        submit(generating, turn, Signal.Stage.LLM, generation);
    }

    @Override
    public void cancelGeneration(long turn, String reason) {
        Generation generation = generations.get(turn);
        if (generation != null) {
            generation.cancel(reason);
        }
    }

    @Override
    public void synthesize(long turn, int sentence, String text) {
        Synthesis synthesis = new Synthesis(turn, sentence, text);
        syntheses.put(turn, synthesis);
        submit(speaking, turn, Signal.Stage.TTS, synthesis);
    }

    @Override
    public void cancelSynthesis(long turn) {
        Synthesis synthesis = syntheses.get(turn);
        if (synthesis != null) {
            synthesis.cancel();
        }
    }

    @Override
    public void play(long atSample, float[] samples, int count) {
        output.play(atSample, samples, count);
    }

    /** Ends the threads; what they work on ends by itself or by being cancelled. */
    @Override
    public void close() {
        generations.values().forEach(generation -> generation.cancel("closed"));
        syntheses.values().forEach(Synthesis::cancel);
        recognizing.shutdownNow();
        generating.shutdownNow();
        speaking.shutdownNow();
    }

    private final class Generation implements Runnable {
        private final long turn;
        private final LanguageModel.Request request;
        private volatile @Nullable String cancelReason;

        Generation(long turn, List<LanguageModel.Message> messages, int maxTokens) {
            this.turn = turn;
            this.request = LanguageModel.Request.greedy("turn-" + turn, messages, maxTokens);
        }

        void cancel(String reason) {
            cancelReason = reason;
            model.cancel(request.id(), reason);
        }

        @Override
        public void run() {
            LanguageModel.FinishReason finish = LanguageModel.FinishReason.CANCELLED;
            try {
                if (cancelReason == null) {
                    finish = model.generate(request, this::token).finish();
                }
            } finally {
                generations.remove(turn);
            }
            inbox.post(new Signal.GenerationEnded(turn, finish));
        }

        private void token(int sequence, String text) {
            String reason = cancelReason;
            if (reason == null) {
                inbox.post(new Signal.LlmToken(turn, sequence, text));
            } else {
                // It was cancelled before the model knew of it.
                model.cancel(request.id(), reason);
            }
        }
    }

    private final class Synthesis implements Runnable {
        private final long turn;
        private final int sentence;
        private final String text;
        private final Resampler resampler = new Resampler(voice.sampleRateHz(), TurnOptions.SAMPLE_RATE_HZ);
        private volatile boolean cancelled;
        private volatile boolean delivering;
        private volatile @Nullable CompletableFuture<?> running;

        Synthesis(long turn, int sentence, String text) {
            this.turn = turn;
            this.sentence = sentence;
            this.text = text;
        }

        /** A stage that delivers stops at its next piece; one that has not begun is taken out of the lane's queue. */
        void cancel() {
            cancelled = true;
            CompletableFuture<?> job = running;
            if (job != null && !delivering) {
                job.cancel(true);
            }
        }

        @Override
        public void run() {
            try {
                Utterance utterance = voice.prepare(text);
                if (utterance.encoder().isPresent()) {
                    complete(utterance.encoder().get());
                }
                complete(utterance.decoder(this::piece));
                post(resampler.finish());
            } finally {
                syntheses.remove(turn, this);
            }
            inbox.post(new Signal.SentenceEnded(turn, sentence));
        }

        private void complete(NpuJob job) {
            if (cancelled) {
                return;
            }
            CompletableFuture<?> future = inference.submit(job);
            running = future;
            if (cancelled && !delivering) {
                future.cancel(true);
            }
            try {
                future.join();
            } catch (CancellationException e) {
                if (!cancelled) {
                    throw e;
                }
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException failure ? failure : e;
            } finally {
                running = null;
            }
        }

        private boolean piece(float[] samples, int offset, int length) {
            delivering = true;
            if (!cancelled) {
                post(resampler.process(samples, offset, length));
            }
            return !cancelled;
        }

        private void post(float[] samples) {
            if (!cancelled && samples.length > 0) {
                inbox.post(new Signal.SpeechPiece(turn, sentence, samples));
            }
        }
    }
}
