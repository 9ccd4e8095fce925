/** What may be said: sentences in the Java Speech Grammar Format, and how far one has come in them. */
@NullMarked
package dev.portal.voice.stt.grammar;

import org.jspecify.annotations.NullMarked;
