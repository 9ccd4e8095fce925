package dev.portal.verification.bench;

import dev.portal.base.Clock;
import dev.portal.base.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Several threads on one virtual clock, one of them at a time: each goes on until it polls or waits, then the next one has its
 * turn, and when none has anything left to do at this moment the next event happens. Which thread is next follows from a fixed
 * order, so a run repeats exactly.
 */
final class Together implements Clock {
    /** One of the threads. */
    private static final class Member {
        private final Semaphore turn = new Semaphore(0);
        /** What an idle one waits for; null for one that polls, whose next round is due after an event. */
        private @Nullable BooleanSupplier wanted;

        private boolean due = true;
        private long seen;
        private boolean over;
    }

    private final VirtualClock world;
    private final List<Member> members = new ArrayList<>();
    private final Semaphore allOver = new Semaphore(0);
    private int current;
    private long changes;
    private volatile @Nullable Throwable failure;

    Together(VirtualClock world) {
        this.world = world;
    }

    /** Runs them until all have ended; the first failure ends all. */
    void run(List<? extends Runnable> bodies) {
        members.clear();
        current = 0;
        List<Thread> threads = new ArrayList<>();
        for (Runnable body : bodies) {
            Member member = new Member();
            members.add(member);
            threads.add(Thread.ofPlatform().daemon().unstarted(() -> live(member, body)));
        }
        threads.forEach(Thread::start);
        members.getFirst().due = false;
        members.getFirst().turn.release();
        allOver.acquireUninterruptibly();
        members.clear();
        if (failure != null) {
            throw new IllegalStateException("at " + world.nanos() + " ns: " + failure, failure);
        }
    }

    private void live(Member member, Runnable body) {
        member.turn.acquireUninterruptibly();
        try {
            body.run();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        member.over = true;
        try {
            Member next = failure == null ? pick() : null;
            if (next != null) {
                next.turn.release();
                return;
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        allOver.release();
    }

    /** Waits until {@code condition} holds; it is looked at when something has changed. */
    void await(BooleanSupplier condition) {
        if (!condition.getAsBoolean()) {
            pass(condition);
        }
    }

    /** Waits for a change after which {@code condition} holds, although it may hold now. */
    void awaitChange(BooleanSupplier condition) {
        pass(condition);
    }

    private void pass(@Nullable BooleanSupplier condition) {
        if (members.isEmpty()) {
            // Before and after the run there is one thread.
            world.spin();
            return;
        }
        Member me = members.get(current);
        me.wanted = condition;
        me.seen = changes;
        Member next = pick();
        if (next == null) {
            throw new IllegalStateException("all threads are over but one");
        }
        if (next != me) {
            next.turn.release();
            me.turn.acquireUninterruptibly();
        }
    }

    /** Whose turn it is; null when all are over. */
    private @Nullable Member pick() {
        while (true) {
            boolean any = false;
            for (int i = 1; i <= members.size(); i++) {
                int index = (current + i) % members.size();
                Member member = members.get(index);
                any |= !member.over;
                if (!member.over && isReady(member)) {
                    member.due = false;
                    current = index;
                    changes += member.wanted == null ? 1 : 0;
                    return member;
                }
            }
            if (!any) {
                return null;
            }
            world.spin();
            changes++;
            members.forEach(member -> member.due = true);
        }
    }

    private boolean isReady(Member member) {
        BooleanSupplier wanted = member.wanted;
        return wanted == null ? member.due : changes != member.seen && wanted.getAsBoolean();
    }

    @Override
    public long nanos() {
        return world.nanos();
    }

    @Override
    public long wallMillis() {
        return world.wallMillis();
    }

    @Override
    public void spin() {
        pass(null);
    }

    @Override
    public void spinUntil(long deadlineNanos) {
        parkUntil(deadlineNanos);
    }

    @Override
    public void parkUntil(long deadlineNanos) {
        if (deadlineNanos != NEVER && world.nextEventNanos() > deadlineNanos) {
            world.at(deadlineNanos, () -> {});
        }
        pass(null);
    }

    @Override
    public void unpark(Thread thread) {}
}
