package dev.portal.voice.intent;

import dev.portal.voice.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tokenizer of BERT's uncased models, from a {@code tokenizer.json} of that kind: text is lower-cased, accents are
 * dropped, words are cut at blanks, around punctuation and around each CJK character, and a word becomes the longest
 * pieces of the vocabulary from left to right; one that cannot be cut is unknown as a whole.
 *
 * <p>Immutable; any thread.
 */
final class WordPiece {
    private final Map<String, Integer> vocabulary;
    private final String continuation;
    private final int longestWord;
    private final int unknown;
    private final int classify;
    private final int separate;

    private WordPiece(JsonNode json) {
        JsonNode model = json.path("model");
        if (!model.path("type").asString("").equals("WordPiece")
                || !json.path("normalizer").path("lowercase").asBoolean(false)) {
            throw new IllegalArgumentException("it is for a " + model.path("type") + " model with the normalizer "
                    + json.path("normalizer") + "; a lower-casing WordPiece is needed");
        }
        this.vocabulary = new HashMap<>();
        model.path("vocab").forEachEntry((piece, number) -> vocabulary.put(piece, number.asInt()));
        this.continuation = model.path("continuing_subword_prefix").asString("##");
        this.longestWord = model.path("max_input_chars_per_word").asInt(100);
        this.unknown = number(model.path("unk_token").asString("[UNK]"));
        this.classify = number("[CLS]");
        this.separate = number("[SEP]");
    }

    private int number(String piece) {
        Integer number = vocabulary.get(piece);
        if (number == null) {
            throw new IllegalArgumentException("its vocabulary of " + vocabulary.size() + " lacks " + piece);
        }
        return number;
    }

    /** @throws StageException when the file is missing or of another kind */
    static WordPiece read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new StageException("no " + file + "; './portal models fetch' brings it");
        }
        try {
            return parse(Files.readString(file));
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            throw new StageException("cannot use " + file + ": " + e.getMessage(), e);
        }
    }

    static WordPiece parse(String json) {
        return new WordPiece(JsonMapper.shared().readTree(json));
    }

    /**
     * Encodes a sentence.
     *
     * @param most tokens, with the two around the sentence; what is left over is cut off
     */
    long[] encode(String text, int most) {
        List<Integer> tokens = new ArrayList<>();
        tokens.add(classify);
        for (String word : words(text)) {
            pieces(word, tokens);
        }
        while (tokens.size() > most - 1) {
            tokens.removeLast();
        }
        tokens.add(separate);
        return tokens.stream().mapToLong(Integer::longValue).toArray();
    }

    private void pieces(String word, List<Integer> tokens) {
        int[] characters = word.codePoints().toArray();
        List<Integer> found = new ArrayList<>();
        int start = 0;
        while (start < characters.length && characters.length <= longestWord) {
            int end = characters.length;
            Integer piece = null;
            while (end > start && piece == null) {
                String text = new String(characters, start, end - start);
                piece = vocabulary.get(start == 0 ? text : continuation + text);
                end--;
            }
            if (piece == null) {
                break;
            }
            found.add(piece);
            start = end + 1;
        }
        tokens.addAll(start == characters.length ? found : List.of(unknown));
    }

    private static List<String> words(String text) {
        String plain = Normalizer.normalize(text, Normalizer.Form.NFD).toLowerCase(Locale.ROOT);
        StringBuilder spaced = new StringBuilder();
        plain.codePoints().forEach(c -> {
            if (Character.isWhitespace(c) || Character.isSpaceChar(c)) {
                spaced.append(' ');
            } else if (isPunctuation(c) || isCjk(c)) {
                spaced.append(' ').appendCodePoint(c).append(' ');
            } else if (!isDropped(c)) {
                spaced.appendCodePoint(c);
            }
        });
        return Arrays.stream(spaced.toString().split(" ", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private static boolean isDropped(int c) {
        return switch (Character.getType(c)) {
            case Character.NON_SPACING_MARK,
                    Character.CONTROL,
                    Character.FORMAT,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> true;
            default -> c == 0xfffd;
        };
    }

    private static boolean isPunctuation(int c) {
        boolean ascii =
                (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
        return ascii
                || switch (Character.getType(c)) {
                    case Character.CONNECTOR_PUNCTUATION,
                            Character.DASH_PUNCTUATION,
                            Character.START_PUNCTUATION,
                            Character.END_PUNCTUATION,
                            Character.INITIAL_QUOTE_PUNCTUATION,
                            Character.FINAL_QUOTE_PUNCTUATION,
                            Character.OTHER_PUNCTUATION -> true;
                    default -> false;
                };
    }

    private static boolean isCjk(int c) {
        return (c >= 0x4e00 && c <= 0x9fff)
                || (c >= 0x3400 && c <= 0x4dbf)
                || (c >= 0x20000 && c <= 0x2ceaf)
                || (c >= 0xf900 && c <= 0xfaff)
                || (c >= 0x2f800 && c <= 0x2fa1f);
    }
}
