package dev.portal.voice.turn;

import dev.portal.base.Clock;
import dev.portal.llm.LanguageModel;
import dev.portal.scheduler.Inference;
import dev.portal.voice.arbitration.PortalTtsArbitrator;
import dev.portal.voice.arbitration.SpeechPriority;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.vad.VoiceDetector;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lets a {@link Conversation} run with real engines: reads the microphone window by window, asks the detector, and hands
 * on what the engines post.
 *
 * <p>{@link Pace#HELD} is for files: a window is taken when every engine has finished what the last one started, and no
 * input is read while a reply is made and played (silence is heard instead). What comes out then depends on the input
 * alone, not on the speed of the machine. {@link Pace#REALTIME} takes a window every 32 ms whatever the engines do.
 *
 * <p>The thread that calls {@link #run} is the conversation's; {@link #announce} and {@link #cancel} may be called by any
 * other. The engines belong to the caller, who closes them after the runner.
 */
public final class TurnRunner implements AutoCloseable {
    /** Who sets the pace. */
    public enum Pace {
        HELD,
        REALTIME
    }

    /** The engines of a conversation. Detector and recognizer take 16 kHz; the voice may have any rate. */
    public record Engines(
            VoiceDetector detector,
            StreamingRecognizer recognizer,
            LanguageModel model,
            SpeechEngine voice,
            Inference inference) {}

    /**
     * What the microphone hears beside its source.
     *
     * @param interruption mixed in over the first reply; empty for none
     * @param afterReplyStartSamples when it begins
     * @param leakGain how much of what is played the microphone hears, 0 for nothing
     * @param leakDelaySamples how much later it hears it, up to 5000
     */
    public record Room(float[] interruption, int afterReplyStartSamples, double leakGain, int leakDelaySamples) {
        /** Nothing but the source. */
        public static final Room QUIET = new Room(new float[0], 0, 0, 0);
    }

    private static final int WINDOW = TurnOptions.WINDOW_SAMPLES;
    private static final long WINDOW_NANOS = WINDOW * 1_000_000_000L / TurnOptions.SAMPLE_RATE_HZ;

    private final VoiceDetector detector;
    private final Clock clock;
    private final Inbox inbox;
    private final EngineStages stages;
    private final Conversation conversation;
    private final Microphone microphone;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile @Nullable Thread thread;

    /** Takes ownership of nothing but its own threads. */
    public TurnRunner(
            Engines engines,
            PortalTtsArbitrator arbitrator,
            TurnOptions options,
            AudioOutput output,
            Clock clock,
            TurnObserver observer) {
        this(engines, arbitrator, options, output, clock, observer, Room.QUIET);
    }

    /** The same in a room where the microphone hears more than its source. */
    public TurnRunner(
            Engines engines,
            PortalTtsArbitrator arbitrator,
            TurnOptions options,
            AudioOutput output,
            Clock clock,
            TurnObserver observer,
            Room room) {
        this.detector = engines.detector();
        if (detector.sampleRateHz() != TurnOptions.SAMPLE_RATE_HZ || detector.windowSamples() != WINDOW) {
            throw new IllegalArgumentException("detector " + detector.name() + " wants " + detector.windowSamples()
                    + " samples at " + detector.sampleRateHz() + " Hz; a conversation has " + WINDOW + " at "
                    + TurnOptions.SAMPLE_RATE_HZ);
        }
        this.clock = clock;
        this.microphone = new Microphone(room);
        this.inbox = new Inbox(this::wake);
        this.stages = new EngineStages(
                engines,
                (atSample, samples, count) -> {
                    microphone.played(atSample, samples, count);
                    output.play(atSample, samples, count);
                },
                inbox,
                this::wake);
        this.conversation = new Conversation(options, stages, arbitrator, inbox, clock, observer);
    }

    /** What was said so far. */
    public Conversation conversation() {
        return conversation;
    }

    /** Has something said that no user asked for. Any thread. */
    public void announce(SpeechPriority priority, String text) {
        inbox.post(new Signal.Announcement(priority, text));
    }

    /** Ends a turn, or every turn when it is 0. Any thread. */
    public void cancel(long turn, String reason) {
        inbox.post(new Signal.CancelRequested(turn, reason));
    }

    /** Makes {@link #run} return at the next window. Any thread. */
    public void stop() {
        stopped.set(true);
        wake();
    }

    /**
     * Runs until the source has ended and everything that it started is over, or {@link #stop} is called.
     *
     * @param source mono, 16 kHz; read to its end, not closed
     * @throws IOException what the source throws
     */
    public void run(SampleSource source, Pace pace) throws IOException {
        if (source.sampleRateHz() != TurnOptions.SAMPLE_RATE_HZ) {
            throw new IllegalArgumentException(
                    "a source of " + source.sampleRateHz() + " Hz; resample it to " + TurnOptions.SAMPLE_RATE_HZ);
        }
        thread = Thread.currentThread();
        long startNanos = clock.nanos() - conversation.nowSample() / WINDOW * WINDOW_NANOS;
        float[] window = new float[WINDOW];
        boolean more = true;
        while (!stopped.get() && (more || !conversation.idle() || microphone.interrupting())) {
            boolean held = pace == Pace.HELD && (conversation.answering() || microphone.interrupting());
            Arrays.fill(window, 0);
            if (more && !held) {
                more = fill(source, window);
            }
            microphone.mix(conversation.nowSample(), window);
            if (pace == Pace.REALTIME) {
                waitUntil(startNanos + (conversation.nowSample() / WINDOW + 1) * WINDOW_NANOS);
            }
            conversation.window(window.clone(), detector.probability(window, 0));
            if (pace == Pace.HELD) {
                waitForEngines();
            }
        }
    }

    private static boolean fill(SampleSource source, float[] window) throws IOException {
        int filled = 0;
        while (filled < window.length) {
            int read = source.read(window, filled, window.length - filled);
            if (read == SampleSource.END) {
                return false;
            }
            filled += read;
        }
        return true;
    }

    private void waitUntil(long dueNanos) {
        while (!stopped.get() && clock.nanos() < dueNanos) {
            if (conversation.drain() == 0) {
                clock.parkUntil(dueNanos);
            }
        }
    }

    /** Until no engine works and all that they posted is handled; what is posted last comes before the work's end. */
    private void waitForEngines() {
        while (!stopped.get()) {
            boolean quiet = stages.quiet();
            if (conversation.drain() == 0) {
                if (quiet) {
                    return;
                }
                clock.parkUntil(Clock.NEVER);
            }
        }
    }

    private void wake() {
        Thread runner = thread;
        if (runner != null) {
            clock.unpark(runner);
        }
    }

    @Override
    public void close() {
        stop();
        stages.close();
    }

    /** The sound of the room. Of the conversation's thread. */
    private static final class Microphone {
        private final Room room;
        private final float[] leak = new float[1 << 13];
        private long interruptionStart = -1;
        private int mixed;

        Microphone(Room room) {
            this.room = room;
            if (room.leakDelaySamples() < 0 || room.leakDelaySamples() > leak.length - 2 * WINDOW) {
                throw new IllegalArgumentException("a leak delayed by " + room.leakDelaySamples() + " samples");
            }
        }

        /** Whether an interruption has been started and not been heard to its end. */
        boolean interrupting() {
            return interruptionStart >= 0 && mixed < room.interruption().length;
        }

        void played(long atSample, float[] samples, int count) {
            if (interruptionStart < 0) {
                interruptionStart = atSample + room.afterReplyStartSamples();
            }
            for (int i = 0; i < count; i++) {
                leak[place(atSample + i)] = samples[i];
            }
        }

        private int place(long sample) {
            return (int) (sample & (leak.length - 1));
        }

        /** Adds what else is heard from {@code now} on. Sound that is played in this window leaks from the next one on. */
        void mix(long now, float[] window) {
            for (int i = 0; i < window.length; i++) {
                long sample = now + i;
                long leaked = sample - WINDOW - room.leakDelaySamples();
                if (leaked >= 0) {
                    window[i] += (float) (room.leakGain() * leak[place(leaked)]);
                }
                if (interruptionStart >= 0 && sample >= interruptionStart && mixed < room.interruption().length) {
                    window[i] += room.interruption()[mixed++];
                }
            }
            for (int i = 0; i < window.length; i++) {
                leak[place(now + i)] = 0;
            }
        }
    }
}
