package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one core, and what keeps its jobs apart: the lock for jobs that somebody waits for, the owner for a
 * job that runs while its owner does something else.
 */
final class CoreState {
    private final int index;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Precision warmFor;
    private volatile @Nullable Object owner;
    private volatile boolean stuck;
    private volatile boolean async;

    CoreState(int index) {
        this.index = index;
    }

    int index() {
        return index;
    }

    /** The bit of the core in a core mask. */
    int mask() {
        return 1 << index;
    }

    ReentrantLock lock() {
        return lock;
    }

    /** Whether the last pass was of this input precision, and no reset came since (Q5, Q6). */
    boolean isWarmFor(Precision precision) {
        return warmFor == precision;
    }

    void becomeWarm(Precision precision) {
        warmFor = precision;
    }

    void becomeCold() {
        warmFor = null;
    }

    /** Who runs an asynchronous job on it, or null. */
    @Nullable
    Object owner() {
        return owner;
    }

    /** Takes the core for asynchronous jobs, after the present blocking one; false when another owner has it. */
    boolean claim(Object by) {
        lock.lock();
        try {
            Object present = owner;
            if (present != null && !present.equals(by)) {
                return false;
            }
            owner = by;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void giveBack(Object by) {
        if (by.equals(owner)) {
            owner = null;
        }
    }

    /** Whether the driver may still own a job of ours that never ended: only a reset makes the core usable. */
    boolean isStuck() {
        return stuck;
    }

    void becomeStuck() {
        stuck = true;
    }

    /** An asynchronous job was submitted; nothing but its outputs will tell of its end. */
    void becomeAsync() {
        async = true;
    }

    /** An interrupt came after all that was submitted, or a reset did: nothing is under way. */
    void becomeProven() {
        async = false;
        stuck = false;
    }

    /** Whether the last job's interrupt was not waited for. */
    boolean isAsync() {
        return async;
    }
}
