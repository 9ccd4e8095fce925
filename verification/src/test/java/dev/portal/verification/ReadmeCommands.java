package dev.portal.verification;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The commands of a page: every line of every block fenced as {@code sh}, but for comments.
 *
 * <p>A comment in the line before the fence says what differs from "each command ends with 0, soon":
 *
 * <pre>
 * &lt;!-- run: exit=3 slow --&gt;
 * ```sh
 * ./portal doctor
 * ```
 * </pre>
 *
 * <p>{@code exit=N} is the exit code of each command of the block; {@code slow} keeps them out of the fast tests;
 * {@code skip="REASON"} says why a test cannot run them.
 */
final class ReadmeCommands {
    private static final Pattern MARKER = Pattern.compile("<!-- run:(.*)-->\\s*");
    private static final Pattern EXIT = Pattern.compile("\\bexit=(\\d+)");
    private static final Pattern SKIP = Pattern.compile("\\bskip=\"([^\"]+)\"");
    private static final Pattern SLOW = Pattern.compile("\\bslow\\b");

    private ReadmeCommands() {}

    /**
     * One command.
     *
     * @param line its line in the page, from 1
     * @param skip why it is not run; empty when it is
     */
    record Command(int line, String text, int exitCode, boolean slow, String skip) {}

    /** Reads a page; a marker that is not followed by a block, or says something unknown, is an error. */
    static List<Command> of(String page) {
        List<Command> commands = new ArrayList<>();
        String[] lines = page.split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            boolean fence = lines[i].strip().equals("```sh");
            Matcher marker = MARKER.matcher(lines[i]);
            if (marker.matches()
                    && (i + 1 == lines.length || !lines[i + 1].strip().equals("```sh"))) {
                throw new IllegalArgumentException("line " + (i + 1) + ": a run marker without a block of sh after it");
            }
            if (fence) {
                Matcher before = MARKER.matcher(i == 0 ? "" : lines[i - 1]);
                i = block(lines, i + 1, before.matches() ? before.group(1) : "", commands);
            }
        }
        return commands;
    }

    private static int block(String[] lines, int first, String marker, List<Command> commands) {
        Matcher exit = EXIT.matcher(marker);
        Matcher skip = SKIP.matcher(marker);
        int exitCode = exit.find() ? Integer.parseInt(exit.group(1)) : 0;
        String reason = skip.find() ? skip.group(1) : "";
        boolean slow = SLOW.matcher(marker.replaceAll(SKIP.pattern(), "")).find();
        String rest = marker.replaceAll(SKIP.pattern(), "")
                .replaceAll(EXIT.pattern(), "")
                .replaceAll(SLOW.pattern(), "");
        if (!rest.isBlank()) {
            throw new IllegalArgumentException("line " + (first - 1)
                    + ": a run marker says exit=N, slow or skip=\"REASON\", not '" + rest.strip() + "'");
        }
        int i = first;
        for (; !lines[i].strip().equals("```"); i++) {
            int start = i;
            StringBuilder text = new StringBuilder(lines[i]);
            while (text.toString().endsWith("\\")) {
                i++;
                text.append('\n').append(lines[i]);
            }
            if (!text.toString().isBlank() && !lines[start].startsWith("#")) {
                commands.add(new Command(start + 1, text.toString(), exitCode, slow, reason));
            }
        }
        return i;
    }
}
