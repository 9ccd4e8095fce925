package dev.portal.verification.rk;

import dev.portal.emulator.EmulatedKernel;
import dev.portal.hardware.rk3588.CnaRegisters;
import dev.portal.hardware.rk3588.RegisterCommand;
import dev.portal.hardware.rk3588.RknpuAbi;
import dev.portal.hardware.rk3588.RknpuMemCreate;
import dev.portal.hardware.rk3588.RknpuMemDestroy;
import dev.portal.hardware.rk3588.RknpuMemMap;
import dev.portal.hardware.rk3588.RknpuSubmit;
import dev.portal.hardware.rk3588.RknpuTask;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Kernel;
import dev.portal.kernel.Mapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An emulated kernel with somebody in between who changes memory right before a SUBMIT, as a mistake of the driver would
 * have: it knows every buffer that went by.
 */
final class MeddlingKernel {
    private static final int PROGRAM_WORDS = 112;

    private record Buffer(int handle, long iova, long size, int flags, MemorySegment memory) {}

    /** What the meddler may do with a submission. */
    interface Submitted {
        /** Puts other words into the programs; cleaned, so that the chip sees them. */
        void replace(Words words);

        /** Gives the first program's weights back to the kernel. */
        void freeWeights();

        /** Gives them back and lets another buffer have their address. */
        void replaceWeights();
    }

    /** A word for a word. */
    @FunctionalInterface
    interface Words {
        /** @param index counted from the first word of the first program */
        long at(int index, long word);
    }

    private final EmulatedKernel kernel;
    private final Consumer<Submitted> meddling;
    private final Map<Integer, RknpuMemCreate> created = new HashMap<>();
    private final Map<Long, Integer> handles = new HashMap<>();
    private final Map<Integer, Buffer> buffers = new HashMap<>();
    private final Set<Long> dead = new HashSet<>();
    private final Set<Integer> deadHandles = new HashSet<>();
    private final Arena arena = Arena.ofAuto();
    private boolean meddled;

    MeddlingKernel(EmulatedKernel kernel, Consumer<Submitted> meddling) {
        this.kernel = kernel;
        this.meddling = meddling;
    }

    /** Whether there was a SUBMIT to meddle with. */
    boolean meddled() {
        return meddled;
    }

    Kernel kernel() {
        return (Kernel) Proxy.newProxyInstance(
                Kernel.class.getClassLoader(),
                new Class<?>[] {Kernel.class},
                (proxy, method, args) -> call(method, args));
    }

    private Object call(Method method, Object[] args) throws Throwable {
        switch (method.getName()) {
            case "ioctl" -> {
                return ioctl((Integer) args[0], (Integer) args[1], (MemorySegment) args[2]);
            }
            case "munmap" -> {
                if (dead.remove(((MemorySegment) args[0]).address())) {
                    return 0L;
                }
            }
            default -> {}
        }
        Object answer;
        try {
            answer = method.invoke(kernel, args);
        } catch (InvocationTargetException e) {
            throw Objects.requireNonNull(e.getCause());
        }
        if (method.getName().equals("mmap") && handles.containsKey((Long) args[1])) {
            int handle = Objects.requireNonNull(handles.get((Long) args[1]));
            RknpuMemCreate made = Objects.requireNonNull(created.get(handle));
            buffers.put(
                    handle, new Buffer(handle, made.dmaAddr(), made.size(), made.flags(), ((Mapping) answer).memory()));
        }
        return answer;
    }

    private long ioctl(int fd, int request, MemorySegment argument) {
        if (request == RknpuAbi.DRM_MEM_DESTROY) {
            int handle = new RknpuMemDestroy(argument).handle();
            // Its addresses may be another buffer's from now on.
            buffers.remove(handle);
            if (deadHandles.remove(handle)) {
                return Answer.of(0);
            }
        }
        if (request == RknpuAbi.DRM_SUBMIT) {
            meddled = true;
            meddling.accept(new Meddler(fd, new RknpuSubmit(argument)));
        }
        long answer = kernel.ioctl(fd, request, argument);
        if (request == RknpuAbi.DRM_MEM_CREATE) {
            RknpuMemCreate copy =
                    new RknpuMemCreate(arena.allocate(RknpuMemCreate.LAYOUT).copyFrom(argument));
            created.put(copy.handle(), copy);
        } else if (request == RknpuAbi.DRM_MEM_MAP) {
            RknpuMemMap map = new RknpuMemMap(argument);
            handles.put(map.offset(), map.handle());
        }
        return answer;
    }

    private final class Meddler implements Submitted {
        private final int fd;
        private final RknpuSubmit submit;

        Meddler(int fd, RknpuSubmit submit) {
            this.fd = fd;
            this.submit = submit;
        }

        private Buffer buffer(long iova) {
            return buffers.values().stream()
                    .filter(buffer -> !deadHandles.contains(buffer.handle()))
                    .filter(buffer -> iova >= buffer.iova() && iova < buffer.iova() + buffer.size())
                    .findFirst()
                    .orElseThrow();
        }

        /** The buffer of the programs: the one that the first task's address lies in. */
        private Buffer programs() {
            int handle = created.values().stream()
                    .filter(made -> made.objAddr() == submit.taskObjAddr())
                    .map(RknpuMemCreate::handle)
                    .findFirst()
                    .orElseThrow();
            MemorySegment tasks = Objects.requireNonNull(buffers.get(handle)).memory();
            return buffer(new RknpuTask(tasks.asSlice(0, RknpuTask.LAYOUT.byteSize())).regcmdAddr());
        }

        @Override
        public void replace(Words words) {
            MemorySegment memory = programs().memory();
            for (int i = 0; i < PROGRAM_WORDS * submit.taskNumber(); i++) {
                long at = 8L * i;
                memory.set(ValueLayout.JAVA_LONG, at, words.at(i, memory.get(ValueLayout.JAVA_LONG, at)));
            }
            kernel.cacheMaintenance().orElseThrow().clean(memory, 0, 8L * PROGRAM_WORDS * submit.taskNumber());
        }

        @Override
        public void freeWeights() {
            MemorySegment words = programs().memory();
            for (int i = 0; i < PROGRAM_WORDS; i++) {
                long word = words.get(ValueLayout.JAVA_LONG, 8L * i);
                if (RegisterCommand.offset(word) == CnaRegisters.CNA_DCOMP_ADDR0) {
                    free(RegisterCommand.value(word) & 0xffff_ffffL);
                }
            }
        }

        private void free(long iova) {
            buffers.values().stream()
                    .filter(buffer -> !deadHandles.contains(buffer.handle()) && buffer.iova() == iova)
                    .findFirst()
                    .ifPresent(buffer -> {
                        kernel.munmap(buffer.memory());
                        RknpuMemDestroy destroy = new RknpuMemDestroy(arena.allocate(RknpuMemDestroy.LAYOUT));
                        destroy.handle(buffer.handle());
                        kernel.ioctl(fd, RknpuAbi.DRM_MEM_DESTROY, destroy.segment());
                        dead.add(buffer.memory().address());
                        deadHandles.add(buffer.handle());
                    });
        }

        @Override
        public void replaceWeights() {
            int before = deadHandles.size();
            freeWeights();
            if (deadHandles.size() == before) {
                return;
            }
            Buffer freed = buffers.values().stream()
                    .filter(buffer -> deadHandles.contains(buffer.handle()))
                    .findFirst()
                    .orElseThrow();
            RknpuMemCreate create = new RknpuMemCreate(arena.allocate(RknpuMemCreate.LAYOUT));
            create.size(freed.size());
            create.flags(freed.flags());
            kernel.ioctl(fd, RknpuAbi.DRM_MEM_CREATE, create.segment());
            if (create.dmaAddr() != freed.iova()) {
                throw new AssertionError("the address was not given out again");
            }
        }
    }
}
