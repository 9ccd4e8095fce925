package dev.portal.voice.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.llm.LanguageModel.FinishReason;
import dev.portal.llm.LanguageModel.Message;
import dev.portal.voice.arbitration.PortalTtsArbitrator;
import dev.portal.voice.stt.Transcript;
import dev.portal.voice.turn.TurnEvent.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reply leaks into the microphone, where the detector takes it for speech. */
class ConversationEchoTest {
    private static final float[] REPLY = SpokenSound.voice(11, 190, 4 * TurnOptions.SAMPLE_RATE_HZ);
    private static final float[] USER = SpokenSound.voice(12, 115, 2 * TurnOptions.SAMPLE_RATE_HZ);

    private final Room room = new Room();

    /** A loudspeaker, a microphone, and a detector that takes every sound for speech. */
    private static final class Room implements Effects {
        final List<TurnEvent> events = new ArrayList<>();
        final float[] played = new float[60 * TurnOptions.SAMPLE_RATE_HZ];
        final Inbox inbox = new Inbox(() -> {});
        final Conversation conversation = new Conversation(
                TurnOptions.DEFAULTS, this, new PortalTtsArbitrator(), inbox, new VirtualClock(), events::add);
        final float[] user = new float[60 * TurnOptions.SAMPLE_RATE_HZ];
        double gain;
        int delaySamples;
        int playedSamples;

        /** A window: what was played before, as it leaks, and the user. */
        void window() {
            int now = (int) conversation.nowSample();
            float[] microphone = new float[TurnOptions.WINDOW_SAMPLES];
            double energy = 0;
            for (int i = 0; i < microphone.length; i++) {
                // What is played during a window is decided with it, so the leak is a window late at least.
                int from = now + i - TurnOptions.WINDOW_SAMPLES - delaySamples;
                microphone[i] = user[now + i] + (from < 0 ? 0 : (float) (gain * played[from]));
                energy += microphone[i] * microphone[i];
            }
            conversation.window(microphone, energy > microphone.length * 1e-6 ? 0.95f : 0.02f);
        }

        void userSpeaks(float[] sound) {
            System.arraycopy(sound, 0, user, (int) conversation.nowSample(), sound.length);
        }

        /** The user says something, and its reply begins. */
        void converse() {
            userSpeaks(Arrays.copyOf(USER, TurnOptions.SAMPLE_RATE_HZ));
            while (playedSamples == 0 && conversation.nowSample() < 20 * TurnOptions.SAMPLE_RATE_HZ) {
                window();
            }
        }

        void windows(int count) {
            for (int i = 0; i < count; i++) {
                window();
            }
        }

        long count(Kind kind) {
            return events.stream().filter(event -> event.kind() == kind).count();
        }

        @Override
        public void startRecognition(long turn) {}

        @Override
        public void recognize(long turn, float[] samples) {
            inbox.post(new Signal.PartialTranscript(turn, "words"));
        }

        @Override
        public void finishRecognition(long turn) {
            inbox.post(new Signal.TranscriptReady(turn, new Transcript("words", 1)));
        }

        @Override
        public void abandonRecognition(long turn) {}

        @Override
        public void generate(long turn, List<Message> messages, int maxTokens) {
            if (turn == 1) {
                inbox.post(new Signal.LlmToken(turn, 0, "A long reply."));
            }
            inbox.post(new Signal.GenerationEnded(turn, FinishReason.STOP));
        }

        @Override
        public void cancelGeneration(long turn, String reason) {}

        @Override
        public void synthesize(long turn, int sentence, String text) {
            inbox.post(new Signal.SpeechPiece(turn, sentence, REPLY.clone()));
            inbox.post(new Signal.SentenceEnded(turn, sentence));
        }

        @Override
        public void cancelSynthesis(long turn) {}

        @Override
        public void play(long atSample, float[] samples, int count) {
            System.arraycopy(samples, 0, played, (int) atSample, count);
            playedSamples += count;
        }
    }

    @ParameterizedTest
    @CsvSource({"0.05,0", "0.3,160", "0.5,1000", "1.0,3000", "2.0,701"})
    void aLeakedReplyNeitherPausesNorInterruptsItself(double gain, int delaySamples) {
        room.gain = gain;
        room.delaySamples = delaySamples;
        room.converse();
        room.windows(200);
        assertThat(room.count(Kind.ECHO_IGNORED)).isGreaterThan(60);
        assertThat(room.count(Kind.SOFT_STOPPED)).isZero();
        assertThat(room.playedSamples).isEqualTo(REPLY.length);
    }

    @ParameterizedTest
    @CsvSource({"0.0,0", "0.3,160", "0.7,1000"})
    void aSecondVoiceOverTheLeakInterrupts(double gain, int delaySamples) {
        room.gain = gain;
        room.delaySamples = delaySamples;
        room.converse();
        room.windows(20);
        long onset = room.conversation.nowSample();
        room.userSpeaks(USER);
        room.windows(200);
        assertThat(room.count(Kind.HARD_STOPPED)).isEqualTo(1);
        long hard = room.events.stream()
                .filter(event -> event.kind() == Kind.HARD_STOPPED)
                .findFirst()
                .orElseThrow()
                .atSample();
        assertThat(TurnOptions.toMs(hard - onset)).isBetween(192.0, 400.0);
        assertThat(room.playedSamples).isLessThan(REPLY.length / 2);
    }
}
