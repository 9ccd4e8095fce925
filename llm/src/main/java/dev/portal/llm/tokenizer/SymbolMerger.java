package dev.portal.llm.tokenizer;

import java.util.PriorityQueue;

/**
 * Merges neighbouring symbols of a text, the best pair first, until no pair is known: what SentencePiece's and byte-level
 * BPE have in common. n log n in the length of the text. Used once, by one thread.
 */
final class SymbolMerger {
    /** Rates a pair; equal pairs merge from left to right. */
    @FunctionalInterface
    interface Pairs {
        /** No such pair. */
        double NEVER = Double.NEGATIVE_INFINITY;

        /** The rank of {@code text[from, middle)} before {@code text[middle, to)}, higher first; {@link #NEVER}. */
        double rank(String text, int from, int middle, int to);
    }

    private record Pair(int left, int right, int bytes, double rank) implements Comparable<Pair> {
        @Override
        public int compareTo(Pair other) {
            int byRank = Double.compare(other.rank, rank);
            return byRank != 0 ? byRank : Integer.compare(left, other.left);
        }
    }

    private final String text;
    private final Pairs pairs;
    private final int[] start;
    private final int[] length;
    private final int[] previous;
    private final int[] next;
    private final PriorityQueue<Pair> queue = new PriorityQueue<>();
    private int symbols;

    /** With the symbols of a text, which begin where {@code starts} says and reach to the next. */
    SymbolMerger(String text, int[] starts, Pairs pairs) {
        this.text = text;
        this.pairs = pairs;
        symbols = starts.length;
        start = starts;
        length = new int[symbols];
        previous = new int[symbols];
        next = new int[symbols];
        for (int i = 0; i < symbols; i++) {
            length[i] = (i + 1 < symbols ? starts[i + 1] : text.length()) - starts[i];
            previous[i] = i - 1;
            next[i] = i + 1 < symbols ? i + 1 : -1;
        }
    }

    /** Merges until no pair is known. */
    void merge() {
        for (int i = 1; i < symbols; i++) {
            offer(i - 1, i);
        }
        for (Pair pair = queue.poll(); pair != null; pair = queue.poll()) {
            int left = pair.left;
            int right = pair.right;
            // A pair whose symbols have changed since is stale.
            if (length[left] == 0 || length[right] == 0 || length[left] + length[right] != pair.bytes) {
                continue;
            }
            length[left] += length[right];
            length[right] = 0;
            next[left] = next[right];
            if (next[right] >= 0) {
                previous[next[right]] = left;
            }
            offer(previous[left], left);
            offer(left, next[left]);
        }
    }

    private void offer(int left, int right) {
        if (left < 0 || right < 0) {
            return;
        }
        int end = start[right] + length[right];
        double rank = pairs.rank(text, start[left], start[right], end);
        if (rank != Pairs.NEVER) {
            queue.add(new Pair(left, right, end - start[left], rank));
        }
    }

    /** The symbols that are left, in order. */
    void forEach(java.util.function.Consumer<String> symbol) {
        for (int i = symbols == 0 ? -1 : 0; i >= 0; i = next[i]) {
            symbol.accept(text.substring(start[i], start[i] + length[i]));
        }
    }
}
