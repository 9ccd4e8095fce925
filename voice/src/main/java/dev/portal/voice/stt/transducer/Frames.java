package dev.portal.voice.stt.transducer;

import java.util.Arrays;

/**
 * What the encoder made of a stretch of features.
 *
 * @param values frame after frame
 * @param count of frames
 * @param width values a frame
 */
record Frames(float[] values, int count, int width) {
    float[] frame(int index) {
        return Arrays.copyOfRange(values, index * width, (index + 1) * width);
    }
}
