package dev.portal.voice.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.Inference;
import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuWorkload;
import dev.portal.scheduler.Preemption;
import dev.portal.voice.PortalHome;
import dev.portal.voice.nativelib.Flite;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FliteEngineTest {
    private static final String TEXT = "Turn on the light. Thank you.";

    private FliteEngine engine;

    @BeforeEach
    void open() {
        engine = new FliteEngine(Flite.load(PortalHome.libraries(), "slt"), "slt", 1);
    }

    @AfterEach
    void close() {
        if (engine != null) {
            engine.close();
        }
    }

    @Test
    void aSentenceBecomesSpeechInPiecesOfTwentyMilliseconds() {
        Speech speech = new Speech();
        speech.speak(engine, TEXT, Inference.DIRECT);
        assertThat(speech.samples().length / (double) engine.sampleRateHz()).isBetween(1.0, 3.5);
        assertThat(speech.pieceLengths())
                .allSatisfy(length -> assertThat(length).isBetween(1, 480));
        assertThat(speech.peak()).isGreaterThan(0.1f);
    }

    @Test
    void anUtterancePreemptedAtEveryPieceSoundsTheSameToTheSample() throws Exception {
        Speech whole = new Speech();
        whole.speak(engine, TEXT, Inference.DIRECT);

        Speech pieces = new Speech();
        Utterance utterance = engine.prepare(TEXT);
        Inference.DIRECT.run(utterance.encoder().orElseThrow());
        NpuJob decoder = utterance.decoder(pieces);
        int yields = 0;
        while (decoder.execute(() -> true) instanceof NpuJobResult.Yielded) {
            yields++;
            assertThat(pieces.pieceLengths()).hasSize(yields);
        }
        assertThat(yields).isEqualTo(whole.pieceLengths().size() - 1);
        assertThat(pieces.samples()).isEqualTo(whole.samples());
    }

    @Test
    void utterancesThatAlternatePieceByPieceDoNotDisturbEachOther() throws Exception {
        String other = "It is ten o'clock.";
        Speech wholeFirst = new Speech();
        wholeFirst.speak(engine, TEXT, Inference.DIRECT);
        Speech wholeSecond = new Speech();
        wholeSecond.speak(engine, other, Inference.DIRECT);

        Speech first = new Speech();
        Speech second = new Speech();
        Utterance one = engine.prepare(TEXT);
        Utterance two = engine.prepare(other);
        Inference.DIRECT.run(one.encoder().orElseThrow());
        Inference.DIRECT.run(two.encoder().orElseThrow());
        NpuJob oneDecoder = one.decoder(first);
        NpuJob twoDecoder = two.decoder(second);
        boolean more = true;
        while (more) {
            boolean moreOfOne = oneDecoder.execute(() -> true) instanceof NpuJobResult.Yielded;
            boolean moreOfTwo = twoDecoder.execute(() -> true) instanceof NpuJobResult.Yielded;
            more = moreOfOne || moreOfTwo;
        }
        assertThat(first.samples()).isEqualTo(wholeFirst.samples());
        assertThat(second.samples()).isEqualTo(wholeSecond.samples());
    }

    @Test
    void aSinkThatHasEnoughEndsTheUtterance() throws Exception {
        int[] pieces = {0};
        Utterance utterance = engine.prepare(TEXT);
        Inference.DIRECT.run(utterance.encoder().orElseThrow());
        NpuJob decoder = utterance.decoder((samples, offset, length) -> ++pieces[0] < 3);
        assertThat(decoder.execute(Preemption.NEVER)).isInstanceOf(NpuJobResult.Completed.class);
        assertThat(pieces[0]).isEqualTo(3);
        assertThat(decoder.execute(Preemption.NEVER)).isInstanceOf(NpuJobResult.Completed.class);
        assertThat(pieces[0]).isEqualTo(3);
    }

    @Test
    void theStagesAreJobsOfTheirWorkloads() {
        List<NpuWorkload> seen = new ArrayList<>();
        Inference counting = job -> {
            seen.add(job.workload());
            return Inference.DIRECT.submit(job);
        };
        new Speech().speak(engine, TEXT, counting);
        assertThat(seen).containsExactly(NpuWorkload.TTS_ENCODER, NpuWorkload.TTS_DECODER);
    }

    @Test
    void aTextWithNothingToSayIsSilence() {
        for (String text : List.of("", "  ", "... !", "\u4f60\u597d", "\ud83d\ude00")) {
            Speech speech = new Speech();
            speech.speak(engine, text, Inference.DIRECT);
            assertThat(speech.samples()).as("'%s'", text).isEmpty();
        }
    }

    @Test
    void aVeryLongTextIsSpokenToItsEnd() {
        Speech one = new Speech();
        one.speak(engine, "this is a long text without any end of a sentence", Inference.DIRECT);
        Speech ten = new Speech();
        ten.speak(engine, "this is a long text without any end of a sentence ".repeat(10), Inference.DIRECT);
        assertThat(ten.samples().length / (double) one.samples().length).isBetween(7.0, 12.0);
    }

    @Test
    void doubleSpeedTakesHalfTheTime() {
        Speech normal = new Speech();
        normal.speak(engine, TEXT, Inference.DIRECT);
        try (FliteEngine fast = new FliteEngine(Flite.load(PortalHome.libraries(), "slt"), "slt", 2)) {
            Speech quick = new Speech();
            quick.speak(fast, TEXT, Inference.DIRECT);
            assertThat(quick.samples().length / (double) normal.samples().length)
                    .isBetween(0.4, 0.65);
        }
    }

    @Test
    void closingTheEngineEndsWhatIsUnfinished() throws Exception {
        Utterance utterance = engine.prepare(TEXT);
        Inference.DIRECT.run(utterance.encoder().orElseThrow());
        Speech speech = new Speech();
        NpuJob decoder = utterance.decoder(speech);
        assertThat(decoder.execute(() -> true)).isInstanceOf(NpuJobResult.Yielded.class);
        engine.close();
        assertThat(decoder.execute(Preemption.NEVER)).isInstanceOf(NpuJobResult.Completed.class);
        assertThat(speech.pieceLengths()).hasSizeLessThanOrEqualTo(2);
        assertThatThrownBy(() -> engine.prepare(TEXT)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aVoiceThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> Flite.load(PortalHome.libraries(), "nobody"))
                .hasMessageContaining("libflite_cmu_us_nobody.so.1")
                .hasMessageContaining("./portal models fetch");
    }
}
