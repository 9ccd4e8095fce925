package dev.portal.rknpu;

import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.rknpu.DeviceBuffer.Use;
import dev.portal.rknpu.MatmulProgram.Form;

/**
 * Lets what a reset has left in the driver's queues run. A reset ends the jobs that run and leaves the queues as they are
 * (spec 8.5): one that waited there for the interrupt of another would run at the next submit, perhaps when its buffers are
 * long given back.
 *
 * <p>A minimal job for all cores, waited for: the driver commits the jobs of a core in their order, and one for all cores
 * makes it look into every queue. Not safe for several threads.
 */
final class QueueSweep implements AutoCloseable {
    /** What waits longer than three of these is a hung core, or a chain that may as well be ended by another reset. */
    private static final int TIMEOUT_MS = 100;

    private static final long PROGRAMS = 2048;
    private static final long PITCH = 1024;
    private static final long RESULTS = Form.ROW_MAJOR.bytes();

    private final RknpuDevice device;
    private final DeviceBuffer programs;
    private final DeviceBuffer tasks;
    private final SubmitCall call;

    QueueSweep(RknpuDevice device) {
        this.device = device;
        int cores = device.soc().cores();
        long bytes = PROGRAMS + cores * PITCH;
        programs = device.allocate(bytes, Use.DATA);
        tasks = device.allocate(cores * RknpuTask.LAYOUT.byteSize(), Use.TASKS);
        call = new SubmitCall(device, tasks);
        programs.memory().fill((byte) 0);
        MatmulProgram minimal = MatmulProgram.rowMajor(new MatmulShape(MatmulType.INT8_INT32, 1, 32, 32));
        MatmulEncoder encoder = new MatmulEncoder(device.soc());
        RknpuTask[] records = Track.records(tasks, cores);
        for (int i = 0; i < cores; i++) {
            long at = PROGRAMS + i * PITCH;
            long zeros = programs.iova();
            long results = programs.iova() + at + RESULTS;
            encoder.encode(minimal, zeros, zeros, results, MatmulEncoder.TERMINAL, programs.memory(), at);
            records[i].regcmdAddr(programs.iova() + at);
        }
        programs.toDevice(SyncPoint.PROGRAMS_TO_DEVICE, 0, bytes);
        tasks.toDevice(SyncPoint.TASKS_TO_DEVICE, 0, cores * RknpuTask.LAYOUT.byteSize());
    }

    /** Whether every queue is empty now; otherwise the driver has reset the device, and a job of ours hangs. */
    boolean run() {
        int cores = device.soc().cores();
        call.severalCores(device.soc().coreMask(), cores);
        for (int i = 0; i < cores; i++) {
            call.range(i, i, 1);
        }
        return call.blockingOnce(TIMEOUT_MS) == 0;
    }

    @Override
    public void close() {
        programs.close();
        tasks.close();
        call.close();
    }
}
