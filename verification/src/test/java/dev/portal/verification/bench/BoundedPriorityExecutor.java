package dev.portal.verification.bench;

import dev.portal.scheduler.NpuJob;
import dev.portal.scheduler.NpuJobResult;
import dev.portal.scheduler.NpuJobResult.Completed;
import dev.portal.scheduler.Preemption;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one would write with the JDK instead of a lane: one thread, a priority queue of at most 16, a future for each job.
 * It has neither preemption nor starvation bound, health or trace.
 */
final class BoundedPriorityExecutor implements AutoCloseable {
    /** Higher priority first, then first come. The executor holds nothing but tasks. */
    private static final Comparator<Runnable> ORDER = Comparator.comparing(
                    (Runnable task) -> ((Task) task).job.priority())
            .reversed()
            .thenComparingLong(task -> ((Task) task).sequence);

    private static final class BoundedQueue extends PriorityBlockingQueue<Runnable> {
        private static final long serialVersionUID = 1L;

        private final int capacity;

        BoundedQueue(int capacity) {
            super(capacity, ORDER);
            this.capacity = capacity;
        }

        @Override
        public boolean offer(Runnable task) {
            return size() < capacity && super.offer(task);
        }
    }

    private record Task(NpuJob job, long sequence, CompletableFuture<Completed> future) implements Runnable {
        @Override
        public void run() {
            try {
                NpuJobResult result = job.execute(Preemption.NEVER);
                if (result instanceof Completed completed) {
                    future.complete(completed);
                }
            } catch (Exception e) {
                future.completeExceptionally(e);
            }
        }
    }

    private final ThreadPoolExecutor executor;
    private final AtomicLong sequence = new AtomicLong();

    BoundedPriorityExecutor(int capacity) {
        executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new BoundedQueue(capacity), task -> {
            Thread thread = new Thread(task, "executor");
            thread.setDaemon(true);
            return thread;
        });
        executor.prestartCoreThread();
    }

    /** Queues a job; throws {@link RejectedExecutionException} when the queue is full. */
    CompletableFuture<Completed> submit(NpuJob job) {
        CompletableFuture<Completed> future = new CompletableFuture<>();
        executor.execute(new Task(job, sequence.getAndIncrement(), future));
        return future;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
