package dev.portal.voice.stt.transducer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.base.RandomStream;
import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuException;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.voice.stage.OnnxBytes;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stage.StageException;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.stt.grammar.CommandGrammar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransducerRecognizerTest {
    @TempDir
    private Path folder;

    private final OnnxStages stages = new OnnxStages();
    private final List<NpuWorkload> jobs = new ArrayList<>();
    private final Inference inference = job -> {
        jobs.add(job.workload());
        return Inference.DIRECT.submit(job);
    };

    @AfterEach
    void nothingLeaks() {
        assertThat(stages.openModels()).isZero();
        stages.close();
    }

    private TransducerRecognizer open(Path model) {
        return TransducerRecognizer.open(model, stages, inference, TransducerOptions.DEFAULT);
    }

    private static Transcript recognise(TransducerRecognizer recognizer, int... tokens) {
        float[] samples = TinyTransducer.tones(tokens);
        recognizer.accept(samples, 0, samples.length);
        return recognizer.finish();
    }

    @Test
    void aStreamIsRecognisedChunkByChunkWithPartialResults() throws IOException {
        try (TransducerRecognizer recognizer = open(TinyTransducer.streaming(folder.resolve("tiny")))) {
            assertThat(recognizer.name()).isEqualTo("transducer (tiny)");
            assertThat(recognizer.sampleRateHz()).isEqualTo(16000);
            float[] samples = TinyTransducer.tones(1, 2, 3, 1);
            List<String> partials = new ArrayList<>();
            for (int i = 0; i < samples.length; i += 1600) {
                recognizer.accept(samples, i, 1600);
                if (partials.isEmpty() || !partials.getLast().equals(recognizer.partial())) {
                    partials.add(recognizer.partial());
                }
            }
            assertThat(partials).containsExactly("", "go", "go stop", "go stopped", "go stopped go");
            Transcript transcript = recognizer.finish();
            assertThat(transcript.text()).isEqualTo("go stopped go");
            assertThat(transcript.confidence()).isBetween(0.9, 1.0);
        }
    }

    @Test
    void aSentenceOfTheGrammarIsTakenWhereItIsAboutAsLikelyAndWhatWasSaidElsewhere() throws IOException {
        Path model = TinyTransducer.streaming(folder);
        CommandGrammar grammar =
                new CommandGrammar("test", "#JSGF V1.0; grammar test; public <a> = go stopped | stop go [go];");
        TransducerOptions tolerant = new TransducerOptions(0, 30, grammar, 1000);
        TransducerOptions strict = new TransducerOptions(0, 30, grammar, 0);
        for (TransducerOptions options : List.of(tolerant, strict)) {
            try (TransducerRecognizer recognizer = TransducerRecognizer.open(model, stages, inference, options)) {
                assertThat(recognise(recognizer, 2, 1, 1).text()).isEqualTo("stop go go");
                assertThat(recognise(recognizer, 1, 2, 3).text()).isEqualTo("go stopped");
                assertThat(recognise(recognizer, 0, 0)).isEqualTo(new Transcript("", Double.NaN));
                String other = recognise(recognizer, 1, 1).text();
                if (options.equals(strict)) {
                    assertThat(other).isEqualTo("go go");
                } else {
                    assertThat(other).isIn("go stopped", "stop go", "stop go go");
                }
            }
        }
    }

    @Test
    void everyRunOfAStageIsAJobOfItsOwnWorkload() throws IOException {
        try (TransducerRecognizer recognizer = open(TinyTransducer.streaming(folder))) {
            recognise(recognizer, 1, 2);
        }
        Map<NpuWorkload, Long> counts =
                jobs.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        // 150 frames of sound and 30 of silence are six chunks of 32; each gives eight frames; two tokens and the
        // start.
        assertThat(counts)
                .isEqualTo(
                        Map.of(NpuWorkload.STT_ENCODER, 6L, NpuWorkload.STT_JOINER, 48L, NpuWorkload.STT_DECODER, 3L));
        assertThat(jobs.subList(0, 3))
                .containsExactly(NpuWorkload.STT_ENCODER, NpuWorkload.STT_DECODER, NpuWorkload.STT_JOINER);
    }

    @Test
    void theTextDoesNotDependOnHowTheSamplesArrive() throws IOException {
        RandomStream random = new RandomStream(5);
        try (TransducerRecognizer recognizer = open(TinyTransducer.streaming(folder))) {
            float[] samples = TinyTransducer.tones(3, 1, 2, 1, 3);
            Transcript whole = recognise(recognizer, 3, 1, 2, 1, 3);
            assertThat(whole.text()).isEqualTo("ped go stop goped");
            for (int run = 0; run < 3; run++) {
                recognizer.start();
                for (int done = 0; done < samples.length; ) {
                    int length = Math.min(random.nextInt(0, 3000), samples.length - done);
                    recognizer.accept(samples, done, length);
                    done += length;
                }
                assertThat(recognizer.finish()).isEqualTo(whole);
            }
        }
    }

    @Test
    void theDecoderSeesTheLastTokenAcrossChunks() throws IOException {
        try (TransducerRecognizer recognizer = open(TinyTransducer.streaming(folder))) {
            assertThat(recognise(recognizer, 1, 1, 2, 2, 1).text()).isEqualTo("go go stop go");
        }
    }

    @Test
    void anUtteranceLeavesNothingForTheNext() throws IOException {
        try (TransducerRecognizer recognizer = open(TinyTransducer.streaming(folder))) {
            Transcript first = recognise(recognizer, 2, 3);
            assertThat(recognise(recognizer, 1).text()).isEqualTo("go");
            float[] cutOff = TinyTransducer.tones(3);
            recognizer.accept(cutOff, 0, 7000);
            recognizer.start();
            assertThat(recognizer.partial()).isEmpty();
            assertThat(recognise(recognizer, 2, 3)).isEqualTo(first);
            assertThat(recognizer.finish()).isEqualTo(Transcript.NOTHING);
        }
    }

    @Test
    void anEncoderForWholeUtterancesRunsAtTheirEnd() throws IOException {
        try (TransducerRecognizer recognizer = open(TinyTransducer.whole(folder))) {
            float[] samples = TinyTransducer.tones(1, 2, 3);
            recognizer.accept(samples, 0, samples.length);
            assertThat(recognizer.partial()).isEmpty();
            assertThat(recognizer.finish().text()).isEqualTo("go stopped");
        }
        assertThat(jobs.stream().filter(NpuWorkload.STT_ENCODER::equals)).hasSize(1);
    }

    @Test
    void anUtteranceAboveTheLimitIsRunInPieces() throws IOException {
        Path model = TinyTransducer.whole(folder);
        try (TransducerRecognizer recognizer =
                TransducerRecognizer.open(model, stages, inference, new TransducerOptions(0, 3, null, 0))) {
            assertThat(recognise(recognizer, 1, 2, 3, 1, 2).text()).isEqualTo("go stopped go stop");
        }
        assertThat(jobs.stream().filter(NpuWorkload.STT_ENCODER::equals)).hasSize(2);
    }

    @Test
    void aBlankPenaltyLetsWeakTokensThrough() throws IOException {
        Path model = TinyTransducer.streaming(folder);
        try (TransducerRecognizer strict =
                        TransducerRecognizer.open(model, stages, inference, new TransducerOptions(-50, 30, null, 0));
                TransducerRecognizer lax =
                        TransducerRecognizer.open(model, stages, inference, new TransducerOptions(4, 30, null, 0))) {
            assertThat(recognise(strict, 1, 2)).isEqualTo(Transcript.NOTHING);
            assertThat(recognise(lax, 1, 2).text()).isEqualTo("go stop");
        }
    }

    @Test
    void aRefusedJobReachesTheCaller() throws IOException {
        Inference full = job -> CompletableFuture.failedFuture(new NpuException.QueueFull("no room"));
        Path model = TinyTransducer.streaming(folder);
        try (TransducerRecognizer recognizer =
                TransducerRecognizer.open(model, stages, full, TransducerOptions.DEFAULT)) {
            assertThatThrownBy(() -> recognise(recognizer, 1)).isInstanceOf(NpuException.QueueFull.class);
        }
    }

    @Test
    void aFolderThatLacksAFileOrHasTooManyIsRefused() throws IOException {
        assertRefused("no tokens.txt in");
        TinyTransducer.streaming(folder);
        Path joiner = folder.resolve("joiner-tiny.onnx");
        Files.copy(joiner, folder.resolve("joiner-tiny.int8.onnx"));
        open(folder).close();
        Files.copy(joiner, folder.resolve("joiner-other.onnx"));
        assertRefused("more than one joiner*.onnx");
        for (String name : new TreeSet<>(List.of("joiner-tiny.onnx", "joiner-other.onnx", "joiner-tiny.int8.onnx"))) {
            Files.delete(folder.resolve(name));
        }
        assertRefused("no joiner*.onnx");
    }

    @Test
    void filesThatDoNotBelongTogetherAreRefused() throws IOException {
        TinyTransducer.streaming(folder);
        Path tokens = folder.resolve("tokens.txt");
        Files.writeString(tokens, "<blk> 0\nA 1\n");
        assertRefused("tokens.txt has numbers up to 1, and decoder-tiny.onnx has a vocabulary of 5");
        Files.writeString(tokens, "<blk> 0\nA\n");
        assertRefused("tokens.txt, line 2: 'A' is not a token, a blank and a number");
    }

    @Test
    void anEncoderWithoutItsMetadataOrItsStatesIsRefused() throws IOException {
        TinyTransducer.streaming(folder);
        encoder(new OnnxBytes());
        assertRefused("encoder-tiny.onnx carries no 'T'");
        encoder(new OnnxBytes().metadata("T", "39,40").metadata("decode_chunk_len", "32"));
        assertRefused("'T' should be one number of 1 or more, and is [39, 40]");
        encoder(new OnnxBytes().metadata("T", "x"));
        assertRefused("metadata 'T' is 'x', not numbers");
        encoder(new OnnxBytes().metadata("T", "30").metadata("decode_chunk_len", "32"));
        assertRefused("decode_chunk_len 32 is above T 30");
        OnnxBytes two = new OnnxBytes().metadata("T", "39").metadata("decode_chunk_len", "32");
        encoder(two.metadata("model_type", "zipformer2").metadata("num_encoder_layers", "1,2"));
        assertRefused("a zipformer2 of 2 stacks has 20 states, and the file has 1");
        OnnxBytes one = new OnnxBytes().metadata("T", "39").metadata("decode_chunk_len", "32");
        encoder(one.metadata("model_type", "zipformer").metadata("num_encoder_layers", "1,2"));
        assertRefused("a zipformer of 2 stacks has 14 states, and the file has 1");
    }

    /** An encoder that gives back what it takes. */
    private void encoder(OnnxBytes bytes) throws IOException {
        bytes.input("x", OnnxBytes.FLOAT, -1, TinyTransducer.T, Fbank.BANDS)
                .input("state", OnnxBytes.INT64, 1)
                .output("encoder_out", OnnxBytes.FLOAT, -1, TinyTransducer.T, Fbank.BANDS)
                .output("new_state", OnnxBytes.INT64, 1)
                .node("Identity", List.of("x"), List.of("encoder_out"))
                .node("Identity", List.of("state"), List.of("new_state"));
        Files.write(folder.resolve("encoder-tiny.onnx"), bytes.bytes());
    }

    private void assertRefused(String message) {
        assertThatThrownBy(() -> open(folder))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(message);
    }
}
