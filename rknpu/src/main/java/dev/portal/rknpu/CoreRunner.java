package dev.portal.rknpu;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** Runs the shares of several cores. Each share blocks in the driver until its core is done. */
@FunctionalInterface
public interface CoreRunner {
    /** Side by side, each share but the first on a platform thread of its own. */
    CoreRunner CONCURRENT = shares -> {
        List<FutureTask<Void>> others = new ArrayList<>();
        for (Runnable share : shares.subList(1, shares.size())) {
            FutureTask<Void> task = new FutureTask<>(share, null);
            others.add(task);
            Thread.ofPlatform().name("rknpu-core").start(task);
        }
        RuntimeException failure = null;
        try {
            shares.getFirst().run();
        } catch (RuntimeException e) {
            failure = e;
        }
        for (FutureTask<Void> task : others) {
            failure = join(task, failure);
        }
        if (failure != null) {
            throw failure;
        }
    };

    /** One after the other on the caller's thread: for a simulation, which one thread runs. */
    CoreRunner SEQUENTIAL = shares -> shares.forEach(Runnable::run);

    /**
     * Runs all shares and returns when every one has ended, also when one failed.
     *
     * @param shares at least one
     */
    void run(List<Runnable> shares);

    private static @Nullable RuntimeException join(FutureTask<Void> task, @Nullable RuntimeException failure) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return failure;
                } catch (InterruptedException e) {
                    // The NPU may still write into our buffers: the wait cannot be cut short, only noted.
                    interrupted = true;
                } catch (ExecutionException e) {
                    RuntimeException other = e.getCause() instanceof RuntimeException cause
                            ? cause
                            : new IllegalStateException(e.getCause());
                    if (failure == null) {
                        return other;
                    }
                    failure.addSuppressed(other);
                    return failure;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
