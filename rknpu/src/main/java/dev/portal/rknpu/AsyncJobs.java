package dev.portal.rknpu;

import dev.portal.kernel.DeviceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * What the asynchronous jobs of one device have in common: resets, which end all of them; flights that never ended and
 * whose buffers are parked until a reset; tracks and joint jobs that are kept for the next chain. Any thread may call.
 */
final class AsyncJobs {
    private static final int IDLE_TRACKS = 2;

    /** A job that was left in a queue may hang: then the second finds them empty. */
    private static final int SWEEPS = 2;

    private static final int LEAST_CAPACITY = 16;

    private final RknpuDevice device;

    /** Submits share it, a reset has it alone: a job belongs wholly to the time before a reset or after it. */
    private final ReentrantReadWriteLock resets = new ReentrantReadWriteLock();

    private final List<Flight> parked = new ArrayList<>();
    private final List<Deque<Track>> idle = new ArrayList<>();
    private final Deque<JointJob> idleJoint = new ArrayDeque<>();
    private volatile @Nullable QueueSweep sweep;
    private final AtomicInteger epoch = new AtomicInteger();
    private volatile HaltBehaviour haltBehaviour = HaltBehaviour.UNKNOWN;

    AsyncJobs(RknpuDevice device) {
        this.device = device;
        for (int i = 0; i < device.soc().cores(); i++) {
            idle.add(new ArrayDeque<>());
        }
    }

    /** Resets so far: a job that was submitted in an earlier epoch has ended. */
    int epoch() {
        return epoch.get();
    }

    HaltBehaviour haltBehaviour() {
        return haltBehaviour;
    }

    void haltBehaviour(HaltBehaviour measured) {
        haltBehaviour = measured;
    }

    /** Runs a reset; afterwards nothing is in flight, and what was parked is free. */
    void reset(Runnable reset) {
        List<Flight> free;
        resets.writeLock().lock();
        try {
            reset.run();
            epoch.incrementAndGet();
            synchronized (parked) {
                free = List.copyOf(parked);
                parked.clear();
            }
        } finally {
            resets.writeLock().unlock();
        }
        free.forEach(Flight::unpark);
    }

    /** Submits follow that a reset must not cut in two; returns the epoch that they belong to. */
    int beginSubmit() {
        if (sweep == null) {
            makeSweep();
        }
        resets.readLock().lock();
        return epoch.get();
    }

    /** Before there is a job that a reset might leave behind: a reset should need no memory. */
    private void makeSweep() {
        synchronized (idleJoint) {
            if (sweep == null) {
                sweep = new QueueSweep(device);
            }
        }
    }

    /** Within a reset: makes sure that it has left no job in a queue; {@code again} resets once more. */
    void sweep(Runnable again) {
        QueueSweep present = sweep;
        for (int i = 0; present != null && i < SWEEPS && !present.run(); i++) {
            again.run();
        }
    }

    void endSubmit() {
        resets.readLock().unlock();
    }

    /** A flight that never ended. */
    void park(Flight flight) {
        device.counters().count(Counters.Recovery.PARKED);
        synchronized (parked) {
            parked.add(flight);
        }
    }

    /** A track for so many programs, the caller's until {@link #giveBack}. */
    Track take(int core, int programs) {
        Deque<Track> tracks = idle.get(core);
        synchronized (tracks) {
            for (Track track : tracks) {
                if (track.capacity() >= programs) {
                    tracks.remove(track);
                    track.moveTo(track.home());
                    return track;
                }
            }
        }
        return new Track(device, core, capacity(programs));
    }

    private static int capacity(int programs) {
        return Math.max(LEAST_CAPACITY, Integer.highestOneBit(2 * programs - 1));
    }

    /** A joint job for so many programs of all cores, the caller's until {@link #giveBack(JointJob)}. */
    JointJob takeJoint(int programs) {
        synchronized (idleJoint) {
            for (JointJob joint : idleJoint) {
                if (joint.capacity() >= programs) {
                    idleJoint.remove(joint);
                    return joint;
                }
            }
        }
        return new JointJob(device, capacity(programs));
    }

    /** It is not in flight. */
    void giveBack(JointJob joint) {
        JointJob surplus = null;
        synchronized (idleJoint) {
            idleJoint.addFirst(joint);
            if (idleJoint.size() > IDLE_TRACKS) {
                surplus = idleJoint.removeLast();
            }
        }
        if (surplus != null) {
            surplus.close();
        }
    }

    /** Nothing of it is in flight. */
    void giveBack(Track track) {
        Deque<Track> tracks = idle.get(track.home().index());
        Track surplus = null;
        synchronized (tracks) {
            tracks.addFirst(track);
            if (tracks.size() > IDLE_TRACKS) {
                surplus = tracks.removeLast();
            }
        }
        if (surplus != null) {
            surplus.close();
        }
    }

    /** Before the device closes: ends what hangs, and waits for interrupts that nobody waited for. */
    void close() {
        boolean hangs;
        synchronized (parked) {
            hangs = !parked.isEmpty();
        }
        for (int i = 0; i < idle.size(); i++) {
            hangs |= device.core(i).isStuck();
        }
        if (hangs) {
            device.reset();
        }
        for (int i = 0; i < idle.size(); i++) {
            CoreState core = device.core(i);
            if (core.isAsync() && core.owner() == null) {
                Track track = take(i, 1);
                waitForInterrupts(track);
                giveBack(track);
            }
        }
        for (Deque<Track> tracks : idle) {
            synchronized (tracks) {
                tracks.forEach(Track::close);
                tracks.clear();
            }
        }
        QueueSweep present = sweep;
        if (present != null) {
            present.close();
            sweep = null;
        }
        synchronized (idleJoint) {
            idleJoint.forEach(JointJob::close);
            idleJoint.clear();
        }
    }

    private void waitForInterrupts(Track track) {
        if (!track.fence()) {
            device.reset();
        }
        try {
            track.flush();
        } catch (DeviceException e) {
            // A core that does not answer any more is left behind by a reset, too: nothing runs on it.
            device.reset();
        }
    }
}
