package dev.portal.scheduler;

/** What the arbiter refuses, and what its jobs die of. Each says what to do next. */
public abstract sealed class NpuException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private NpuException(String message) {
        super(message);
    }

    private NpuException(String message, Throwable cause) {
        super(message, cause);
    }

    /** No accelerator was detected, or it is out of use; the job was not touched. Submit it to the CPU lanes. */
    public static final class NotAvailable extends NpuException {
        private static final long serialVersionUID = 1L;

        public NotAvailable(String why) {
            super("NpuNotAvailable: " + why);
        }
    }

    /** The core cannot be reserved for the workload. */
    public static final class CoreAllocationFailed extends NpuException {
        private static final long serialVersionUID = 1L;

        public CoreAllocationFailed(String why) {
            super("NpuCoreAllocationFailed: " + why);
        }
    }

    /** The lane's queue is full, or the job was displaced from it. Transient: try again, or drop the work. */
    public static final class QueueFull extends NpuException {
        private static final long serialVersionUID = 1L;

        public QueueFull(String why) {
            super("NpuQueueFull: " + why);
        }
    }

    /** A model cannot be registered. */
    public static final class ModelRegistrationFailed extends NpuException {
        private static final long serialVersionUID = 1L;

        public ModelRegistrationFailed(String why) {
            super("NpuModelRegistrationFailed: " + why);
        }
    }

    /** A workload with a deadline cannot be admitted without some workload missing its own. */
    public static final class AdmissionRefused extends NpuException {
        private static final long serialVersionUID = 1L;

        public AdmissionRefused(String why) {
            super("NpuAdmissionRefused: " + why);
        }
    }

    /** The job threw; the cause is what it threw. */
    public static final class JobFailed extends NpuException {
        private static final long serialVersionUID = 1L;

        public JobFailed(String what, Throwable cause) {
            super("NpuJobFailed: " + what, cause);
        }
    }

    /** The arbiter was closed before the job ran, or while it waited. */
    public static final class Closed extends NpuException {
        private static final long serialVersionUID = 1L;

        public Closed(String what) {
            super("NpuClosed: " + what);
        }
    }
}
