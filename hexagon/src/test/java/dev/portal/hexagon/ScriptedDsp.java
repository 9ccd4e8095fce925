package dev.portal.hexagon;

import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A skeleton of one graph that adds one to each byte of its only input. */
final class ScriptedDsp implements ScriptedKernel.Dsp {
    static final int HANDLE = 0x35f08490;

    /** What comes before the execution does: a test's own event. */
    @FunctionalInterface
    interface Event {
        /** The answer to give instead; 0 to go on. */
        long before();
    }

    private final ScriptedKernel kernel;
    private final Map<Integer, Long> inputs = new HashMap<>();
    private int models;

    boolean plainRemotectl;
    boolean control = true;
    int graphs = 1;
    int loadError;
    int executions;
    int lastQnnCode;
    volatile long controlAddress;
    Event execute = () -> 0;

    ScriptedDsp(ScriptedKernel kernel) {
        this.kernel = kernel;
        kernel.dsp = this;
    }

    MemorySegment memory(long dspAddress) {
        return java.util.Objects.requireNonNull(kernel.bufferMemory.get(kernel.dspMaps.get(dspAddress)));
    }

    @Override
    public long invoke(int handle, int scalars, List<MemorySegment> arguments) {
        if (handle == HANDLE) {
            return qnn(Scalars.method(scalars), arguments);
        }
        if (handle == Fastrpc.HANDLE_REMOTECTL1 && plainRemotectl) {
            return Answer.of(AeeError.ENOSUCHMOD.onDsp());
        }
        if (handle == Fastrpc.HANDLE_REMOTECTL1 || handle == Fastrpc.HANDLE_REMOTECTL) {
            if (scalars == RemotectlWire.OPEN_SCALARS || scalars == RemotectlWire.OPEN1_SCALARS) {
                arguments.get(2).set(ValueLayout.JAVA_INT, RemotectlWire.OPEN_OUT_HANDLE, HANDLE);
                arguments.get(2).set(ValueLayout.JAVA_INT, RemotectlWire.OPEN_OUT_ERROR, loadError);
                if (loadError != 0) {
                    arguments.get(3).setString(0, "cannot open libportal_qnn_skel.so");
                }
            }
            return Answer.of(0);
        }
        return Answer.of(AeeError.EINVHANDLE.onDsp());
    }

    private long qnn(int method, List<MemorySegment> arguments) {
        switch (method) {
            case QnnWire.MODEL_LOAD -> {
                models++;
                arguments.get(1).set(ValueLayout.JAVA_INT, QnnWire.LOAD_OUT_HANDLE, models << 8 | 1);
                arguments.get(1).set(ValueLayout.JAVA_INT, QnnWire.LOAD_OUT_GRAPHS, graphs);
            }
            case QnnWire.SET_INPUT ->
                inputs.put(
                        arguments.getFirst().get(ValueLayout.JAVA_INT, QnnWire.TENSOR_INDEX),
                        arguments.getFirst().get(ValueLayout.JAVA_LONG, QnnWire.TENSOR_ADDRESS));
            case QnnWire.EXECUTE -> {
                executions++;
                long answer = execute.before();
                if (answer != 0) {
                    return answer;
                }
            }
            case QnnWire.GET_OUTPUT -> {
                long size = arguments.getFirst().get(ValueLayout.JAVA_INT, QnnWire.TENSOR_SIZE);
                MemorySegment in = memory(java.util.Objects.requireNonNull(inputs.get(0)));
                MemorySegment out = memory(arguments.getFirst().get(ValueLayout.JAVA_LONG, QnnWire.TENSOR_ADDRESS));
                for (long i = 0; i < size; i++) {
                    out.set(ValueLayout.JAVA_BYTE, i, (byte) (in.get(ValueLayout.JAVA_BYTE, i) + 1));
                }
            }
            case QnnWire.SET_CONTROL -> {
                if (!control) {
                    return Answer.of(AeeError.EUNSUPPORTED.onDsp());
                }
                controlAddress = arguments.getFirst().get(ValueLayout.JAVA_LONG, QnnWire.CONTROL_ADDRESS);
            }
            case QnnWire.LAST_ERROR -> arguments.getFirst().set(ValueLayout.JAVA_INT, 0, lastQnnCode);
            case QnnWire.MODEL_UNLOAD -> models--;
            default -> {
                return Answer.of(AeeError.EUNSUPPORTED.onDsp());
            }
        }
        return Answer.of(0);
    }
}
