package dev.portal.voice.stt.pocketsphinx;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.voice.nativelib.PocketSphinx;
import dev.portal.voice.nativelib.PocketSphinx.Alignment;
import dev.portal.voice.nativelib.PocketSphinx.Hypothesis;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.stt.grammar.CommandGrammar;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recognises with pocketsphinx: the sentences of a grammar, any words, or the grammar first and any words where the
 * grammar does not fit.
 *
 * <p>While the user speaks, one search follows for the sake of {@link #partial}. It knows the microphone's sound only
 * from the model's average, so {@link #finish} decodes once more, normalised by the utterance's own mean: the text then
 * depends on this utterance alone and not on what was heard before. With a grammar, {@link PhoneLoop} then says how
 * well its sentence fits.
 *
 * <p>Decoding is an STT_ENCODER job: features, acoustic scores and the search's steps, which the library does not part.
 * It may yield after each 100 ms of audio. Ending a pass, which fixes its hypothesis, and reading one are STT_DECODER
 * jobs.
 */
public final class PocketSphinxRecognizer implements StreamingRecognizer {
    static final int SAMPLE_RATE_HZ = 16_000;

    private static final int CHUNK_SAMPLES = SAMPLE_RATE_HZ / 10;
    private static final double ACCEPTED_CONFIDENCE = 0.5;
    private static final int FRAMES_LEFT_AT_MOST = 10;

    private enum Search {
        GRAMMAR,
        PHONE_LOOP,
        OPEN
    }

    /**
     * A hypothesis at the end of a pass.
     *
     * @param score comparable within one utterance's grammar and loop
     * @param alignment of the text
     */
    private record Outcome(String text, int score, Alignment alignment) {}

    private final String name;
    private final PocketSphinx.Decoder decoder;
    private final boolean hasGrammar;
    private final boolean hasOpenVocabulary;
    private final Inference inference;
    private final float[] averageMean;
    private final UtteranceAudio audio = new UtteranceAudio();
    private int decodedSamples;
    private int partialAtSamples;
    private String partial = "";

    private PocketSphinxRecognizer(
            PocketSphinx library,
            PocketSphinxModel model,
            @Nullable CommandGrammar grammar,
            boolean openVocabulary,
            Inference inference) {
        this.name = "pocketsphinx " + model.name() + (grammar == null ? "" : ", grammar " + grammar.name())
                + (openVocabulary ? ", open vocabulary" : "");
        this.hasGrammar = grammar != null;
        this.hasOpenVocabulary = openVocabulary;
        this.inference = inference;
        this.decoder = library.open(model.options());
        try {
            PhoneLoop.addWordsTo(decoder);
            if (openVocabulary) {
                decoder.addLanguageModel(Search.OPEN.name(), model.languageModel());
            }
            if (grammar != null) {
                widenBeams();
                decoder.addGrammar(Search.GRAMMAR.name(), grammar.jsgf());
                PhoneLoop.addSearchTo(decoder, Search.PHONE_LOOP.name());
            }
            this.averageMean = decoder.cepstralMean();
        } catch (RuntimeException e) {
            decoder.close();
            throw e;
        }
    }

    /**
     * Wider than the library's, for grammars only: on 420 synthetic commands word errors fell from 8.0 % to 5.6 % for a
     * tenth more time. The open vocabulary would take several times longer.
     */
    private void widenBeams() {
        decoder.set("-beam", 1e-80);
        decoder.set("-pbeam", 1e-80);
        decoder.set("-wbeam", 1e-60);
    }

    /** Understands the sentences of the grammar; anything else is {@link Transcript#NOTHING}. */
    public static PocketSphinxRecognizer ofGrammar(
            PocketSphinx library, PocketSphinxModel model, CommandGrammar grammar, Inference inference) {
        return new PocketSphinxRecognizer(library, model, grammar, false, inference);
    }

    /** Any words of the model's dictionary. */
    public static PocketSphinxRecognizer ofOpenVocabulary(
            PocketSphinx library, PocketSphinxModel model, Inference inference) {
        return new PocketSphinxRecognizer(library, model, null, true, inference);
    }

    /** The sentences of the grammar, and any words where none of them fits. */
    public static PocketSphinxRecognizer ofGrammarThenOpenVocabulary(
            PocketSphinx library, PocketSphinxModel model, CommandGrammar grammar, Inference inference) {
        return new PocketSphinxRecognizer(library, model, grammar, true, inference);
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
        audio.clear();
        partial = "";
        partialAtSamples = 0;
        begin(hasGrammar ? Search.GRAMMAR : Search.OPEN, averageMean);
    }

    private void begin(Search search, float[] mean) {
        decodedSamples = 0;
        inference.run(new Step(() -> {
            decoder.abandon();
            decoder.forget(mean);
            decoder.select(search.name());
            decoder.start();
        }));
    }

    @Override
    public void accept(float[] samples, int offset, int length) {
        audio.add(samples, offset, length);
        int whole = audio.length() / CHUNK_SAMPLES * CHUNK_SAMPLES;
        if (whole > decodedSamples) {
            inference.run(new Decoding(whole));
        }
    }

    @Override
    public String partial() {
        if (partialAtSamples < decodedSamples) {
            inference.run(new Step(() -> partial = textOf(decoder.hypothesis())));
            partialAtSamples = decodedSamples;
        }
        return partial;
    }

    @Override
    public Transcript finish() {
        end();
        if (audio.isSilent()) {
            return Transcript.NOTHING;
        }
        float[] ownMean = decoder.cepstralMean();
        if (hasGrammar) {
            Outcome sentence = pass(Search.GRAMMAR, ownMean);
            if (!sentence.text().isEmpty() && reachesTheEnd(sentence.alignment())) {
                Outcome loop = pass(Search.PHONE_LOOP, ownMean);
                double confidence = PhoneLoop.confidence(
                        sentence.score(), loop.score(), sentence.alignment().inWords());
                if (confidence >= ACCEPTED_CONFIDENCE) {
                    return new Transcript(sentence.text(), confidence);
                }
            }
        }
        if (!hasOpenVocabulary) {
            return Transcript.NOTHING;
        }
        String text = pass(Search.OPEN, ownMean).text();
        return text.isEmpty() ? Transcript.NOTHING : new Transcript(text, Double.NaN);
    }

    private static boolean reachesTheEnd(Alignment alignment) {
        return alignment.decoded() - alignment.covered() <= FRAMES_LEFT_AT_MOST;
    }

    /** Decodes the whole utterance with one search. */
    private Outcome pass(Search search, float[] mean) {
        begin(search, mean);
        return end();
    }

    private Outcome end() {
        if (decodedSamples < audio.length()) {
            inference.run(new Decoding(audio.length()));
        }
        Outcome[] outcome = new Outcome[1];
        inference.run(new Step(() -> {
            decoder.end();
            Optional<Hypothesis> hypothesis = decoder.hypothesis();
            outcome[0] = new Outcome(
                    textOf(hypothesis), hypothesis.map(Hypothesis::score).orElse(0), decoder.alignment());
        }));
        return outcome[0];
    }

    private static String textOf(Optional<Hypothesis> hypothesis) {
        return hypothesis.map(Hypothesis::text).orElse("").toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        decoder.close();
    }

    /** Decodes the audio up to a sample, chunk by chunk. */
    private final class Decoding implements NpuJob {
        private final int endSample;

        Decoding(int endSample) {
            this.endSample = endSample;
        }

        @Override
        public NpuWorkload workload() {
            return NpuWorkload.STT_ENCODER;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            while (decodedSamples < endSample) {
                int count = Math.min(CHUNK_SAMPLES, endSample - decodedSamples);
                decoder.process(audio.pcm(), decodedSamples, count);
                decodedSamples += count;
                if (decodedSamples < endSample && preemption.requested()) {
                    return NpuJobResult.YIELDED;
                }
            }
            return NpuJobResult.DONE;
        }
    }

    private record Step(Runnable work) implements NpuJob {
        @Override
        public NpuWorkload workload() {
            return NpuWorkload.STT_DECODER;
        }

        @Override
        public NpuJobResult execute(Preemption preemption) {
            work.run();
            return NpuJobResult.DONE;
        }
    }
}
