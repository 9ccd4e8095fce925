package dev.portal.voice.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.scheduler.Inference;
import dev.portal.voice.PortalHome;
import dev.portal.voice.arbitration.PortalTtsArbitrator;
import dev.portal.voice.audio.AudioFiles;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.audio.Samples;
import dev.portal.voice.nativelib.Flite;
import dev.portal.voice.nativelib.PocketSphinx;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stt.pocketsphinx.PocketSphinxModel;
import dev.portal.voice.stt.pocketsphinx.PocketSphinxRecognizer;
import dev.portal.voice.tts.FliteEngine;
import dev.portal.voice.turn.TurnEvent.Outcome;
import dev.portal.voice.turn.TurnRunner.Pace;
import dev.portal.voice.turn.TurnRunner.Room;
import dev.portal.voice.vad.SileroVad;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whole turns with Silero, pocketsphinx and flite on recordings of a human; only the language model is a list. */
@Tag("slow")
class RealEnginesTurnTest {
    private static final String REPLY = "I am going forward by ten meters now. Please keep the way free until I have "
            + "arrived there. It will take about half a minute in all.";

    private final Clock clock = new SystemClock();

    private List<TurnReport> run(String recording, Room room) throws IOException {
        TurnLog log = new TurnLog(10);
        try (OnnxStages stages = new OnnxStages();
                SileroVad detector = SileroVad.open(
                        stages, PortalHome.require("models/silero-vad-v6/silero_vad.onnx"), 16_000, clock);
                PocketSphinxRecognizer recognizer = PocketSphinxRecognizer.ofOpenVocabulary(
                        PocketSphinx.load(PortalHome.libraries()),
                        PocketSphinxModel.english(PortalHome.require("models/pocketsphinx-en-us")),
                        Inference.DIRECT);
                FliteEngine voice = new FliteEngine(Flite.load(PortalHome.libraries(), "slt"), "slt", 1);
                SampleSource source = AudioFiles.open(PortalHome.require(recording));
                TurnRunner runner = new TurnRunner(
                        new TurnRunner.Engines(
                                detector,
                                recognizer,
                                new SimpleEngines(REPLY, "Very well.").model(),
                                voice,
                                Inference.DIRECT),
                        new PortalTtsArbitrator(),
                        TurnOptions.DEFAULTS,
                        (atSample, samples, count) -> {},
                        clock,
                        log,
                        room)) {
            runner.run(source, Pace.HELD);
        }
        return log.reports();
    }

    @Test
    void aRecordedCommandIsUnderstoodAndItsReplyIsPlayedThoughItLeaksIntoTheMicrophone() throws IOException {
        List<TurnReport> turns = run("audio/pocketsphinx-testdata/goforward.raw", new Room(new float[0], 0, 0.4, 800));
        assertThat(turns).singleElement().satisfies(turn -> {
            assertThat(turn.transcript()).isEqualTo("go forward ten meters");
            assertThat(turn.reply()).isEqualTo(REPLY);
            assertThat(turn.outcome()).isEqualTo(Outcome.ANSWERED);
            assertThat(turn.echoWindows()).isGreaterThan(20);
            assertThat(turn.interruptions()).isEmpty();
        });
    }

    @Test
    void aHumanWhoSpeaksOverTheReplyInterruptsItAndIsAnswered() throws IOException {
        Samples other;
        try (SampleSource source = AudioFiles.open(PortalHome.require("audio/pocketsphinx-testdata/something.raw"))) {
            other = Samples.readAll(source);
        }
        List<TurnReport> turns =
                run("audio/pocketsphinx-testdata/goforward.raw", new Room(other.values(), 32_000, 0.2, 800));
        assertThat(turns).extracting(TurnReport::outcome).containsExactly(Outcome.INTERRUPTED, Outcome.ANSWERED);
        assertThat(turns.getFirst().reply()).isNotEmpty().isNotEqualTo(REPLY);
        assertThat(REPLY).startsWith(turns.getFirst().reply());
        TurnReport.Interruption last = turns.getFirst().interruptions().getLast();
        assertThat(last.softMs()).isGreaterThanOrEqualTo(64);
        assertThat(last.hardMs()).isBetween(192.0, 600.0);
        assertThat(turns.getLast().transcript()).contains("something");
    }
}
