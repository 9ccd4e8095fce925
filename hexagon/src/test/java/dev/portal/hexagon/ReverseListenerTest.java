package dev.portal.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.RandomStream;
import dev.portal.hardware.fastrpc.AeeError;
import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.ListenerWire;
import dev.portal.hardware.fastrpc.RemotectlWire;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ReverseListenerTest {
    private static final ReverseServices.Service ECHO = (method, in, out) -> {
        out.getFirst().copyFrom(in.getFirst());
        return method == 3 ? 0 : AeeError.EUNSUPPORTED.code();
    };

    private final ReverseServices services = new ReverseServices(Map.of("echo", ECHO));

    /** Packs in buffers and out capacities as the DSP does. */
    private static MemorySegment packed(List<byte[]> in, int... out) {
        MemorySegment memory = Arena.ofAuto().allocate(1024, 8);
        long at = 0;
        for (byte[] bytes : in) {
            memory.set(ValueLayout.JAVA_INT, at, bytes.length);
            at += 4;
            if (bytes.length > 0) {
                at = (at + 7) & -8;
                MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, bytes.length);
                at = (at + bytes.length + 3) & -4;
            }
        }
        for (int capacity : out) {
            memory.set(ValueLayout.JAVA_INT, at, capacity);
            at += 4;
        }
        return memory.asSlice(0, at);
    }

    private static byte[] words(int... words) {
        byte[] bytes = new byte[words.length * 4];
        MemorySegment.ofArray(bytes).copyFrom(MemorySegment.ofArray(words));
        return bytes;
    }

    private ReverseServices.Reply open(String name) {
        byte[] text = (name + "\0").getBytes(StandardCharsets.UTF_8);
        return services.answer(new ReverseCall(
                7, 0, RemotectlWire.OPEN_SCALARS, packed(List.of(words(text.length, 8), text), 8, 8)));
    }

    @Test
    void aServiceIsOpenedByNameAndCalledByItsHandle() {
        ReverseServices.Reply opened = open("echo");
        assertThat(opened.result()).isZero();
        int handle = opened.packed().get(ValueLayout.JAVA_INT, 8);
        assertThat(handle).isPositive();
        ReverseServices.Reply echoed =
                services.answer(new ReverseCall(8, handle, Scalars.of(3, 1, 1), packed(List.of(words(11, 22)), 8)));
        assertThat(echoed.result()).isZero();
        assertThat(echoed.packed().toArray(ValueLayout.JAVA_INT)).containsExactly(8, 0, 11, 22);
        assertThat(services.answer(new ReverseCall(9, handle, Scalars.of(4, 1, 1), packed(List.of(words(11, 22)), 8)))
                        .result())
                .isEqualTo(AeeError.EUNSUPPORTED.code());
        ReverseServices.Reply closed = services.answer(
                new ReverseCall(10, 0, RemotectlWire.CLOSE_SCALARS, packed(List.of(words(handle, 8)), 4, 8)));
        assertThat(closed.result()).isZero();
        assertThat(services.answer(new ReverseCall(11, handle, Scalars.of(3, 1, 1), packed(List.of(words(1)), 4)))
                        .result())
                .isEqualTo(AeeError.EINVHANDLE.code());
    }

    @Test
    void anUnknownServiceIsAMissingModuleAndHandlesAreRefused() {
        ReverseServices.Reply opened = open("apps_std");
        assertThat(opened.result()).isZero();
        assertThat(opened.packed().get(ValueLayout.JAVA_INT, 12)).isEqualTo(AeeError.ENOSUCHMOD.code());
        assertThat(services.answer(new ReverseCall(1, 0, Scalars.of(0, 1, 0, 1, 0), packed(List.of(words(1)))))
                        .result())
                .isEqualTo(AeeError.EBADPARM.code());
    }

    @Test
    void whateverTheDspSendsNothingIsReadOutsideOfIt() {
        long seed = 20_261;
        RandomStream random = new RandomStream(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(96)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                // Mostly small lengths, so that some calls are taken apart to their end.
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = i % 4 == 0 ? (byte) (bytes[i] & 15) : 0;
                }
            }
            MemorySegment memory =
                    Arena.ofAuto().allocate(Math.max(1, bytes.length), 8).asSlice(0, bytes.length);
            memory.copyFrom(MemorySegment.ofArray(bytes));
            ReverseCall call = new ReverseCall(round, random.nextInt(3), random.nextInt(), memory);
            ReverseServices.Reply reply = services.answer(call);
            assertThat(reply.result()).as("seed %d round %d", seed, round).isNotNegative();
        }
    }

    @Test
    void theListenerAnswersAndEndsWithItsSession() throws Exception {
        ScriptedKernel kernel = new ScriptedKernel();
        TestClock clock = new TestClock();
        HexagonOptions options = HexagonOptions.defaults().withOwnThreads(thread -> false);
        InvokeThreads threads = InvokeThreads.stepped(kernel, clock, options);
        FastRpcSession session = FastRpcSession.open(kernel, clock, options, threads);
        List<int[]> replies = new ArrayList<>();
        CountDownLatch parked = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        kernel.interrupt = thread -> interrupted.countDown();
        kernel.dsp = (handle, scalars, arguments) -> {
            if (handle == Fastrpc.HANDLE_LISTENER1) {
                return Answer.of(AeeError.ENOSUCHMOD.onDsp());
            }
            assertThat(handle).isEqualTo(Fastrpc.HANDLE_LISTENER);
            assertThat(scalars).isEqualTo(ListenerWire.NEXT2_SCALARS);
            replies.add(arguments.getFirst().toArray(ValueLayout.JAVA_INT));
            if (replies.size() == 1) {
                MemorySegment out = arguments.get(2);
                out.set(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_CONTEXT, 99);
                out.set(ValueLayout.JAVA_INT, ListenerWire.NEXT2_OUT_SCALARS, Scalars.of(9, 0, 0));
                return Answer.of(0);
            }
            parked.countDown();
            await(interrupted);
            return Answer.error(dev.portal.kernel.Errno.EINTR);
        };
        ReverseListener listener = ReverseListener.start(session, services);
        await(parked);
        assertThat(replies.get(0)).startsWith(0, -1, 0);
        assertThat(replies.get(1)).startsWith(99, AeeError.EUNSUPPORTED.code(), 0);
        session.close();
        threads.close();
        assertThat(kernel.open).isEmpty();
        while (!listener.hasEnded()) {
            Thread.onSpinWait();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
