package dev.portal.voice.stt.pocketsphinx;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.voice.nativelib.PocketSphinx;
import dev.portal.voice.nativelib.PocketSphinx.Hypothesis;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import java.util.Locale;

/**
 * Recognises with one search of pocketsphinx, chunk by chunk while the user speaks.
 *
 * <p>A chunk of 100 ms is one STT_ENCODER job (features, acoustic scores and the search's step over them: the library
 * does not part them); reading a hypothesis, and ending the utterance, are STT_DECODER jobs.
 */
public final class PocketSphinxRecognizer implements StreamingRecognizer {
    static final int SAMPLE_RATE_HZ = 16_000;
    private static final int CHUNK_SAMPLES = SAMPLE_RATE_HZ / 10;

    private static final String SEARCH = "portal";

    private final String name;
    private final PocketSphinx.Decoder decoder;
    private final Inference inference;
    private final short[] chunk = new short[CHUNK_SAMPLES];
    private int chunkSamples;
    private boolean speaking;
    private String text = "";

    /** Follows a grammar: only its sentences are understood. */
    public static PocketSphinxRecognizer ofGrammar(
            PocketSphinx library, PocketSphinxModel model, CommandGrammar grammar, Inference inference) {
        PocketSphinx.Decoder decoder = library.open(model.options());
        try {
            decoder.addGrammar(SEARCH, grammar.jsgf());
            decoder.select(SEARCH);
        } catch (RuntimeException e) {
            decoder.close();
            throw e;
        }
        return new PocketSphinxRecognizer(
                "pocketsphinx " + model.name() + ", grammar " + grammar.name(), decoder, inference);
    }

    /** Any words of the model's dictionary. */
    public static PocketSphinxRecognizer ofOpenVocabulary(
            PocketSphinx library, PocketSphinxModel model, Inference inference) {
        PocketSphinx.Decoder decoder = library.open(model.options());
        try {
            decoder.addLanguageModel(SEARCH, model.languageModel());
            decoder.select(SEARCH);
        } catch (RuntimeException e) {
            decoder.close();
            throw e;
        }
        return new PocketSphinxRecognizer("pocketsphinx " + model.name() + ", open vocabulary", decoder, inference);
    }

    PocketSphinxRecognizer(String name, PocketSphinx.Decoder decoder, Inference inference) {
        this.name = name;
        this.decoder = decoder;
        this.inference = inference;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int sampleRateHz() {
        return SAMPLE_RATE_HZ;
    }

    @Override
    public void start() {
        inference.run(new Step(NpuWorkload.STT_DECODER, () -> {
            if (speaking) {
                decoder.end();
            }
            decoder.start();
        }));
        speaking = true;
        chunkSamples = 0;
        text = "";
    }

    @Override
    public void accept(float[] samples, int offset, int length) {
        for (int i = 0; i < length; i++) {
            float scaled = samples[offset + i] * 32768f;
            chunk[chunkSamples++] = (short) Math.clamp(Math.round(scaled), Short.MIN_VALUE, Short.MAX_VALUE);
            if (chunkSamples == CHUNK_SAMPLES) {
                decodeChunk();
            }
        }
    }

    private void decodeChunk() {
        int count = chunkSamples;
        chunkSamples = 0;
        inference.run(new Step(NpuWorkload.STT_ENCODER, () -> decoder.process(chunk, 0, count)));
    }

    @Override
    public String partial() {
        inference.run(new Step(NpuWorkload.STT_DECODER, this::readHypothesis));
        return text;
    }

    private void readHypothesis() {
        text = decoder.hypothesis().map(Hypothesis::text).orElse("").toLowerCase(Locale.ROOT);
    }

    @Override
    public Transcript finish() {
        if (chunkSamples > 0) {
            decodeChunk();
        }
        inference.run(new Step(NpuWorkload.STT_DECODER, () -> {
            decoder.end();
            readHypothesis();
        }));
        speaking = false;
        return text.isEmpty() ? Transcript.NOTHING : new Transcript(text, Double.NaN);
    }

    @Override
    public void close() {
        decoder.close();
    }

    private record Step(NpuWorkload workload, Runnable work) implements NpuJob {
        @Override
        public NpuJobResult execute(Preemption preemption) {
            work.run();
            return NpuJobResult.DONE;
        }
    }
}
