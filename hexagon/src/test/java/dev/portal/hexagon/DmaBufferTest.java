package dev.portal.hexagon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hardware.fastrpc.Scalars;
import dev.portal.kernel.Answer;
import dev.portal.kernel.Errno;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DmaBufferTest {
    private final ScriptedKernel kernel = new ScriptedKernel();
    private final TestClock clock = new TestClock();
    private final HexagonOptions options =
            HexagonOptions.defaults().withOwnThreads(thread -> true).withHeaps(List.of("fastrpc_mem", "system"));
    private final InvokeThreads threads = InvokeThreads.stepped(kernel, clock, options);
    private final FastRpcSession session = FastRpcSession.open(kernel, clock, options, threads);

    @AfterEach
    void nothingIsLeft() {
        session.close();
        threads.close();
        assertThat(kernel.open).isEmpty();
        assertThat(kernel.mappings).isZero();
    }

    @Test
    void sizesAreRoundedToPagesAndBoundedBeforeTheyAreRounded() {
        assertThat(DmaAllocator.rounded(1, 4096)).isEqualTo(4096);
        assertThat(DmaAllocator.rounded(4096, 4096)).isEqualTo(4096);
        assertThat(DmaAllocator.rounded(4097, 4096)).isEqualTo(8192);
        assertThat(DmaAllocator.rounded(4097, 65536)).isEqualTo(65536);
        assertThat(DmaAllocator.rounded(1, 512)).as("never less than 4096").isEqualTo(4096);
        assertThat(DmaAllocator.rounded(DmaBuffer.MAX_DMA_ALLOC, 65536)).isEqualTo(DmaBuffer.MAX_DMA_ALLOC);
        for (long bytes : new long[] {0, -1, DmaBuffer.MAX_DMA_ALLOC + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> DmaAllocator.rounded(bytes, 4096))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("256 MB");
        }
        assertThat(DmaBuffer.MAX_DMA_ALLOC).isEqualTo(256L << 20);
    }

    @Test
    void theHeapsAreTriedInOrderAndTheSessionLast() {
        assertThat(session.allocate(1).heap()).isEqualTo("system");
        kernel.answers.put(Fastrpc.DMA_HEAP_ALLOC, Answer.error(Errno.ENOMEM));
        DmaBuffer buffer = session.allocate(1);
        assertThat(buffer.heap()).isEqualTo("ALLOC_DMA_BUFF");
        assertThat(kernel.log)
                .as("the driver's own descriptors are inherited unless told otherwise")
                .contains("fcntl 2 of session buffer");
        kernel.answers.put(Fastrpc.DMA_HEAP_ALLOC, Answer.error(Errno.EINVAL));
        assertThatThrownBy(() -> session.allocate(1)).isInstanceOf(HexagonException.Refused.class);
    }

    @Test
    void descriptorZeroIsMovedSinceAnInvokeTakesItForNone() {
        ScriptedKernel fresh = new ScriptedKernel();
        fresh.nodes.remove(Fastrpc.DMA_HEAP_SYSTEM);
        InvokeThreads own = InvokeThreads.stepped(fresh, clock, options);
        FastRpcSession first = FastRpcSession.open(fresh, clock, options, own);
        fresh.firstFd = 0;
        // The next descriptor is 0, as in a process without standard input.
        fresh.restart();
        DmaBuffer buffer = first.allocate(1);
        assertThat(buffer.fd()).isPositive();
        first.close();
        own.close();
        assertThat(fresh.open).isEmpty();
    }

    @Test
    void readingAndWritingAreBracketedBySyncs() {
        DmaBuffer buffer = session.allocate(4096);
        kernel.log.clear();
        buffer.withDataMut(memory -> memory.set(ValueLayout.JAVA_INT, 0, 7));
        int value = buffer.withData(memory -> memory.get(ValueLayout.JAVA_INT, 0));
        assertThat(value).isEqualTo(7);
        // START|RW, END|RW, START|READ, END|READ
        assertThat(kernel.log).containsExactly("DMA_BUF_SYNC 3", "DMA_BUF_SYNC 7", "DMA_BUF_SYNC 1", "DMA_BUF_SYNC 5");
        assertThatThrownBy(() -> buffer.<Boolean>withData(memory -> {
                    memory.set(ValueLayout.JAVA_INT, 0, 8);
                    return true;
                }))
                .isInstanceOf(IllegalArgumentException.class);
        kernel.log.clear();
        assertThatThrownBy(() -> buffer.withDataMut(memory -> {
                    throw new IllegalStateException("of the writer");
                }))
                .hasMessage("of the writer");
        assertThat(kernel.log).as("the end is not forgotten").containsExactly("DMA_BUF_SYNC 3", "DMA_BUF_SYNC 7");
    }

    @Test
    void contentsAreLentToOneThreadAtATime() {
        DmaBuffer buffer = session.allocate(4096);
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            buffer.withDataMut(memory -> {
                CompletableFuture<Void> second =
                        CompletableFuture.runAsync(() -> buffer.withDataMut(again -> again.fill((byte) 1)), other);
                assertThatThrownBy(second::join).hasMessageContaining("is lent to thread");
                assertThatThrownBy(buffer::close).hasMessageContaining("is lent to thread");
                assertThatThrownBy(() -> buffer.withData(again -> 1)).hasMessageContaining("is lent to thread");
            });
        }
        buffer.withDataMut(memory -> memory.fill((byte) 1));
    }

    @Test
    void aBufferThatACallHoldsIsNeitherLentNorClosed() {
        DmaBuffer buffer = session.allocate(4096);
        CallFrame frame = new CallFrame("test.call", Scalars.of(2, 1, 0), 0, 0);
        frame.buffer(0, buffer, 16, 32);
        kernel.dsp = (handle, scalars, arguments) -> {
            assertThat(arguments.getFirst().byteSize()).isEqualTo(32);
            assertThatThrownBy(buffer::close).hasMessageContaining("is in use: 1 call(s)");
            assertThatThrownBy(() -> buffer.withData(memory -> 1)).hasMessageContaining("held by a call");
            return Answer.of(0);
        };
        session.invoke(77, frame);
        assertThatThrownBy(() -> frame.buffer(0, buffer, 4090, 32)).isInstanceOf(IndexOutOfBoundsException.class);
        buffer.close();
        buffer.close();
        assertThatThrownBy(() -> buffer.withData(memory -> 1)).hasMessageContaining("is closed");
        assertThatThrownBy(() -> session.invoke(77, frame)).hasMessageContaining("is closed");
    }

    @Test
    void closingUnmapsFromTheDspThenFromTheProcessThenCloses() {
        DmaBuffer buffer = session.allocate(4096);
        session.mapToDsp(buffer);
        kernel.log.clear();
        buffer.close();
        assertThat(kernel.log).containsExactly("MEM_UNMAP", "munmap", "close heap buffer");
    }
}
