package dev.portal.voice.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.llm.LanguageModel.Message;
import dev.portal.llm.LanguageModel.Role;
import dev.portal.voice.arbitration.SpeechPriority;
import dev.portal.voice.turn.TurnEvent.Kind;
import dev.portal.voice.turn.TurnEvent.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConversationTest {
    private static final String LONG_REPLY = "The first sentence of many words. ".repeat(20);

    private final ScriptedWorld world = new ScriptedWorld();

    private String outcome(long turn) {
        return world.event(Kind.ENDED, turn).text();
    }

    @Test
    void anUtteranceIsTranscribedAnsweredAndPlayedToItsEnd() {
        world.silence(10);
        world.speak(30);
        world.settle();
        assertThat(outcome(1)).isEqualTo(Outcome.ANSWERED.name());
        assertThat(world.event(Kind.REPLY_ENDED, 1).text())
                .isEqualTo("This is the reply to turn 1. It has a second sentence.");
        assertThat(world.conversation.history())
                .containsExactly(
                        new Message(Role.USER, "words of turn 1"),
                        new Message(Role.ASSISTANT, "This is the reply to turn 1. It has a second sentence."));
        int expected = ("This is the reply to turn 1.".length() + "It has a second sentence.".length())
                * world.samplesPerCharacter;
        assertThat(world.played(1)).hasSize(expected);
    }

    @Test
    void theTurnEndsHalfASecondAfterTheDetectorsEnd() {
        world.speak(20);
        world.silenceUntil(Kind.TURN_COMMITTED, 1);
        long vadEnd = world.event(Kind.SPEECH_ENDED, 1).atSample();
        long committed = world.event(Kind.TURN_COMMITTED, 1).atSample();
        assertThat(vadEnd).isEqualTo(20 * 512 + TurnOptions.ms(30));
        assertThat(committed - vadEnd).isBetween(8_000L, 8_000L + 511);
    }

    @Test
    void withoutWordsTheTurnWaitsThreeSeconds() {
        world.words = turn -> "";
        world.speak(10);
        world.silenceUntil(Kind.TURN_COMMITTED, 1);
        long waited = world.event(Kind.TURN_COMMITTED, 1).atSample()
                - world.event(Kind.SPEECH_ENDED, 1).atSample();
        assertThat(waited).isBetween(48_000L, 48_000L + 511);
    }

    @Test
    void aPauseShorterThanTheLimitDoesNotEndTheTurn() {
        world.speak(20);
        world.silence(15);
        world.speak(20);
        world.settle();
        assertThat(world.events(Kind.TURN_COMMITTED)).hasSize(1);
    }

    @Test
    void speechThatResumesBeforeTheReplyHasStartedIsAnsweredTogetherWithTheFirst() {
        world.latencies = new ScriptedWorld.Latencies(40, 2_000, 20, 40, 4, 10);
        world.speak(20);
        world.silenceUntil(Kind.GENERATION_STARTED, 1);
        world.silence(3);
        world.speak(20);
        world.settle();
        assertThat(outcome(1)).isEqualTo(Outcome.CONTINUED.name());
        assertThat(outcome(2)).isEqualTo(Outcome.ANSWERED.name());
        assertThat(world.event(Kind.GENERATION_CANCELLED, 1).text()).contains("turn 2");
        assertThat(world.asked(2).getLast().text()).isEqualTo("words of turn 1 words of turn 2");
        assertThat(world.played(1)).isEmpty();
    }

    @Test
    void speechThatResumesJustBeforeTheReplyStartsIsAnsweredTogetherWithTheFirst() {
        world.speak(20);
        world.silenceUntil(Kind.FIRST_SENTENCE, 1);
        world.speak(20);
        world.settle();
        assertThat(world.event(Kind.REPLY_STARTED, 1).atSample())
                .isGreaterThanOrEqualTo(world.event(Kind.ONSET, 1).atSample());
        assertThat(outcome(1)).isEqualTo(Outcome.CONTINUED.name());
        assertThat(world.asked(2).getLast().text()).isEqualTo("words of turn 1 words of turn 2");
        assertThat(world.asked(2)).hasSize(1);
    }

    @Test
    void speechThatResumesWhileTheFirstIsStillTranscribedLosesNoWords() {
        world.latencies = new ScriptedWorld.Latencies(900, 100, 20, 40, 4, 10);
        world.speak(40);
        world.silenceUntil(Kind.TURN_COMMITTED, 1);
        world.speak(40);
        world.settle();
        assertThat(world.asked).containsOnlyKeys(2L);
        assertThat(world.asked(2).getLast().text()).isEqualTo("words of turn 1 words of turn 2");
    }

    @Test
    void anInterruptionOfALongAnswerStopsSoundVoiceAndModelAndOnlyTheNewTurnIsAnswered() {
        world.latencies = new ScriptedWorld.Latencies(40, 80, 60, 40, 4, 10);
        world.reply = turn -> turn == 1 ? LONG_REPLY : "Fine.";
        world.speak(20);
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.silence(30);
        long onset = world.conversation.nowSample();
        world.speak(20);
        world.settle();
        TurnEvent hard = world.event(Kind.HARD_STOPPED, 1);
        assertThat(world.event(Kind.ONSET, 1).atSample()).isEqualTo(onset);
        assertThat(TurnOptions.toMs(world.event(Kind.SOFT_STOPPED, 1).atSample() - onset))
                .isEqualTo(64);
        assertThat(TurnOptions.toMs(hard.atSample() - onset)).isEqualTo(192);
        assertThat(world.played(1)).allMatch(sample -> sample.atSample() < onset + TurnOptions.ms(64));
        assertThat(outcome(1)).isEqualTo(Outcome.INTERRUPTED.name());
        assertThat(world.event(Kind.GENERATION_CANCELLED, 1).atSample()).isEqualTo(hard.atSample());
        assertThat(world.event(Kind.WENT_IDLE, 1).atSample() - hard.atSample()).isLessThanOrEqualTo(TurnOptions.ms(96));
        assertThat(outcome(2)).isEqualTo(Outcome.ANSWERED.name());
        assertThat(world.arbitrator.stats().bargeIns()).isEqualTo(1);
    }

    @Test
    void theHistoryIsCutAtTheLastWordHeard() {
        world.reply = turn -> "One two three four five six seven eight nine ten eleven twelve.";
        world.speak(20);
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.silence(40);
        world.speak(20);
        world.silenceUntil(Kind.ENDED, 2);
        String heard = world.event(Kind.REPLY_ENDED, 1).text();
        long playedCharacters = world.played(1).size() / world.samplesPerCharacter;
        assertThat("One two three four five six seven eight nine ten eleven twelve.")
                .startsWith(heard + " ");
        assertThat((long) heard.length()).isBetween(playedCharacters - 8, playedCharacters);
        assertThat(world.asked(2)).contains(new Message(Role.ASSISTANT, heard));
    }

    @Test
    void aShortNoiseOverTheReplyPausesItAndItGoesOnWithoutLosingASample() {
        world.speak(20);
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.silence(5);
        world.speak(3);
        world.settle();
        long soft = world.event(Kind.SOFT_STOPPED, 1).atSample();
        long resumed = world.event(Kind.RESUMED, 1).atSample();
        assertThat(resumed - soft).isBetween(8_000L, 8_000L + 511);
        assertThat(world.played(1)).noneMatch(sample -> sample.atSample() >= soft && sample.atSample() < resumed);
        List<ScriptedWorld.Played> played = world.played(1);
        for (int i = 0; i < played.size(); i++) {
            assertThat(played.get(i).index()).isEqualTo(i % 65_536);
        }
        assertThat(outcome(1)).isEqualTo(Outcome.ANSWERED.name());
        assertThat(world.asked).containsOnlyKeys(1L);
    }

    @Test
    void wordsAreWaitedForWhereTheyAreAskedFor() {
        ScriptedWorld strict = new ScriptedWorld(TurnOptions.DEFAULTS.with(new TurnOptions.BargeIn(2, 6, 8_000, 2)));
        strict.words = turn -> turn == 2 ? "mhm" : "words of turn " + turn;
        strict.speak(20);
        strict.silenceUntil(Kind.REPLY_STARTED, 1);
        strict.speak(8);
        strict.settle();
        assertThat(strict.events(Kind.HARD_STOPPED)).isEmpty();
        assertThat(strict.event(Kind.ENDED, 1).text()).isEqualTo(Outcome.ANSWERED.name());
    }

    @Test
    void aSingleWindowOverTheReplyDoesNothing() {
        world.speak(20);
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.speak(1);
        world.settle();
        assertThat(world.events(Kind.SOFT_STOPPED)).isEmpty();
    }

    @Test
    void criticalSpeechIsNeitherPausedNorCutAndTheUserIsAnsweredAfterIt() {
        String alert = "The battery is nearly empty. Please connect the charger at once.";
        world.inbox.post(new Signal.Announcement(SpeechPriority.SYSTEM_CRITICAL, alert));
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.speak(30);
        world.settle();
        List<ScriptedWorld.Played> played = world.played(1);
        for (int i = 1; i < played.size(); i++) {
            assertThat(played.get(i).atSample()).isEqualTo(played.get(i - 1).atSample() + 1);
        }
        assertThat(outcome(1)).isEqualTo(Outcome.ANSWERED.name());
        assertThat(world.event(Kind.REPLY_ENDED, 1).text()).isEqualTo(alert);
        assertThat(outcome(2)).isEqualTo(Outcome.ANSWERED.name());
        assertThat(world.played(2).getFirst().atSample())
                .isGreaterThan(played.getLast().atSample());
    }

    @Test
    void criticalSpeechDisplacesAReply() {
        world.reply = turn -> LONG_REPLY;
        world.speak(20);
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.silence(10);
        world.inbox.post(new Signal.Announcement(SpeechPriority.SYSTEM_CRITICAL, "Fire."));
        long before = world.conversation.nowSample();
        world.settle();
        assertThat(outcome(1)).isEqualTo(Outcome.DISPLACED.name());
        assertThat(world.played(1)).allMatch(sample -> sample.atSample() < before + 512);
        assertThat(outcome(2)).isEqualTo(Outcome.ANSWERED.name());
    }

    @Test
    void aReplacedCriticalAnnouncementIsSaidAgainFromItsStart() {
        world.inbox.post(new Signal.Announcement(SpeechPriority.SYSTEM_CRITICAL, "The battery is nearly empty."));
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.silence(5);
        world.inbox.post(new Signal.Announcement(SpeechPriority.SYSTEM_CRITICAL, "Fire."));
        world.settle();
        assertThat(world.event(Kind.REPLY_ENDED, 2).text()).isEqualTo("Fire.");
        assertThat(world.event(Kind.REPLY_ENDED, 1).text()).isEqualTo("The battery is nearly empty.");
        long afterFire = world.event(Kind.REPLY_ENDED, 2).atSample();
        assertThat(world.played(1).stream().filter(sample -> sample.atSample() >= afterFire))
                .hasSize("The battery is nearly empty.".length() * world.samplesPerCharacter);
    }

    @Test
    void speechWithoutWordsIsExcusedOnlyWhenItLastedHalfASecond() {
        world.words = turn -> "";
        world.speak(10);
        world.settle();
        assertThat(outcome(1)).isEqualTo(Outcome.SILENT.name());
        world.speak(20);
        world.settle();
        assertThat(world.event(Kind.REPLY_ENDED, 2).text()).isEqualTo("I did not get that.");
        assertThat(world.asked).isEmpty();
    }

    @Test
    void aTurnCancelledFromOutsideLeavesNothingQueued() {
        world.reply = turn -> LONG_REPLY;
        world.speak(20);
        world.silenceUntil(Kind.REPLY_STARTED, 1);
        world.silence(3);
        world.inbox.post(new Signal.CancelRequested(1, "the client is gone"));
        int before = world.played(1).size();
        world.settle();
        assertThat(world.played(1)).hasSize(before);
        assertThat(outcome(1)).isEqualTo(Outcome.CANCELLED.name());
        assertThat(world.arbitrator.speaking()).isEmpty();
        assertThat(world.jobsRunning).isZero();
    }

    @Test
    void aFailedStageEndsTheTurn() {
        world.latencies = new ScriptedWorld.Latencies(40, 5_000, 20, 40, 4, 10);
        world.speak(20);
        world.silenceUntil(Kind.GENERATION_STARTED, 1);
        world.inbox.post(new Signal.StageFailed(1, Signal.Stage.LLM, "the child died"));
        world.silence(1);
        assertThat(outcome(1)).isEqualTo(Outcome.FAILED.name());
        assertThat(world.event(Kind.FAILED, 1).text()).isEqualTo("LLM: the child died");
    }

    @Test
    void aStageThatHangsEndsTheTurnAfterTheTimeout() {
        world.latencies = new ScriptedWorld.Latencies(40, 100_000, 20, 40, 4, 10);
        world.speak(20);
        TurnEvent ended = world.silenceUntil(Kind.ENDED, 1);
        assertThat(ended.text()).isEqualTo(Outcome.FAILED.name());
        assertThat(world.event(Kind.FAILED, 1).text()).contains("no progress");
    }
}
