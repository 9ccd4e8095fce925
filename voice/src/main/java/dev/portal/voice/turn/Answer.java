package dev.portal.voice.turn;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A turn that the user has ended, on its way to its answer. */
final class Answer {
    final long turn;
    final List<UserSpeech.Part> parts;
    final SentenceSplitter splitter = new SentenceSplitter();

    /** What was asked; set once every part is transcribed. */
    String question = "";

    boolean recognitionFailed;
    boolean sawToken;

    @Nullable
    Reply reply;

    Answer(long turn, List<UserSpeech.Part> parts) {
        this.turn = turn;
        this.parts = parts;
    }

    boolean transcribed() {
        return parts.stream().allMatch(part -> part.text != null);
    }

    String words() {
        return String.join(
                " ",
                parts.stream()
                        .map(part -> Objects.requireNonNullElse(part.text, ""))
                        .filter(text -> !text.isBlank())
                        .toList());
    }

    long speechSamples() {
        return parts.stream().mapToLong(part -> part.speechSamples).sum();
    }

    /** Whether the reply was to be heard before this time. */
    boolean heardBefore(long sample) {
        return reply != null && reply.playedSamples() > 0 && reply.startedSample() < sample;
    }
}
