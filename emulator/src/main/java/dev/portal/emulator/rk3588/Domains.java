package dev.portal.emulator.rk3588;

import dev.portal.base.Clock;
import dev.portal.emulator.DeviceLock;
import dev.portal.emulator.KernelLog;
import org.jspecify.annotations.Nullable;

/**
 * The sixteen IOMMU domains, of which one is live for all cores (spec 8.6). Whoever needs a domain takes a reference;
 * another domain can go live only when there are none, which is waited for, up to 6 s.
 */
final class Domains {
    static final int COUNT = 16;
    private static final long SWITCH_WAIT_NANOS = 6_000_000_000L;

    /** Commits after a switch in which dispatches were seen to get lost on boards; none later (spec 8.6). */
    private static final int UNSETTLED_COMMITS = 3;

    private final DeviceLock lock;
    private final KernelLog log;
    private final Clock clock;
    private final @Nullable IommuDomain[] domains = new @Nullable IommuDomain[COUNT];
    private int live;
    private int references;
    private int commits = UNSETTLED_COMMITS;

    Domains(DeviceLock lock, KernelLog log, Clock clock) {
        this.lock = lock;
        this.log = log;
        this.clock = clock;
        domains[0] = new IommuDomain();
    }

    int live() {
        return live;
    }

    IommuDomain current() {
        return of(live);
    }

    IommuDomain of(int id) {
        IommuDomain domain = domains[id];
        if (domain == null) {
            domain = new IommuDomain();
            domains[id] = domain;
        }
        return domain;
    }

    int references() {
        return references;
    }

    /** Makes a domain live and takes a reference on it; false when it is out of range or the wait was in vain. */
    boolean acquire(int id) {
        if (id < 0 || id >= COUNT) {
            return false;
        }
        if (id != live && !lock.await(() -> references == 0 || id == live, clock.nanos() + SWITCH_WAIT_NANOS)) {
            log.add("RKNPU: switch iommu domain time out, from " + live + " to " + id);
            return false;
        }
        if (id != live) {
            log.add("RKNPU: switch iommu domain from " + live + " to " + id);
            live = id;
            commits = 0;
        }
        references++;
        return true;
    }

    /** A job is committed; whether it is one of the first after a switch. */
    boolean commit() {
        boolean unsettled = commits < UNSETTLED_COMMITS;
        commits += unsettled ? 1 : 0;
        return unsettled;
    }

    void release() {
        references--;
        lock.wakeWaiters();
    }
}
