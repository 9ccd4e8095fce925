package dev.portal.rknpu;

import dev.portal.hardware.rk3588.Precision;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What is known of one core, and the lock that keeps its jobs apart. */
final class CoreState {
    private final int index;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Precision warmFor;

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
}
