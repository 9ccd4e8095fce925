package dev.portal.emulator.rk3588;

import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuSubmit;
import org.jspecify.annotations.Nullable;

/** A submission as the driver keeps it (spec 8.1). */
final class Job {
    static final int CORES = 3;

    /** The driver's configured mask. */
    static final int ALL_CORES = 7;

    /** Tasks of one core: first and how many; the number may be zero, nothing checks it. */
    record Range(int start, int number) {}

    final long id;
    final int flags;
    final int timeout;
    final int taskNumber;
    final int domain;
    final long taskBase;
    final long createdNanos;
    final long bornBefore;
    final @Nullable GemObject tasks;
    final Range[] ranges = new Range[RknpuSubmit.SUBCORE_TASKS];
    int coreMask;

    /** Cores that do not have it as their current job yet. */
    int coresToJoin;

    /** Cores whose interrupt has not come yet. */
    int interruptsLeft;

    /** First commit, or -1. */
    long committedNanos = -1;

    /** Tasks that each core was given so far. */
    final int[] kicked = new int[CORES];

    final int[] intMask = new int[CORES];
    int intStatus;
    boolean done;
    boolean aborted;
    boolean holdsDomain;

    /** Its task array was given up. */
    boolean released;

    /** Errno of a failed commit, 0 when there was none. */
    int commitErrno;

    long elapsedNanos;

    Job(long id, RknpuSubmit args, @Nullable GemObject tasks, long nowNanos, long bornBefore) {
        this.id = id;
        this.flags = args.flags();
        this.timeout = args.timeout();
        this.taskNumber = args.taskNumber();
        this.domain = args.iommuDomainId();
        this.taskBase = args.taskBaseAddr();
        this.coreMask = args.coreMask();
        this.tasks = tasks;
        this.createdNanos = nowNanos;
        this.bornBefore = bornBefore;
        for (int i = 0; i < ranges.length; i++) {
            var range = args.subcoreTask(i);
            ranges[i] = new Range(range.taskStart(), range.taskNumber());
        }
    }

    boolean nonblocking() {
        return (flags & RknpuAbi.JOB_NONBLOCK) != 0;
    }

    boolean uses(int core) {
        return (coreMask >>> core & 1) != 0;
    }

    /** One- and two-core jobs read the entry of the core's number, three-core jobs entries 2, 3, 4 (spec 8.3). */
    static int entry(int coreMask, int core) {
        return coreMask == ALL_CORES ? core + 2 : core;
    }

    /** What a core runs. */
    Range range(int core) {
        return ranges[entry(coreMask, core)];
    }

    long timeoutNanos() {
        return (timeout & 0xffff_ffffL) * 1_000_000L;
    }

    @Override
    public String toString() {
        return "job " + id;
    }
}
