package dev.portal.voice.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import dev.portal.base.Clock;
import dev.portal.base.SystemClock;
import dev.portal.voice.arbitration.PortalTtsArbitrator;
import dev.portal.voice.arbitration.SpeechPriority;
import dev.portal.voice.audio.AudioFiles;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.audio.Samples;
import dev.portal.voice.audio.WavWriter;
import dev.portal.voice.turn.TurnEvent.Outcome;
import dev.portal.voice.turn.TurnRunner.Pace;
import dev.portal.voice.turn.TurnRunner.Room;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The conversation with engines on threads of their own. Nothing here depends on how fast they are. */
class TurnRunnerTest {
    private static final int RATE = TurnOptions.SAMPLE_RATE_HZ;
    private static final String LONG =
            "This sentence belongs to a long reply. ".repeat(8).strip();

    private final Clock clock = new SystemClock();

    @TempDir
    Path folder;

    /** What a run gave. */
    private record Run(List<TurnReport> turns, float[] sound, long endSample) {}

    private Run run(SimpleEngines engines, float[] input, Room room) throws IOException {
        TurnLog log = new TurnLog(20);
        float[] sound = new float[120 * RATE];
        try (TurnRunner runner = new TurnRunner(
                engines.engines(),
                new PortalTtsArbitrator(),
                TurnOptions.DEFAULTS,
                (atSample, samples, count) -> System.arraycopy(samples, 0, sound, (int) atSample, count),
                clock,
                log,
                room)) {
            runner.run(new Samples(input, RATE).source(), Pace.HELD);
            return new Run(log.reports(), sound, runner.conversation().nowSample());
        }
    }

    /** Half a second of silence, speech, a second of silence, for each given length. */
    private static float[] input(double... seconds) {
        float[] input = new float[0];
        for (double length : seconds) {
            int at = input.length + RATE / 2;
            float[] speech = SpokenSound.voice((long) (length * 1_000), 120, (int) (length * RATE));
            input = Arrays.copyOf(input, at + speech.length + RATE);
            System.arraycopy(speech, 0, input, at, speech.length);
        }
        return input;
    }

    @Test
    void aFileOfTwoUtterancesGivesTwoTurnsThoughTheRepliesAreLongerThanThePauses() throws IOException {
        SimpleEngines engines = new SimpleEngines(LONG, "Fine.");
        Run run = run(engines, input(1.0, 0.8), Room.QUIET);
        assertThat(run.turns()).extracting(TurnReport::outcome).containsExactly(Outcome.ANSWERED, Outcome.ANSWERED);
        assertThat(run.turns()).extracting(TurnReport::reply).containsExactly(LONG, "Fine.");
        assertThat(engines.questions).hasSize(2).allMatch(question -> question.startsWith("word"));
        assertThat(run.turns().getFirst().stages())
                .extracting(TurnReport.Stage::name)
                .containsExactly(
                        "vad_end",
                        "end_of_turn",
                        "stt_final",
                        "llm_first_token",
                        "first_sentence",
                        "tts_first_audio",
                        "reply_start",
                        "total");
        assertThat(run.turns().getFirst().stages())
                .filteredOn(stage -> stage.name().equals("end_of_turn"))
                .singleElement()
                .satisfies(stage -> assertThat(stage.audioMs()).isBetween(500.0, 532.0));
    }

    @Test
    void theSameFileGivesTheSameSoundAndTheSameTimesWhateverTheThreadsDo() throws IOException {
        float[] input = input(1.0, 0.7, 0.9);
        float[] interruption = SpokenSound.voice(5, 110, RATE);
        Room room = new Room(interruption, 2 * RATE, 0.3, 900);
        Run first = run(new SimpleEngines(LONG, "Fine.", "Good."), input, room);
        for (int i = 0; i < 3; i++) {
            Run again = run(new SimpleEngines(LONG, "Fine.", "Good."), input, room);
            assertThat(again.sound()).isEqualTo(first.sound());
            assertThat(again.endSample()).isEqualTo(first.endSample());
            assertThat(audioTimes(again)).isEqualTo(audioTimes(first));
        }
    }

    private static List<String> audioTimes(Run run) {
        return run.turns().stream()
                .map(turn -> turn.turn() + " " + turn.outcome() + " " + turn.transcript() + " " + turn.reply() + " "
                        + turn.stages().stream()
                                .map(stage -> stage.name() + "=" + stage.audioMs())
                                .toList())
                .toList();
    }

    @Test
    void anInterruptionMixedInOverTheReplyStopsItAndIsAnswered() throws IOException {
        SimpleEngines engines = new SimpleEngines(LONG, "Fine.");
        Run run = run(engines, input(1.0), new Room(SpokenSound.voice(5, 110, RATE), 2 * RATE, 0, 0));
        assertThat(run.turns()).extracting(TurnReport::outcome).containsExactly(Outcome.INTERRUPTED, Outcome.ANSWERED);
        TurnReport.Interruption interruption =
                run.turns().getFirst().interruptions().getFirst();
        assertThat(interruption.softMs()).isEqualTo(64);
        assertThat(interruption.hardMs()).isEqualTo(192);
        assertThat(interruption.resumedMs()).isNull();
        assertThat(interruption.idleMs()).isNotNull();
        assertThat(interruption.steps())
                .extracting(TurnReport.Step::name)
                .startsWith("sound_stopped", "slot_vacated")
                .contains("queue_dropped");
        assertThat(LONG).startsWith(run.turns().getFirst().reply());
    }

    @Test
    void theReplyLeakingIntoTheMicrophoneInterruptsNothing() throws IOException {
        Run run = run(new SimpleEngines(LONG), input(1.0), new Room(new float[0], 0, 0.5, 1_234));
        assertThat(run.turns()).hasSize(1);
        TurnReport turn = run.turns().getFirst();
        assertThat(turn.outcome()).isEqualTo(Outcome.ANSWERED);
        assertThat(turn.interruptions()).isEmpty();
        assertThat(turn.echoWindows()).isGreaterThan(50);
    }

    @Test
    @Tag("slow")
    void aModelInTheMiddleOfALongAnswerIsCancelledByItsTurn() throws IOException {
        SimpleEngines engines = new SimpleEngines(LONG, "Fine.");
        engines.modelGate = new CountDownLatch(1);
        TurnLog log = new TurnLog(20);
        float[] silence = new float[RATE];
        float[] input = Arrays.copyOf(input(1.0), 8 * RATE);
        System.arraycopy(SpokenSound.voice(5, 110, RATE), 0, input, 5 * RATE, RATE);
        try (TurnRunner runner = new TurnRunner(
                engines.engines(),
                new PortalTtsArbitrator(),
                TurnOptions.DEFAULTS,
                (atSample, samples, count) -> {},
                clock,
                log)) {
            runner.run(new Samples(silence, RATE).source(), Pace.HELD);
            runner.run(new Samples(input, RATE).source(), Pace.REALTIME);
        }
        assertThat(engines.cancelled).containsExactly("turn-1: interrupted by turn 2");
        assertThat(log.reports())
                .extracting(TurnReport::outcome)
                .containsExactly(Outcome.INTERRUPTED, Outcome.ANSWERED);
        assertThat(log.reports().getFirst().notes()).containsExactly("interrupted by turn 2");
    }

    @Test
    void aWavFileHasTheReplyWhereItWasPlayed() throws IOException {
        Path file = folder.resolve("reply.wav");
        TurnLog log = new TurnLog(20);
        float[] sound = new float[120 * RATE];
        try (WavOutput wav = new WavOutput(WavWriter.create(file, RATE));
                TurnRunner runner = new TurnRunner(
                        new SimpleEngines("Fine.").engines(),
                        new PortalTtsArbitrator(),
                        TurnOptions.DEFAULTS,
                        (atSample, samples, count) -> {
                            wav.play(atSample, samples, count);
                            System.arraycopy(samples, 0, sound, (int) atSample, count);
                        },
                        clock,
                        log)) {
            runner.run(new Samples(input(1.0), RATE).source(), Pace.HELD);
        }
        try (SampleSource written = AudioFiles.open(file)) {
            float[] values = Samples.readAll(written).values();
            assertThat(values).hasSizeGreaterThan(2 * RATE);
            assertThat(values).containsExactly(Arrays.copyOf(sound, values.length), offset(1f / 32_768));
        }
    }

    @Test
    void anAnnouncementIsSpokenWithoutAUser() throws IOException {
        TurnLog log = new TurnLog(20);
        try (TurnRunner runner = new TurnRunner(
                new SimpleEngines("").engines(),
                new PortalTtsArbitrator(),
                TurnOptions.DEFAULTS,
                (atSample, samples, count) -> {},
                clock,
                log)) {
            runner.announce(SpeechPriority.SYSTEM_CRITICAL, "The battery is nearly empty.");
            runner.run(new Samples(new float[RATE], RATE).source(), Pace.HELD);
        }
        assertThat(log.reports()).singleElement().satisfies(turn -> {
            assertThat(turn.announcement()).isTrue();
            assertThat(turn.reply()).isEqualTo("The battery is nearly empty.");
        });
    }

    @Test
    void anEngineThatThrowsFailsTheTurnAndNamesTheStage() throws IOException {
        SimpleEngines engines = new SimpleEngines("Fine.");
        engines.failTheVoice = true;
        Run run = run(engines, input(1.0), Room.QUIET);
        assertThat(run.turns()).singleElement().satisfies(turn -> {
            assertThat(turn.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(turn.notes().getFirst()).contains("TTS").contains("hoarse");
        });
    }

    @Test
    void aSourceOfAnotherRateIsRefusedWithItsRate() {
        assertThatThrownBy(() -> {
                    try (TurnRunner runner = new TurnRunner(
                            new SimpleEngines("").engines(),
                            new PortalTtsArbitrator(),
                            TurnOptions.DEFAULTS,
                            (atSample, samples, count) -> {},
                            clock,
                            event -> {})) {
                        runner.run(new Samples(new float[8], 44_100).source(), Pace.HELD);
                    }
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("44100");
    }
}
