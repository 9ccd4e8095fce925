package dev.portal.scheduler;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Worst-case response times under fixed priorities where the running task can be left at segment ends only.
 *
 * <p>The analysis is that of spec "Arbitration theory" 5.2. For task i, with hep(i) the tasks of its priority or above:
 *
 * <pre>
 * B    = longest segment of any lower task, less one tick; 0 if there is none
 * L    = least L with L = B + sum over hep(i), i included, of ceil(L / T) * C
 * Q    = ceil(L / Ti)
 * s(q) = least s with s = B + (q + 1) * Ci - F + sum over hep(i) without i of (floor(s / T) + 1) * C,  F = own last segment
 * R    = max over q of s(q) + F - q * Ti
 * </pre>
 *
 * <p>Every instance of the busy period is looked at: with late switching a later one can be the worst. Equal priority
 * counts as interference. Times are in ticks of any one unit.
 */
public final class ResponseTime {
    /** More steps than this mean that the demand is so close to the whole machine that the bound says nothing. */
    private static final long MAX_STEPS = 20_000_000;

    private ResponseTime() {}

    /**
     * A workload that comes again and again.
     *
     * @param period least time between two arrivals, above 0
     * @param segments lengths between the points where it can be left, in order, each above 0
     * @param priority larger wins
     */
    public record Task(long period, List<Long> segments, int priority) {
        public Task {
            segments = List.copyOf(segments);
            if (period <= 0) {
                throw new IllegalArgumentException("period " + period + " must be above 0");
            }
            if (segments.isEmpty() || segments.stream().anyMatch(s -> s <= 0)) {
                throw new IllegalArgumentException(
                        "segments " + segments + " must be one or more lengths, each above 0");
            }
        }

        /** Its time in all. */
        public long cost() {
            return segments.stream().reduce(0L, Math::addExact);
        }

        /** Its longest segment. */
        public long longestSegment() {
            return segments.stream().mapToLong(Long::longValue).max().orElseThrow();
        }
    }

    /**
     * What the worst case looks like.
     *
     * @param blocking by a lower segment that has just begun
     * @param busyPeriod how long this priority and those above can keep the machine busy
     * @param instances arrivals of the task in that period
     * @param response longest time from arrival to completion
     */
    public record Bound(long blocking, long busyPeriod, long instances, long response) {}

    /** The bound of every task, in order; empty where there is none. */
    public static List<Optional<Bound>> analyze(List<Task> tasks) {
        List<Optional<Bound>> bounds = new ArrayList<>(tasks.size());
        for (int i = 0; i < tasks.size(); i++) {
            bounds.add(bound(tasks, i));
        }
        return bounds;
    }

    /**
     * The bound of task {@code index}; empty when the tasks of its priority and above ask for more than the machine has,
     * or for exactly all of it while something lower can block (the busy period then has no end).
     */
    public static Optional<Bound> bound(List<Task> tasks, int index) {
        Task own = tasks.get(index);
        List<Task> others = new ArrayList<>();
        long blocking = 0;
        for (int i = 0; i < tasks.size(); i++) {
            Task task = tasks.get(i);
            if (task.priority() < own.priority()) {
                blocking = Math.max(blocking, task.longestSegment() - 1);
            } else if (i != index) {
                others.add(task);
            }
        }
        int demand = demandAgainstMachine(own, others);
        if (demand > 0 || (demand == 0 && blocking > 0)) {
            return Optional.empty();
        }
        long busy = busyPeriod(own, others, blocking);
        long instances = Math.ceilDiv(busy, own.period());
        long last = own.segments().getLast();
        long worst = 0;
        long start = 0;
        for (long q = 0; q < instances; q++) {
            start = lastSegmentStart(own, others, blocking, q, start);
            long response = Math.subtractExact(Math.addExact(start, last), Math.multiplyExact(q, own.period()));
            worst = Math.max(worst, response);
        }
        return Optional.of(new Bound(blocking, busy, instances, worst));
    }

    private static long busyPeriod(Task own, List<Task> others, long blocking) {
        long busy = Math.addExact(blocking, own.cost());
        for (long step = 0; ; step++) {
            long next = Math.addExact(blocking, Math.multiplyExact(Math.ceilDiv(busy, own.period()), own.cost()));
            for (Task task : others) {
                next = Math.addExact(next, Math.multiplyExact(Math.ceilDiv(busy, task.period()), task.cost()));
            }
            if (next == busy) {
                return busy;
            }
            busy = next;
            giveUpAfter(step, busy);
        }
    }

    private static long lastSegmentStart(Task own, List<Task> others, long blocking, long q, long from) {
        long base = Math.addExact(blocking, Math.multiplyExact(q + 1, own.cost()))
                - own.segments().getLast();
        long start = Math.max(from, base);
        for (long step = 0; ; step++) {
            long next = base;
            for (Task task : others) {
                next = Math.addExact(next, Math.multiplyExact(start / task.period() + 1, task.cost()));
            }
            if (next == start) {
                return start;
            }
            start = next;
            giveUpAfter(step, start);
        }
    }

    private static void giveUpAfter(long step, long reached) {
        if (step >= MAX_STEPS) {
            throw new IllegalArgumentException("no end of the busy period up to " + reached
                    + " ticks: the tasks ask for nearly all of the machine; lower a cost or raise a period");
        }
    }

    /** Compares the sum of C/T of the tasks with 1, exactly. */
    private static int demandAgainstMachine(Task own, List<Task> others) {
        BigInteger numerator = BigInteger.valueOf(own.cost());
        BigInteger denominator = BigInteger.valueOf(own.period());
        for (Task task : others) {
            BigInteger period = BigInteger.valueOf(task.period());
            numerator = numerator
                    .multiply(period)
                    .add(BigInteger.valueOf(task.cost()).multiply(denominator));
            denominator = denominator.multiply(period);
            BigInteger common = numerator.gcd(denominator);
            numerator = numerator.divide(common);
            denominator = denominator.divide(common);
        }
        return numerator.compareTo(denominator);
    }

    /**
     * Whether non-preemptive earliest-deadline-first meets every deadline of the tasks of one priority class, deadlines
     * being periods: demand at most the machine and, for tasks by period, for each i and each T1 &lt; L &lt; Ti,
     * {@code L >= Ci + sum over j < i of floor((L - 1) / Tj) * Cj} (spec 5.2). Demand changes only just after multiples of
     * shorter periods, so only those L are looked at.
     */
    public static boolean nonPreemptiveEdfFits(List<Task> tasks) {
        if (tasks.isEmpty()) {
            return true;
        }
        if (demandAgainstMachine(tasks.getFirst(), tasks.subList(1, tasks.size())) > 0) {
            return false;
        }
        List<Task> byPeriod = new ArrayList<>(tasks);
        byPeriod.sort((a, b) -> Long.compare(a.period(), b.period()));
        for (int i = 1; i < byPeriod.size(); i++) {
            Task own = byPeriod.get(i);
            for (int j = 0; j < i; j++) {
                long period = byPeriod.get(j).period();
                for (long length = period + 1; length < own.period(); length += period) {
                    if (!edfDemandFits(byPeriod, i, length)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static boolean edfDemandFits(List<Task> byPeriod, int index, long length) {
        long demand = byPeriod.get(index).cost();
        for (int j = 0; j < index; j++) {
            Task task = byPeriod.get(j);
            demand = Math.addExact(demand, Math.multiplyExact((length - 1) / task.period(), task.cost()));
        }
        return length >= demand;
    }
}
