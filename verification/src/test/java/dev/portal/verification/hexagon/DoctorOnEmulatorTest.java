package dev.portal.verification.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.base.VirtualClock;
import dev.portal.emulator.EmulatedKernel;
import dev.portal.emulator.FaultPlan;
import dev.portal.emulator.FaultPlan.Fault;
import dev.portal.emulator.FaultPlan.Kind;
import dev.portal.emulator.FaultPlan.Trigger;
import dev.portal.emulator.hexagon.EmulatedShell;
import dev.portal.emulator.hexagon.HexagonOptions;
import dev.portal.hexagon.HexagonFindings;
import dev.portal.hexagon.HexagonFindings.Finding;
import dev.portal.hexagon.HexagonFindings.Level;
import dev.portal.hexagon.ShellPolicy;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the doctor says of emulated boards, by the driver's own answers: the trouble, and what to do about it. */
final class DoctorOnEmulatorTest {
    private static List<Finding> examine(HexagonBoard board) {
        ShellPolicy policy = board.policy(board.shell);
        List<Finding> findings = HexagonFindings.examine(board.kernel, board.kernel, board.clock, Optional.of(policy));
        board.assertNothingLeft("the doctor takes nothing with it");
        assertThat(board.driver.usage().processes()).isZero();
        return findings;
    }

    private static HexagonBoard with(Kind fault) {
        return HexagonBoard.virtual(
                HexagonOptions.standard().withFaults(FaultPlan.of(new Fault(fault, new Trigger.Count(1, 1_000), 0))));
    }

    @Test
    void aGoodBoardHasNothingToDo() {
        assertThat(examine(HexagonBoard.virtual(HexagonOptions.standard())))
                .isNotEmpty()
                .allMatch(finding -> finding.level() == Level.GOOD);
    }

    @Test
    void aMachineWithoutADspNeedsNone() {
        EmulatedKernel kernel = new EmulatedKernel(List.of());
        List<Finding> findings = HexagonFindings.examine(kernel, kernel, new VirtualClock(), Optional.empty());
        assertThat(findings).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.ABSENT);
            assertThat(finding.fix()).contains("--device emulated");
        });
    }

    @Test
    void aNodeWithoutPermissionNamesTheGroup() {
        Finding finding = examine(with(Kind.PERMISSION_DENIED)).getFirst();
        assertThat(finding.permission()).isTrue();
        assertThat(finding.fix()).contains("group that owns the node");
    }

    @Test
    void everySessionTakenNamesWhoMayHaveThem() {
        assertThat(examine(with(Kind.NO_SESSION)).getFirst().text()).contains("every session", "fuser");
    }

    @Test
    void aWrongShellIsToldFromTheOneThatTheOwnerVouchesFor() {
        HexagonBoard board = HexagonBoard.virtual(HexagonOptions.standard());
        byte[] other = EmulatedShell.of("BUILD.OF.ANOTHER.FIRMWARE");
        board.install(other, HexagonBoard.sign(board.owner, other));
        Finding finding = examine(board).getLast();
        assertThat(finding.level()).isEqualTo(Level.UNUSABLE);
        assertThat(finding.text()).contains("HASH_MISMATCH", ShellPolicy.DEFAULT_PATH);
        assertThat(finding.fix()).isNotBlank();
    }
}
