package dev.portal.emulator.hexagon;

import dev.portal.base.RandomStream;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.ListenerWire;
import dev.portal.hardware.fastrpc.QnnWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A user process on the DSP: what INIT_CREATE makes out of a shell. It has the static handles (spec 2.3), modules behind
 * handles that are random and never given twice, an address space, and a listener.
 */
final class DspProcess {
    private static final int FIRST_HANDLE = 0x10000;
    private static final int EXIT = 2;
    /** The host's service for files. */
    private static final String HOST_FILES = "apps_std";

    private static final String SKELETON = "libportal_qnn_skel.so";
    private static final String HANDLE_ENTRY = "portal_qnn_skel_handle_invoke";
    private static final String PLAIN_ENTRY = "portal_qnn_skel_invoke";

    /** What a handle stands for: how far its method numbers lie behind those of the handle interface. */
    private record Module(int shift) {}

    final int client;
    final DspMemory memory;
    final QnnSkeleton skeleton;
    private final Dsp dsp;
    private final Listener listener;
    private final RandomStream random;
    private final Map<Integer, Module> modules = new HashMap<>();
    private final Set<Integer> given = new HashSet<>();
    private boolean exited;

    /** A thread of it never comes back. */
    boolean hung;

    DspProcess(Dsp dsp, int client, RandomStream random) {
        this.dsp = dsp;
        this.client = client;
        this.random = random;
        this.memory = new DspMemory(random.derive("addresses"));
        this.skeleton = new QnnSkeleton(memory, dsp.backends, dsp.faults, dsp.log, dsp.telemetry);
        this.listener = new Listener(dsp::reply);
    }

    Outcome invoke(RemoteCall call) {
        if (exited) {
            return Outcome.reply(AeeError.EBADSTATE.onDsp());
        }
        return switch (call.handle()) {
            case Fastrpc.HANDLE_REMOTECTL -> remotectl(call, call.method());
            case Fastrpc.HANDLE_REMOTECTL1 -> remotectl(call, call.method() - RemotectlWire.HANDLE_INTERFACE_SHIFT);
            case Fastrpc.HANDLE_LISTENER -> listener(call, call.method());
            case Fastrpc.HANDLE_LISTENER1 -> listener(call, call.method() - ListenerWire.HANDLE_INTERFACE_SHIFT);
            case Fastrpc.HANDLE_CURRENT_PROCESS1 -> currentProcess(call);
            default -> module(call);
        };
    }

    private static Outcome error(AeeError error) {
        return Outcome.reply(error.onDsp());
    }

    private Outcome remotectl(RemoteCall call, int method) {
        return switch (method) {
            case RemotectlWire.OPEN -> open(call);
            case RemotectlWire.CLOSE -> close(call);
            default -> error(AeeError.EUNSUPPORTED);
        };
    }

    private Outcome open(RemoteCall call) {
        if (!call.has(2, 2, RemotectlWire.OPEN_IN_BYTES, RemotectlWire.OPEN_OUT_BYTES)) {
            return error(AeeError.EBADPARM);
        }
        MemorySegment in = call.in(0);
        MemorySegment name = call.in(1);
        long length = RemoteCall.word(in, RemotectlWire.OPEN_NAME_LENGTH) & 0xffff_ffffL;
        long room = RemoteCall.word(in, RemotectlWire.OPEN_DLERROR_LENGTH) & 0xffff_ffffL;
        boolean terminated = length > 0
                && name.byteSize() >= length
                && name.get(ValueLayout.JAVA_BYTE, length - 1) == 0
                && call.out(1).byteSize() >= room;
        if (!terminated) {
            return error(AeeError.EBADPARM);
        }
        byte[] bytes = name.asSlice(0, length - 1).toArray(ValueLayout.JAVA_BYTE);
        return load(call, new String(bytes, StandardCharsets.UTF_8));
    }

    /**
     * Where a listener is required, the DSP asks the host for its files first, as the real loader does; this one carries its
     * modules itself, so whatever the host answers, it goes on when the answer is there.
     */
    private Outcome load(RemoteCall call, String uri) {
        if (!dsp.options.requireListener()) {
            find(call, uri);
            return Outcome.reply(0);
        }
        if (!listener.attended()) {
            loaded(call, 0, AeeError.EUNABLETOLOAD, "cannot open " + between(uri, "///", "?") + ": no listener");
            return Outcome.reply(0);
        }
        listener.ask(
                ListenerWire.HANDLE_APPS_REMOTECTL,
                RemotectlWire.OPEN_SCALARS,
                Listener.openRequest(HOST_FILES),
                (result, out) -> {
                    find(call, uri);
                    dsp.reply(call, exited ? AeeError.EBADSTATE.onDsp() : 0);
                });
        return Outcome.PARKED;
    }

    /** The second result: whether the loading worked. */
    private void find(RemoteCall call, String uri) {
        String file = between(uri, "///", "?");
        String entry = between(uri, "?", "&");
        if (exited || dsp.faults.at(Kind.MODULE_MISSING).isPresent()) {
            loaded(call, 0, AeeError.EUNABLETOLOAD, "cannot open " + file);
            return;
        }
        if (!file.equals(SKELETON)) {
            loaded(call, 0, AeeError.ENOSUCHFILE, "file " + file + " not found");
            return;
        }
        boolean handleInterface = entry.equals(HANDLE_ENTRY);
        if (!handleInterface && !entry.equals(PLAIN_ENTRY)) {
            loaded(call, 0, AeeError.ENOSUCHSYMBOL, "symbol " + entry + " not found");
            return;
        }
        int handle = random.nextInt();
        while ((handle >= 0 && handle < FIRST_HANDLE) || handle == -1 || !given.add(handle)) {
            handle = random.nextInt();
        }
        modules.put(handle, new Module(handleInterface ? 0 : QnnWire.MODEL_LOAD));
        loaded(call, handle, null, "");
    }

    private static String between(String text, String from, String to) {
        int start = text.indexOf(from);
        int end = text.indexOf(to, Math.max(start, 0));
        return start < 0 ? "" : text.substring(start + from.length(), end < 0 ? text.length() : end);
    }

    private static void loaded(RemoteCall call, int handle, @Nullable AeeError error, String text) {
        MemorySegment out = call.out(0);
        RemoteCall.word(out, RemotectlWire.OPEN_OUT_HANDLE, handle);
        RemoteCall.word(out, RemotectlWire.OPEN_OUT_ERROR, error == null ? 0 : error.onDsp());
        say(call, text);
    }

    /** Writes the loader's text, cut to the room that there is, with its NUL. */
    private static void say(RemoteCall call, String text) {
        MemorySegment room = call.out(1);
        byte[] bytes = (text + "\0").getBytes(StandardCharsets.UTF_8);
        int count = (int) Math.min(bytes.length, room.byteSize());
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, room, 0, count);
        if (count > 0) {
            room.set(ValueLayout.JAVA_BYTE, count - 1, (byte) 0);
        }
    }

    private Outcome close(RemoteCall call) {
        if (!call.has(1, 2, RemotectlWire.CLOSE_IN_BYTES, RemotectlWire.CLOSE_OUT_BYTES)) {
            return error(AeeError.EBADPARM);
        }
        Module module = modules.remove(RemoteCall.word(call.in(0), RemotectlWire.CLOSE_HANDLE));
        RemoteCall.word(call.out(0), RemotectlWire.CLOSE_OUT_ERROR, module == null ? AeeError.EINVHANDLE.onDsp() : 0);
        say(call, module == null ? "no such handle" : "");
        return Outcome.reply(0);
    }

    private Outcome listener(RemoteCall call, int method) {
        return switch (method) {
            case ListenerWire.NEXT2 -> listener.next2(call);
            case ListenerWire.GET_IN_BUFS2 -> listener.rest(call);
            default -> error(AeeError.EUNSUPPORTED);
        };
    }

    private Outcome currentProcess(RemoteCall call) {
        if (call.method() != EXIT) {
            return error(AeeError.EUNSUPPORTED);
        }
        exit();
        return Outcome.reply(0);
    }

    private Outcome module(RemoteCall call) {
        Module module = modules.get(call.handle());
        if (module == null) {
            return error(
                    call.handle() >= 0 && call.handle() <= Fastrpc.HANDLE_MAX_STATIC
                            ? AeeError.ENOSUCHMOD
                            : AeeError.EINVHANDLE);
        }
        return skeleton.invoke(call.method() + module.shift(), call);
    }

    /** Whether the call is for a model that is busy, and is kept back on the DSP until it is not. */
    boolean mustWait(RemoteCall call) {
        Module module = modules.get(call.handle());
        return module != null && skeleton.mustWait(call.method() + module.shift(), call);
    }

    /** Whether the handle is a module's. */
    boolean isModule(int handle) {
        return modules.containsKey(handle);
    }

    /** Everything goes. */
    void exit() {
        if (!exited) {
            exited = true;
            listener.end();
            skeleton.die();
            modules.clear();
        }
    }

    /** Handles that were opened and not closed. */
    int openModules() {
        return modules.size();
    }

    int models() {
        return skeleton.models();
    }
}
