package dev.portal.llm.decoder;

import dev.portal.kernel.DeviceException;
import dev.portal.llm.gguf.GgufTensor;
import dev.portal.rknpu.RknpuDevice;
import java.util.ArrayList;
import java.util.List;

/**
 * The matrices of a group as they can be divided.
 *
 * @param tensors of the file
 * @param weights the same in I8
 * @param fourBits the processor's rows, where they are in 4 bits
 * @param work counts what is done where
 * @param number of the group, for the listener
 */
record SplitParts(
        RknpuDevice device,
        NpuBackend.NpuOptions options,
        CpuScratch scratch,
        List<GgufTensor> tensors,
        List<Int8Weights> weights,
        FourBitStore fourBits,
        NpuBackend.NpuWork work,
        int number) {
    /** Of all matrices together. */
    int outputs() {
        return weights.stream().mapToInt(Int8Weights::outputs).sum();
    }

    /** Weights of an output on the NPU. */
    int npuRowBytes() {
        return weights.getFirst().columns();
    }

    /** Weights of an output on the processor, on the average. */
    double cpuRowBytes() {
        double bytes = 0;
        for (int i = 0; i < weights.size(); i++) {
            GgufTensor tensor = tensors.get(i);
            double row = fourBits.takes(tensor) ? fourBits.kind(tensors).rowBytes(tensor.columns()) : npuRowBytes();
            bytes += row * weights.get(i).outputs();
        }
        return bytes / outputs();
    }

    /** Multiply-adds of one token. */
    long macs() {
        return (long) outputs() * npuRowBytes();
    }

    /** All on the processor. */
    ProcessorGroup alone(Rest all) {
        boolean eightBits = !fourBits.takes(tensors.getFirst());
        return new ProcessorGroup(
                scratch, options, work, all, weights.getFirst().inputs(), macs(), eightBits, number);
    }

    /** Divided; some outputs are the NPU's. */
    NpuGroup divided(Split split, Rest rest) {
        return new NpuGroup(device, split, taken(split.outputs()), options, scratch, weights, rest, work, number);
    }

    /**
     * For batches: all outputs are the NPU's, on as many cores as it may take.
     *
     * @throws DeviceException when the device has no room for the weights, or the chain
     */
    NpuGroup undivided() {
        Split all = new Split(options.cores(), outputs());
        NpuGroup made = divided(all, rest(all));
        try {
            made.prepareBatch();
            return made;
        } catch (DeviceException e) {
            made.close();
            throw e;
        }
    }

    /** The processor's rows. */
    Rest rest(Split split) {
        return rest(taken(split.outputs()), options.time());
    }

    /** The last rows alone, on this machine's own time: for measurements. */
    Rest sample(int rows) {
        return rest(taken(Math.max(0, outputs() - rows)), ProcessorTime.NONE);
    }

    /** The NPU's part alone: for measurements. */
    NpuGroup chain(Split split) {
        int[] taken = taken(split.outputs());
        Rest none = new Rest(scratch, options.time(), List.of(), new int[0], new int[0]);
        NpuBackend.NpuOptions unheard = options.timed(options.time(), SplitListener.NONE);
        return new NpuGroup(device, split, taken, unheard, scratch, weights, none, work, number);
    }

    private Rest rest(int[] taken, ProcessorTime time) {
        List<Rest.Part> parts = new ArrayList<>();
        int[] outputs = new int[taken.length];
        for (int i = 0; i < taken.length; i++) {
            GgufTensor tensor = tensors.get(i);
            outputs[i] = weights.get(i).outputs();
            parts.add(
                    fourBits.takes(tensor)
                            ? new CpuLinear(fourBits.rows(tensor, taken[i], fourBits.kind(tensors)), scratch)
                            : new Int8Linear(weights.get(i), scratch));
        }
        return new Rest(scratch, time, parts, outputs, taken);
    }

    /** The first matrices go to the NPU whole, so that it runs few programs. */
    private int[] taken(int npuOutputs) {
        int[] taken = new int[weights.size()];
        int left = npuOutputs;
        for (int i = 0; i < taken.length; i++) {
            taken[i] = Math.min(left, weights.get(i).outputs());
            left -= taken[i];
        }
        return taken;
    }
}
