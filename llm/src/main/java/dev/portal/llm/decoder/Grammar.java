package dev.portal.llm.decoder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an answer may be, in a subset of GBNF: rules {@code name ::= ...}, the first letter of an answer from {@code
 * root}; texts in double quotes, character classes with ranges and {@code ^}, {@code .}, names, groups, {@code |}, and
 * {@code * + ? {m} {m,} {m,n}}; comments after {@code #}. Immutable.
 */
public final class Grammar {
    /** A rule that is repeated by {@code {m,n}} is written out; more than this is a mistake. */
    private static final int MOST_REPETITIONS = 256;

    /** What stands in a sequence. */
    sealed interface Item {}

    /** One character out of ranges {@code from, to, from, to, ...}, or none of them. */
    record Letter(List<Integer> ranges, boolean negated) implements Item {
        boolean matches(int point) {
            boolean within = false;
            for (int i = 0; i < ranges.size() && !within; i += 2) {
                within = point >= ranges.get(i) && point <= ranges.get(i + 1);
            }
            return within != negated;
        }
    }

    /** Another rule, by number. */
    record Rule(int index) implements Item {}

    private final List<List<List<Item>>> rules;
    private final int root;

    private Grammar(List<List<List<Item>>> rules, int root) {
        this.rules = rules;
        this.root = root;
    }

    /**
     * Reads a grammar.
     *
     * @throws IllegalArgumentException with line and column when it is none, or when a rule begins with itself
     */
    public static Grammar parse(String text) {
        return new Parser(text).grammar();
    }

    /** A matcher at the beginning of an answer. */
    GrammarMatcher matcher() {
        return new GrammarMatcher(this);
    }

    List<List<Item>> alternatives(int rule) {
        return rules.get(rule);
    }

    int root() {
        return root;
    }

    private static final class Parser {
        private final String text;
        private final Map<String, Integer> names = new HashMap<>();
        private final List<List<List<Item>>> rules = new ArrayList<>();
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Grammar grammar() {
            skip(true);
            while (at < text.length()) {
                int rule = rule(name());
                skip(false);
                expect("::=");
                skip(true);
                if (!rules.get(rule).isEmpty()) {
                    throw error("a rule is there twice");
                }
                rules.set(rule, alternatives(false));
                skip(true);
            }
            Integer root = names.get("root");
            if (root == null) {
                throw error("there is no rule 'root'");
            }
            names.forEach((name, index) -> {
                if (rules.get(index).isEmpty()) {
                    throw error("there is no rule '" + name + "'");
                }
            });
            for (int i = 0; i < rules.size(); i++) {
                refuseLeftRecursion(i, i, new boolean[rules.size()]);
            }
            return new Grammar(List.copyOf(rules), root);
        }

        private void refuseLeftRecursion(int start, int rule, boolean[] seen) {
            if (seen[rule]) {
                return;
            }
            seen[rule] = true;
            for (List<Item> sequence : rules.get(rule)) {
                for (Item item : sequence) {
                    if (!(item instanceof Rule(int next))) {
                        break;
                    }
                    if (next == start) {
                        throw error("a rule begins with itself and would never end");
                    }
                    refuseLeftRecursion(start, next, seen);
                    if (!mayBeEmpty(next, new boolean[rules.size()])) {
                        break;
                    }
                }
            }
        }

        private boolean mayBeEmpty(int rule, boolean[] seen) {
            if (seen[rule]) {
                return false;
            }
            seen[rule] = true;
            return rules.get(rule).stream()
                    .anyMatch(sequence -> sequence.stream()
                            .allMatch(item -> item instanceof Rule(int next) && mayBeEmpty(next, seen)));
        }

        private int rule(String name) {
            return names.computeIfAbsent(name, _ -> fresh());
        }

        private int fresh() {
            rules.add(List.of());
            return rules.size() - 1;
        }

        private List<List<Item>> alternatives(boolean nested) {
            List<List<Item>> all = new ArrayList<>();
            all.add(sequence(nested));
            while (at < text.length() && text.charAt(at) == '|') {
                at++;
                skip(true);
                all.add(sequence(nested));
            }
            return all;
        }

        private List<Item> sequence(boolean nested) {
            List<Item> items = new ArrayList<>();
            while (at < text.length()) {
                int before = items.size();
                char c = text.charAt(at);
                if (c == '"') {
                    literal(items);
                } else if (c == '[') {
                    items.add(letters());
                } else if (c == '.') {
                    at++;
                    items.add(new Letter(List.of(), true));
                } else if (c == '(') {
                    at++;
                    skip(true);
                    int group = fresh();
                    rules.set(group, alternatives(true));
                    expect(")");
                    items.add(new Rule(group));
                } else if (letter(c)) {
                    items.add(new Rule(rule(name())));
                } else {
                    break;
                }
                repeat(items, before);
                skip(nested);
            }
            return items;
        }

        private void repeat(List<Item> items, int from) {
            if (at >= text.length()) {
                return;
            }
            int least;
            int most;
            switch (text.charAt(at)) {
                case '*' -> {
                    least = 0;
                    most = -1;
                }
                case '+' -> {
                    least = 1;
                    most = -1;
                }
                case '?' -> {
                    least = 0;
                    most = 1;
                }
                case '{' -> {
                    at++;
                    least = number();
                    most = least;
                    if (text.startsWith(",", at)) {
                        at++;
                        most = text.startsWith("}", at) ? -1 : number();
                    }
                    if (!text.startsWith("}", at) || (most >= 0 && most < least)) {
                        throw error("a repetition is {m}, {m,} or {m,n}");
                    }
                }
                default -> {
                    return;
                }
            }
            at++;
            List<Item> repeated = List.copyOf(items.subList(from, items.size()));
            items.subList(from, items.size()).clear();
            for (int i = 0; i < least; i++) {
                items.addAll(repeated);
            }
            if (most < 0) {
                int loop = fresh();
                List<Item> again = new ArrayList<>(repeated);
                again.add(new Rule(loop));
                rules.set(loop, List.of(again, List.of()));
                items.add(new Rule(loop));
            }
            int rest = -1;
            for (int i = least; i < most; i++) {
                int once = fresh();
                List<Item> more = new ArrayList<>(repeated);
                if (rest >= 0) {
                    more.add(new Rule(rest));
                }
                rules.set(once, List.of(more, List.of()));
                rest = once;
            }
            if (rest >= 0) {
                items.add(new Rule(rest));
            }
        }

        private int number() {
            int from = at;
            while (at < text.length() && Character.isDigit(text.charAt(at))) {
                at++;
            }
            if (at == from || at - from > 3 || Integer.parseInt(text, from, at, 10) > MOST_REPETITIONS) {
                throw error("a number from 0 to " + MOST_REPETITIONS + " is needed");
            }
            return Integer.parseInt(text, from, at, 10);
        }

        private void literal(List<Item> items) {
            at++;
            while (at < text.length() && text.charAt(at) != '"') {
                int point = character();
                items.add(new Letter(List.of(point, point), false));
            }
            expect("\"");
        }

        private Letter letters() {
            at++;
            boolean negated = text.startsWith("^", at);
            if (negated) {
                at++;
            }
            List<Integer> ranges = new ArrayList<>();
            while (at < text.length() && text.charAt(at) != ']') {
                int from = character();
                int to = from;
                if (text.startsWith("-", at) && !text.startsWith("-]", at)) {
                    at++;
                    to = character();
                }
                ranges.add(from);
                ranges.add(to);
            }
            expect("]");
            return new Letter(List.copyOf(ranges), negated);
        }

        private int character() {
            int point = text.codePointAt(at);
            at += Character.charCount(point);
            if (point != '\\') {
                return point;
            }
            if (at >= text.length()) {
                throw error("the grammar ends within a character");
            }
            char escaped = text.charAt(at++);
            return switch (escaped) {
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case '\\', '"', '[', ']', '-', '^' -> escaped;
                case 'x' -> hex(2);
                case 'u' -> hex(4);
                case 'U' -> hex(8);
                default -> throw error("\\" + escaped + " is no character");
            };
        }

        private int hex(int digits) {
            try {
                int point = Integer.parseInt(text, at, at + digits, 16);
                at += digits;
                return point;
            } catch (NumberFormatException | IndexOutOfBoundsException e) {
                throw error(digits + " hexadecimal digits are needed");
            }
        }

        private String name() {
            int from = at;
            while (at < text.length() && letter(text.charAt(at))) {
                at++;
            }
            if (from == at) {
                throw error("the name of a rule is needed");
            }
            return text.substring(from, at);
        }

        private static boolean letter(char c) {
            return c == '-' || c == '_' || (c < 128 && Character.isLetterOrDigit(c));
        }

        private void expect(String wanted) {
            if (!text.startsWith(wanted, at)) {
                throw error("'" + wanted + "' is needed");
            }
            at += wanted.length();
        }

        /** Blanks and comments; over lines only where a rule cannot end. */
        private void skip(boolean lines) {
            while (at < text.length()) {
                char c = text.charAt(at);
                if (c == '#') {
                    while (at < text.length() && text.charAt(at) != '\n') {
                        at++;
                    }
                } else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'))) {
                    at++;
                } else {
                    return;
                }
            }
        }

        private IllegalArgumentException error(String what) {
            String before = text.substring(0, Math.min(at, text.length()));
            int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
            int column = before.length() - before.lastIndexOf('\n');
            return new IllegalArgumentException("grammar, line " + line + ", column " + column + ": " + what);
        }
    }
}
