package dev.portal.voice.stt.transducer;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.ModelStages;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.stt.grammar.SentenceAutomaton;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Recognises speech with a transducer of three stages, the sentences of a grammar first if there is one. Every run of a stage is a job of its own (STT_ENCODER a chunk,
 * STT_JOINER a frame, STT_DECODER a token), so that other work gets in between.
 *
 * <p>One thread at a time.
 */
public final class TransducerRecognizer implements StreamingRecognizer {
    private final List<ModelStage> stages;
    private final String name;
    private final Fbank fbank = new Fbank();
    private final Encoder encoder;
    private final Joint joint;
    private final Search search;

    /**
     * Opens a model folder.
     *
     * @param opener decides where the stages run
     * @param inference takes their jobs
     * @throws StageException when a file is missing, or the files do not fit together
     */
    public static TransducerRecognizer open(
            Path folder, ModelStages opener, Inference inference, TransducerOptions options) {
        TransducerFiles files = TransducerFiles.in(folder);
        Tokens tokens = Tokens.read(files.tokens());
        List<ModelStage> stages = new ArrayList<>();
        try {
            stages.add(opener.stage(files.encoder(), NpuWorkload.STT_ENCODER));
            stages.add(opener.stage(files.decoder(), NpuWorkload.STT_DECODER));
            stages.add(opener.stage(files.joiner(), NpuWorkload.STT_JOINER));
            return new TransducerRecognizer(String.valueOf(folder.getFileName()), stages, inference, tokens, options);
        } catch (RuntimeException e) {
            stages.forEach(ModelStage::close);
            throw e;
        }
    }

    private TransducerRecognizer(
            String name, List<ModelStage> stages, Inference inference, Tokens tokens, TransducerOptions options) {
        this.name = "transducer (" + name + ")";
        this.stages = List.copyOf(stages);
        int maxFrames = options.maxWholeSeconds() * (Fbank.SAMPLE_RATE_HZ / Fbank.SHIFT_SAMPLES);
        this.encoder = Encoder.of(stages.get(0), inference, maxFrames);
        this.joint = new Joint(stages.get(1), stages.get(2), inference, tokens, options.blankPenalty());
        CommandGrammar grammar = options.grammar();
        this.search = grammar == null
                ? new GreedySearch(joint, tokens)
                : new GrammarFirstSearch(joint, tokens, new SentenceAutomaton(grammar), options.grammarMargin());
        start();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int sampleRateHz() {
        return Fbank.SAMPLE_RATE_HZ;
    }

    @Override
    public void start() {
        fbank.reset();
        encoder.start();
        joint.start();
        search.start();
    }

    @Override
    public void accept(float[] samples, int offset, int length) {
        fbank.accept(samples, offset, length);
        advance();
    }

    private void advance() {
        while (fbank.ready() > 0) {
            encoder.accept(fbank);
            search(encoder.next(false));
        }
    }

    private void search(@Nullable Frames encoded) {
        for (int i = 0; encoded != null && i < encoded.count(); i++) {
            joint.frame(encoded.frame(i));
            search.frame();
        }
    }

    @Override
    public String partial() {
        return search.partial();
    }

    @Override
    public Transcript finish() {
        long frames = fbank.framesIfFinished();
        if (frames > 0) {
            int silence = encoder.tail(frames) * Fbank.SHIFT_SAMPLES;
            fbank.accept(new float[silence], 0, silence);
            fbank.finish();
            advance();
            search(encoder.next(true));
        }
        Transcript transcript = search.transcript();
        start();
        return transcript;
    }

    @Override
    public void close() {
        stages.forEach(ModelStage::close);
    }
}
