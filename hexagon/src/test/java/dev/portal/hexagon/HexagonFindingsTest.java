package dev.portal.hexagon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.fastrpc.Fastrpc;
import dev.portal.hexagon.HexagonFindings.Finding;
import dev.portal.hexagon.HexagonFindings.Level;
import dev.portal.kernel.Errno;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HexagonFindingsTest {
    private final ScriptedKernel kernel = new ScriptedKernel();
    private final Shells shells = new Shells();

    private List<Finding> examine(Optional<ShellPolicy> shell) {
        List<Finding> findings = HexagonFindings.examine(kernel, kernel, new TestClock(), shell);
        assertThat(kernel.open).isEmpty();
        assertThat(findings)
                .allSatisfy(finding -> assertThat(finding.level() == Level.GOOD || finding.fix() != null)
                        .as(finding.text())
                        .isTrue());
        return findings;
    }

    @Test
    void aGoodBoardHasNothingToDo() {
        List<Finding> findings = examine(Optional.of(shells.install(kernel)));
        assertThat(findings).allMatch(finding -> finding.level() == Level.GOOD);
        assertThat(findings.getFirst().text()).contains("a session opens, architecture v68");
        assertThat(kernel.log).as("no process is started").doesNotContain("INIT_CREATE");
    }

    @Test
    void aMachineWithoutADspNeedsNoFix() {
        kernel.nodes.clear();
        List<Finding> findings = examine(Optional.empty());
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().fix()).contains("--device emulated");
    }

    @Test
    void aNodeWithoutPermissionIsNamedWithItsRemedy() {
        kernel.openErrors.put(Fastrpc.NODE_CDSP_SECURE, Errno.EACCES);
        kernel.openErrors.put(Fastrpc.NODE_CDSP, Errno.EACCES);
        List<Finding> findings = examine(Optional.of(shells.install(kernel)));
        assertThat(findings.getFirst().text()).contains("/dev/fastrpc-cdsp-secure", "may not be opened");
        assertThat(findings.getFirst().fix()).contains("group that owns the node");
    }

    @Test
    void aWrongShellIsNamedWithItsRemedy() {
        ShellPolicy good = shells.install(kernel);
        kernel.files.put("/shell", Shells.shell(8000));
        assertThat(examine(Optional.of(good)).getLast().text()).contains("HASH_MISMATCH");
        assertThat(examine(Optional.empty()).getLast().fix()).contains("sign-shell");
    }

    @Test
    void aHeapWithoutPermissionCostsSpeedAndSaysSo() {
        kernel.openErrors.put(Fastrpc.DMA_HEAP_SYSTEM, Errno.EACCES);
        List<Finding> findings = examine(Optional.of(shells.install(kernel)));
        assertThat(findings)
                .anyMatch(finding ->
                        finding.level() == Level.RESTRICTED && finding.text().contains("uncached and slower"));
    }
}
