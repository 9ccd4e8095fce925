package dev.portal.voice.tts;

import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.scheduler.Tensor;
import dev.portal.voice.stage.ModelStage;
import dev.portal.voice.stage.ModelStages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Speaks with a VITS voice in one of Piper's two layouts.
 *
 * <p>One file ({@code voice.onnx} with {@code voice.onnx.json}; inputs {@code input}, {@code input_lengths}, {@code
 * scales}, {@code sid} where there are several speakers): one TTS_DECODER job, one inference a sentence. Two files
 * ({@code encoder.onnx}, {@code decoder.onnx}, {@code config.json}): the TTS_ENCODER job makes text into latent frames
 * {@code z} with {@code y_mask} (and {@code g}), the TTS_DECODER job makes these into samples, some frames at a time.
 * Jobs may yield between inferences and between pieces.
 */
public final class VitsEngine implements SpeechEngine {
    /** Frames a decoder inference, and frames of context on both sides whose audio is cut away. */
    private static final int CHUNK_FRAMES = 48;

    private static final int CONTEXT_FRAMES = 12;

    private final String name;
    private final VitsConfig config;
    private final Phonemizer phonemizer;
    private final @Nullable ModelStage encoder;
    private final ModelStage decoder;
    private final float speed;

    private VitsEngine(
            String name,
            VitsConfig config,
            Phonemizer phonemizer,
            @Nullable ModelStage encoder,
            ModelStage decoder,
            float speed) {
        this.name = name;
        this.config = config;
        this.phonemizer = phonemizer;
        this.encoder = encoder;
        this.decoder = decoder;
        this.speed = FliteEngine.requireSpeed(speed);
    }

    /** Makes the phonemizer for a voice. */
    @FunctionalInterface
    public interface PhonemizerFactory {
        /**
         * @param phonemeType what the voice was trained with: {@code espeak} or {@code cmudict}
         * @param espeakVoice espeak-ng's name of the language
         * @throws IllegalArgumentException there is no such phonemizer here
         */
        Phonemizer forVoice(String phonemeType, String espeakVoice);
    }

    /**
     * Opens a voice; the engine owns its stages.
     *
     * @param voice a {@code .onnx} file with its {@code .onnx.json} beside it, or a folder of the two-file layout
     * @throws IllegalArgumentException something is missing, or is not of that layout
     */
    public static VitsEngine open(Path voice, ModelStages stages, PhonemizerFactory phonemizers, float speed) {
        if (Files.isDirectory(voice)) {
            VitsConfig config = VitsConfig.read(voice.resolve("config.json"));
            Phonemizer phonemizer = phonemizers.forVoice(config.phonemeType(), config.espeakVoice());
            ModelStage encoder = stages.stage(voice.resolve("encoder.onnx"), NpuWorkload.TTS_ENCODER);
            try {
                ModelStage decoder = stages.stage(voice.resolve("decoder.onnx"), NpuWorkload.TTS_DECODER);
                return new VitsEngine("vits " + voice.getFileName(), config, phonemizer, encoder, decoder, speed);
            } catch (RuntimeException e) {
                encoder.close();
                throw e;
            }
        }
        if (!Files.isReadable(voice)) {
            throw new IllegalArgumentException("no voice at " + voice
                    + ": give a .onnx file with its .onnx.json, or a folder with encoder.onnx, decoder.onnx,"
                    + " config.json");
        }
        VitsConfig config = VitsConfig.read(voice.resolveSibling(voice.getFileName() + ".json"));
        Phonemizer phonemizer = phonemizers.forVoice(config.phonemeType(), config.espeakVoice());
        ModelStage whole = stages.stage(voice, NpuWorkload.TTS_DECODER);
        return new VitsEngine("vits " + voice.getFileName(), config, phonemizer, null, whole, speed);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int sampleRateHz() {
        return config.sampleRateHz();
    }

    @Override
    public Utterance prepare(String text) {
        return new VitsUtterance(SpeakableText.sentences(text));
    }

    private List<Tensor> textInputs(ModelStage stage, String sentence) {
        long[] ids = config.ids(phonemizer.phonemes(sentence));
        List<Tensor> inputs = new ArrayList<>();
        inputs.add(Tensor.ofLongs("input", ids, 1, ids.length));
        inputs.add(Tensor.ofLongs("input_lengths", new long[] {ids.length}, 1));
        float[] scales = {config.noiseScale(), config.lengthScale() / speed, config.noiseW()};
        inputs.add(Tensor.ofFloats("scales", scales, 3));
        if (stage.inputs().stream().anyMatch(spec -> spec.name().equals("sid"))) {
            inputs.add(Tensor.ofLongs("sid", new long[] {0}, 1));
        }
        return inputs;
    }

    private static NpuJobResult.Completed infer(ModelStage stage, List<Tensor> inputs, Preemption preemption)
            throws Exception {
        NpuJob job = stage.job(inputs);
        while (true) {
            if (job.execute(preemption) instanceof NpuJobResult.Completed completed) {
                return completed;
            }
        }
    }

    @Override
    public void close() {
        if (encoder != null) {
            encoder.close();
        }
        decoder.close();
    }

    /** A sentence's latent frames, channel after channel. */
    private record Latent(List<Tensor> tensors, int frames) {
        static Latent of(NpuJobResult.Completed encoded) {
            long[] shape = encoded.output("z").shape();
            return new Latent(encoded.outputs(), Math.toIntExact(shape[shape.length - 1]));
        }

        /** The frames from {@code start} to {@code end} of everything that has a time axis. */
        List<Tensor> slice(ModelStage decoder, int start, int end) {
            List<Tensor> inputs = new ArrayList<>();
            for (Tensor tensor : tensors) {
                if (decoder.inputs().stream().noneMatch(spec -> spec.name().equals(tensor.name()))) {
                    continue;
                }
                long[] shape = tensor.shape().clone();
                if (shape.length != 3 || shape[2] != frames) {
                    inputs.add(tensor);
                    continue;
                }
                int rows = Math.toIntExact(shape[0] * shape[1]);
                int width = end - start;
                float[] all = tensor.toFloats();
                float[] part = new float[rows * width];
                for (int row = 0; row < rows; row++) {
                    System.arraycopy(all, row * frames + start, part, row * width, width);
                }
                shape[2] = width;
                inputs.add(Tensor.ofFloats(tensor.name(), part, shape));
            }
            return inputs;
        }
    }

    private final class VitsUtterance implements Utterance {
        private final List<String> sentences;
        private final List<Latent> latents = new ArrayList<>();
        private boolean decoderMade;

        VitsUtterance(List<String> sentences) {
            this.sentences = sentences;
        }

        @Override
        public Optional<NpuJob> encoder() {
            ModelStage stage = encoder;
            return stage == null
                    ? Optional.empty()
                    : Optional.of(new Job(NpuWorkload.TTS_ENCODER, preemption -> encode(stage, preemption)));
        }

        private NpuJobResult encode(ModelStage stage, Preemption preemption) throws Exception {
            while (latents.size() < sentences.size()) {
                List<Tensor> inputs = textInputs(stage, sentences.get(latents.size()));
                latents.add(Latent.of(infer(stage, inputs, preemption)));
                if (latents.size() < sentences.size() && preemption.requested()) {
                    return NpuJobResult.YIELDED;
                }
            }
            return NpuJobResult.DONE;
        }

        @Override
        public NpuJob decoder(PieceSink sink) {
            if (decoderMade) {
                throw new IllegalStateException("an utterance is spoken once; prepare the text again");
            }
            decoderMade = true;
            return new Job(NpuWorkload.TTS_DECODER, new Speaking(this, sink)::run);
        }
    }

    /** The decoder's work and how far it is: sentence, frame, and sample within what the last inference made. */
    private final class Speaking {
        private final VitsUtterance utterance;
        private final Utterance.PieceSink sink;
        private final int pieceSamples = Math.max(1, config.sampleRateHz() / 50);
        private float[] samples = new float[0];
        private int delivered;
        private int sentence;
        private int frame;
        private boolean stopped;

        Speaking(VitsUtterance utterance, Utterance.PieceSink sink) {
            this.utterance = utterance;
            this.sink = sink;
        }

        NpuJobResult run(Preemption preemption) throws Exception {
            if (encoder != null && utterance.latents.size() < utterance.sentences.size()) {
                throw new IllegalStateException("the TTS_ENCODER job has not completed");
            }
            while (!stopped && (delivered < samples.length || sentence < utterance.sentences.size())) {
                if (delivered == samples.length) {
                    samples = encoder == null ? wholeSentence(preemption) : nextChunk(preemption);
                    delivered = 0;
                } else {
                    int count = Math.min(pieceSamples, samples.length - delivered);
                    stopped = !sink.accept(samples, delivered, count);
                    delivered += count;
                }
                if (!stopped && preemption.requested()) {
                    return NpuJobResult.YIELDED;
                }
            }
            return NpuJobResult.DONE;
        }

        private float[] wholeSentence(Preemption preemption) throws Exception {
            List<Tensor> inputs = textInputs(decoder, utterance.sentences.get(sentence++));
            return infer(decoder, inputs, preemption).outputs().getFirst().toFloats();
        }

        private float[] nextChunk(Preemption preemption) throws Exception {
            Latent latent = utterance.latents.get(sentence);
            int end = Math.min(latent.frames(), frame + CHUNK_FRAMES);
            int from = Math.max(0, frame - CONTEXT_FRAMES);
            int to = Math.min(latent.frames(), end + CONTEXT_FRAMES);
            float[] audio = new float[0];
            if (to > from) {
                audio = infer(decoder, latent.slice(decoder, from, to), preemption)
                        .outputs()
                        .getFirst()
                        .toFloats();
                int hop = audio.length / (to - from);
                audio = Arrays.copyOfRange(audio, (frame - from) * hop, (end - from) * hop);
            }
            frame = end;
            if (frame >= latent.frames()) {
                frame = 0;
                sentence++;
            }
            return audio;
        }
    }

    @FunctionalInterface
    private interface Work {
        NpuJobResult run(Preemption preemption) throws Exception;
    }

    private record Job(NpuWorkload workload, Work work) implements NpuJob {
        @Override
        public NpuJobResult execute(Preemption preemption) throws Exception {
            return work.run(preemption);
        }
    }
}
