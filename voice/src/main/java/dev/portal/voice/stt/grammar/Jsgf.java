package dev.portal.voice.stt.grammar;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads the Java Speech Grammar Format: rules of words, alternatives, groups, options and repetitions. Weights and tags
 * are passed over; imports and rules that contain themselves are refused. Letters become small.
 */
final class Jsgf {
    /** What may be said at one place. */
    sealed interface Expansion {}

    record Word(String letters) implements Expansion {}

    record Reference(String rule) implements Expansion {}

    record Sequence(List<Expansion> parts) implements Expansion {}

    /** One of them; none of none, and nothing at all is the empty sequence. */
    record Choice(List<Expansion> ways) implements Expansion {}

    record Repeated(Expansion once) implements Expansion {}

    /**
     * A grammar.
     *
     * @param rules by name
     * @param start the public rules
     */
    record Rules(Map<String, Expansion> rules, Expansion start) {}

    private static final Expansion NOTHING = new Sequence(List.of());
    private static final String SPECIAL = ";=|*+<>()[]{}/\"";

    private final String name;
    private final String text;
    private final Map<String, Expansion> rules = new LinkedHashMap<>();
    private final List<Expansion> starts = new ArrayList<>();
    private int at;

    private Jsgf(CommandGrammar grammar) {
        name = grammar.name();
        text = withoutComments(grammar.jsgf());
    }

    /** @throws IllegalArgumentException with the line, when it is none */
    static Rules read(CommandGrammar grammar) {
        return new Jsgf(grammar).rules();
    }

    private static String withoutComments(String jsgf) {
        StringBuilder kept = new StringBuilder();
        for (int i = 0; i < jsgf.length(); ) {
            boolean line = jsgf.startsWith("//", i);
            if (!line && !jsgf.startsWith("/*", i)) {
                kept.append(jsgf.charAt(i++));
                continue;
            }
            int end = jsgf.indexOf(line ? "\n" : "*/", i + 2);
            int next = end < 0 ? jsgf.length() : end + (line ? 0 : 2);
            // Line ends stay, for the numbers of lines.
            jsgf.substring(i, next).chars().filter(c -> c == '\n').forEach(c -> kept.append('\n'));
            i = next;
        }
        return kept.toString();
    }

    private Rules rules() {
        while (!isAtEnd()) {
            statement();
        }
        if (starts.isEmpty()) {
            throw wrong("no public rule; nothing can be said");
        }
        return new Rules(Map.copyOf(rules), new Choice(List.copyOf(starts)));
    }

    private boolean isAtEnd() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at == text.length();
    }

    private void statement() {
        if (text.startsWith("#JSGF", at) || keyword("grammar")) {
            int end = text.indexOf(';', at);
            if (end < 0) {
                throw wrong("the line does not end in ';'");
            }
            at = end + 1;
            return;
        }
        if (keyword("import")) {
            throw wrong("imports are not read; write the rules into one file");
        }
        boolean open = keyword("public");
        String rule = reference();
        expect('=');
        Expansion expansion = choice();
        expect(';');
        if (rules.putIfAbsent(rule, expansion) != null) {
            throw wrong("<" + rule + "> is there twice");
        }
        if (open) {
            starts.add(new Reference(rule));
        }
    }

    /** Whether the word comes next, and not as the beginning of another one; goes on behind it. */
    private boolean keyword(String word) {
        isAtEnd();
        int end = at + word.length();
        if (!text.startsWith(word, at)
                || (end < text.length() && !Character.isWhitespace(text.charAt(end)) && text.charAt(end) != '<')) {
            return false;
        }
        at = end;
        return true;
    }

    private boolean take(char wanted) {
        if (isAtEnd() || text.charAt(at) != wanted) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char wanted) {
        if (!take(wanted)) {
            throw wrong("expected '" + wanted + "', found "
                    + (at == text.length() ? "the end" : "'" + text.charAt(at) + "'"));
        }
    }

    private String until(char end) {
        int from = at;
        at = text.indexOf(end, from) + 1;
        if (at == 0) {
            at = from;
            throw wrong("'" + end + "' is missing");
        }
        return text.substring(from, at - 1);
    }

    private String reference() {
        expect('<');
        return until('>').strip();
    }

    private Expansion choice() {
        List<Expansion> ways = new ArrayList<>();
        do {
            if (take('/')) {
                until('/');
            }
            ways.add(sequence());
        } while (take('|'));
        return ways.size() == 1 ? ways.getFirst() : new Choice(List.copyOf(ways));
    }

    private Expansion sequence() {
        List<Expansion> parts = new ArrayList<>();
        while (!isAtEnd() && "|);]".indexOf(text.charAt(at)) < 0) {
            parts.add(repeated(item()));
        }
        return parts.size() == 1 ? parts.getFirst() : new Sequence(List.copyOf(parts));
    }

    private Expansion repeated(Expansion item) {
        Expansion all = item;
        while (true) {
            if (take('*')) {
                all = new Choice(List.of(new Repeated(all), NOTHING));
            } else if (take('+')) {
                all = new Repeated(all);
            } else if (take('{')) {
                until('}');
            } else {
                return all;
            }
        }
    }

    private Expansion item() {
        if (take('(')) {
            Expansion inner = choice();
            expect(')');
            return inner;
        }
        if (take('[')) {
            Expansion inner = choice();
            expect(']');
            return new Choice(List.of(inner, NOTHING));
        }
        if (take('"')) {
            return new Word(until('"').toLowerCase(Locale.ROOT));
        }
        if (text.charAt(at) == '<') {
            String rule = reference();
            return switch (rule) {
                case "NULL" -> NOTHING;
                case "VOID" -> new Choice(List.of());
                default -> new Reference(rule);
            };
        }
        int from = at;
        while (at < text.length() && !Character.isWhitespace(text.charAt(at)) && SPECIAL.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        if (at == from) {
            throw wrong("'" + text.charAt(at) + "' has no place here");
        }
        return new Word(text.substring(from, at).toLowerCase(Locale.ROOT));
    }

    private IllegalArgumentException wrong(String what) {
        long line = 1
                + text.substring(0, Math.min(at, text.length()))
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
        return new IllegalArgumentException("grammar " + name + ", line " + line + ": " + what);
    }
}
