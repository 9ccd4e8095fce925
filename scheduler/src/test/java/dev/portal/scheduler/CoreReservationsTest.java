package dev.portal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.portal.scheduler.NpuException.CoreAllocationFailed;
import dev.portal.scheduler.NpuWorkload.Family;
import org.junit.jupiter.api.Test;

class CoreReservationsTest {
    private final CoreReservations several = new CoreReservations(false);
    private final CoreReservations single = new CoreReservations(true);

    @Test
    void everyWorkloadGetsItsHomeCoreAndStagesOfAFamilyShareIt() {
        for (NpuWorkload workload : NpuWorkload.values()) {
            workload.homeCore().ifPresent(home -> {
                NpuCoreReservation reservation = several.allocate(home, workload, NpuPriority.MEDIUM);
                assertThat(reservation).isEqualTo(new NpuCoreReservation(home, workload, NpuPriority.MEDIUM));
            });
        }
        assertThat(several.isReserved(Family.STT)).isTrue();
        assertThat(several.isReserved(Family.VAD)).isFalse();
    }

    @Test
    void vadIsRefusedEverywhere() {
        for (CoreReservations reservations : new CoreReservations[] {several, single}) {
            for (int core = 0; core < 3; core++) {
                NpuCore any = new NpuCore(core);
                assertThatThrownBy(() -> reservations.allocate(any, NpuWorkload.VAD, NpuPriority.MEDIUM))
                        .isInstanceOf(CoreAllocationFailed.class)
                        .hasMessage("NpuCoreAllocationFailed: VAD runs on CPU, not NPU");
            }
        }
    }

    @Test
    void aWrongCoreIsRefusedNamingTheExpectedOne() {
        assertThatThrownBy(() -> several.allocate(NpuCore.STT, NpuWorkload.TTS_ENCODER, NpuPriority.LOW))
                .isInstanceOf(CoreAllocationFailed.class)
                .hasMessageContaining("TTS_ENCODER belongs on core 1, not on core 0");
        assertThat(several.isReserved(Family.TTS)).isFalse();
    }

    @Test
    void theSameWorkloadTwiceIsRefused() {
        several.allocate(NpuCore.LLM, NpuWorkload.LLM, NpuPriority.LOW);
        assertThatThrownBy(() -> several.allocate(NpuCore.LLM, NpuWorkload.LLM, NpuPriority.LOW))
                .isInstanceOf(CoreAllocationFailed.class)
                .hasMessageContaining("LLM holds core 2 already");
    }

    @Test
    void oneCoreIgnoresTheRequestedCoreAndServesEveryFamily() {
        for (NpuWorkload workload : NpuWorkload.values()) {
            if (workload != NpuWorkload.VAD) {
                assertThat(single.allocate(new NpuCore(7), workload, NpuPriority.LOW)
                                .core())
                        .isEqualTo(new NpuCore(0));
            }
        }
        assertThatThrownBy(() -> single.allocate(NpuCore.STT, NpuWorkload.STT_JOINER, NpuPriority.LOW))
                .hasMessageContaining("STT_JOINER holds core 0 already");
    }
}
