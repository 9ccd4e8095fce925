package dev.portal.app.doctor;

import org.jspecify.annotations.Nullable;

/**
 * One thing that doctor looked at.
 *
 * @param topic what was looked at, one or two words
 * @param text what was found, with its value
 * @param fix the next step; null where nothing is to be done
 */
record Finding(
        Level level, String topic, String text, @Nullable String fix) {
    /** How bad it is. */
    enum Level {
        /** As it should be. */
        OK,
        /** Worth knowing; nothing is broken. */
        NOTE,
        /** Works, but not as well as it could. */
        WARNING,
        /** Something that Portal needs is missing: doctor ends with 3. */
        MISSING
    }

    static Finding ok(String topic, String text) {
        return new Finding(Level.OK, topic, text, null);
    }

    static Finding note(String topic, String text, @Nullable String fix) {
        return new Finding(Level.NOTE, topic, text, fix);
    }

    static Finding warning(String topic, String text, String fix) {
        return new Finding(Level.WARNING, topic, text, fix);
    }

    static Finding missing(String topic, String text, String fix) {
        return new Finding(Level.MISSING, topic, text, fix);
    }
}
