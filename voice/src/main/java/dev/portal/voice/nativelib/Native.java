package dev.portal.voice.nativelib;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** What both bindings need of the foreign function interface. */
@SuppressWarnings("restricted")
final class Native {
    private Native() {}

    /** A handle whose first argument is the address of the function. */
    static MethodHandle handle(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor);
    }

    /** A function of C that calls {@code target}; it lives as long as {@code arena}. */
    static MemorySegment callback(MethodHandle target, FunctionDescriptor descriptor, Arena arena) {
        return Linker.nativeLinker().upcallStub(target, descriptor, arena);
    }

    /** The memory that {@code pointer} points to, of a size that the C header states. */
    static MemorySegment sized(MemorySegment pointer, long bytes) {
        return pointer.reinterpret(bytes);
    }

    static VarHandle field(StructLayout layout, String name) {
        return layout.varHandle(PathElement.groupElement(name));
    }

    /** What a handle throws is a mistake in the binding: no C function throws. */
    static AssertionError broken(Throwable thrown) {
        return new AssertionError("native call with the wrong signature", thrown);
    }

    static boolean isNull(MemorySegment pointer) {
        return pointer.address() == 0;
    }

    /** The C string at {@code pointer}, in UTF-8. */
    static String string(MemorySegment pointer) {
        return pointer.reinterpret(Long.MAX_VALUE).getString(0);
    }
}
