package dev.portal.app.models;

import java.io.PrintStream;

/** One line that is overwritten while something is fetched; silent where nobody watches. */
final class Progress {
    private final PrintStream out;
    private final boolean watched;

    Progress(PrintStream out, boolean watched) {
        this.out = out;
        this.watched = watched;
    }

    void step(int number, int count, String what) {
        if (watched) {
            out.print("\r\033[K[" + number + "/" + count + "] " + what);
            out.flush();
        }
    }

    void done() {
        if (watched) {
            out.print("\r\033[K");
            out.flush();
        }
    }
}
