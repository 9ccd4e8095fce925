package dev.portal.voice.tts;

import com.sun.speech.freetts.Voice;
import com.sun.speech.freetts.audio.AudioPlayer;
import com.sun.speech.freetts.en.us.cmu_us_kal.KevinVoiceDirectory;
import javax.sound.sampled.AudioFormat;

/**
 * Speaks with FreeTTS, flite's ancestor in pure Java: for machines on which no native library can be had. One male
 * American voice, kevin16.
 *
 * <p>Its stages are cut as with {@link FliteEngine}: up to the first audio, and the audio.
 */
public final class FreeTtsEngine implements SpeechEngine {
    private static final int SAMPLE_RATE_HZ = 16_000;
    private static final int PIECE_SAMPLES = SAMPLE_RATE_HZ / 50;
    private static final String VOICE = "kevin16";

    private final Voice voice;
    private final PushedSpeech speech;

    /**
     * @param speed 1 is the voice's own, 2 twice as fast; 0.25 to 4
     */
    public FreeTtsEngine(float speed) {
        this.voice = kevin16();
        voice.setDurationStretch(1 / FliteEngine.requireSpeed(speed));
        voice.allocate();
        this.speech = new PushedSpeech(name(), this::speak);
    }

    private static Voice kevin16() {
        for (Voice candidate : new KevinVoiceDirectory().getVoices()) {
            if (candidate.getName().equals(VOICE)) {
                return candidate;
            }
        }
        throw new IllegalStateException("the FreeTTS jar has no voice " + VOICE + "; it is another one than 1.2.2");
    }

    @Override
    public String name() {
        return "freetts " + VOICE;
    }

    @Override
    public int sampleRateHz() {
        return SAMPLE_RATE_HZ;
    }

    @Override
    public Utterance prepare(String text) {
        return speech.prepare(text);
    }

    private boolean speak(String sentence, Utterance.PieceSink sink) {
        SinkPlayer player = new SinkPlayer(sink);
        voice.setAudioPlayer(player);
        voice.speak(sentence);
        return player.wanted;
    }

    @Override
    public void close() {
        speech.close();
        voice.deallocate();
    }

    /** Takes FreeTTS's audio: 16 bit, big-endian unless the format says otherwise. */
    private static final class SinkPlayer implements AudioPlayer {
        private final Utterance.PieceSink sink;
        private final float[] piece = new float[PIECE_SAMPLES];
        private AudioFormat format = new AudioFormat(SAMPLE_RATE_HZ, 16, 1, true, true);
        private volatile boolean wanted = true;

        SinkPlayer(Utterance.PieceSink sink) {
            this.sink = sink;
        }

        @Override
        public boolean write(byte[] audio) {
            return write(audio, 0, audio.length);
        }

        @Override
        public boolean write(byte[] audio, int offset, int bytes) {
            int high = format.isBigEndian() ? 0 : 1;
            int samples = bytes / 2;
            for (int start = 0; start < samples && wanted; start += PIECE_SAMPLES) {
                int count = Math.min(PIECE_SAMPLES, samples - start);
                for (int i = 0; i < count; i++) {
                    int at = offset + 2 * (start + i);
                    piece[i] = (short) ((audio[at + high] << 8) | (audio[at + 1 - high] & 0xff)) / 32768f;
                }
                wanted = sink.accept(piece, 0, count);
            }
            return true;
        }

        @Override
        public void setAudioFormat(AudioFormat format) {
            this.format = format;
        }

        @Override
        public AudioFormat getAudioFormat() {
            return format;
        }

        @Override
        public boolean drain() {
            return true;
        }

        @Override
        public boolean end() {
            return true;
        }

        @Override
        public float getVolume() {
            return 1;
        }

        @Override
        public long getTime() {
            return 0;
        }

        @Override
        public void begin(int bytes) {}

        @Override
        public void pause() {}

        @Override
        public void resume() {}

        @Override
        public void reset() {}

        @Override
        public void cancel() {}

        @Override
        public void close() {}

        @Override
        public void setVolume(float volume) {}

        @Override
        public void resetTime() {}

        @Override
        public void startFirstSampleTimer() {}

        @Override
        public void showMetrics() {}
    }
}
