package dev.portal.emulator.rk3588;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.rk3588.PcRegisters;
import dev.portal.hardware.rk3588.RknpuAbi;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the program controller's registers read as on boards: {@code pc_registers.tsv} of the silicon evidence (sources: ork,
 * rockchip-npu-notes, a teaching book). Left out there and here: a core that another driver parked (TASK_CON 0xa), ENABLE_MASK
 * and S_STATUS, which no bus access of the vendor driver reads.
 */
class PcRegistersTest {
    private static int read(Board board, int register) {
        return board.driver.jobs.core(0).read(register);
    }

    @ParameterizedTest
    @CsvSource({"0x7, 1, 0x1001, 0x5000", "0x7, 2, 0x1002, 0x5000", "0x3, 1, 0x1, 0x7000"})
    void taskControlAndStatusOfACommittedJob(String flags, int tasks, String control, String status) {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, tasks);
            assertThat(board.submit(board.submission(Integer.decode(flags), chain.tasks, tasks)))
                    .isZero();
            assertThat(read(board, PcRegisters.PC_TASK_CON)).isEqualTo(Integer.decode(control));
            assertThat(read(board, PcRegisters.PC_TASK_STATUS)).isEqualTo(Integer.decode(status));
            assertThat(read(board, PcRegisters.PC_OPERATION_ENABLE)).isZero();
            assertThat(read(board, PcRegisters.PC_INTERRUPT_MASK)).isEqualTo(0x8000_0300);
            assertThat(List.of(0xc000_0000, 0x4001_0000))
                    .contains(read(board, PcRegisters.PC_INTERRUPT_RAW_STATUS) & 0xc001_0000);
        }
    }

    @Test
    void afterAJobTheCounterIsZeroAndTheAddressIsTheLastProgramsThatWasFetched() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 3);
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 3)))
                    .isZero();
            assertThat(read(board, PcRegisters.PC_TASK_STATUS)).isEqualTo(0xf000);
            assertThat(read(board, PcRegisters.PC_BASE_ADDRESS) & 0xffff_ffffL).isEqualTo(chain.address(2));
        }
    }

    @Test
    void afterASoftResetTheCoreIsInSlaveModeAndCountsNothing() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                    .isZero();
            board.action(RknpuAbi.ACTION_RESET, 0);
            assertThat(read(board, PcRegisters.PC_TASK_STATUS)).isEqualTo(0x5000);
            assertThat(read(board, PcRegisters.PC_BASE_ADDRESS)).isEqualTo(1);
        }
    }

    @Test
    void aCompletionThatTheMaskHidesStaysInTheRawStatus() {
        try (Board board = new Board()) {
            Chain chain = new Chain(board, 1);
            assertThat(board.submit(board.submission(Board.BLOCKING, chain.tasks, 1)))
                    .isZero();
            board.task(chain.tasks, 0, chain.address(0), 108, 0xc00);
            board.toDevice(chain.tasks);
            assertThat(board.submit(board.submission(Board.ASYNC, chain.tasks, 1)))
                    .isZero();
            board.clock.advance(1_000_000);
            assertThat(read(board, PcRegisters.PC_INTERRUPT_STATUS)).isZero();
            assertThat(read(board, PcRegisters.PC_INTERRUPT_RAW_STATUS) & 0xc000_0300)
                    .isEqualTo(0xc000_0200);
        }
    }
}
