package dev.portal.hardware.fastrpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.portal.hardware.fastrpc.Golden.Row;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AeeErrorTest {
    private static final Map<String, Integer> ABSOLUTE = Map.of(
            "SUCCESS", AeeError.SUCCESS,
            "EUNKNOWN", AeeError.EUNKNOWN,
            "ENOSUCH", AeeError.ENOSUCH,
            "EINTERRUPTED", AeeError.EINTERRUPTED,
            "ECONNRESET", AeeError.ECONNRESET,
            "EWOULDBLOCK", AeeError.EWOULDBLOCK);

    /** Linux's numbers of those errno values that the golden file names and does not number (asm-generic/errno.h). */
    private static final Map<String, Integer> ERRNO = Map.ofEntries(
            Map.entry("EBADE", 52),
            Map.entry("EBADR", 53),
            Map.entry("EBADRQC", 56),
            Map.entry("ENOSR", 63),
            Map.entry("EBADMSG", 74),
            Map.entry("EUSERS", 87),
            Map.entry("EPROTONOSUPPORT", 93),
            Map.entry("EADDRNOTAVAIL", 99),
            Map.entry("ENOBUFS", 105),
            Map.entry("ESHUTDOWN", 108),
            Map.entry("ETOOMANYREFS", 109),
            Map.entry("EHOSTDOWN", 112),
            Map.entry("EDQUOT", 122),
            Map.entry("ENOKEY", 126));

    @Test
    void everyCodeIsTheGoldenOne() {
        Set<String> golden = new HashSet<>();
        for (Row row : Golden.rows("aee_code")) {
            assertThat(AeeError.valueOf(row.name()).code()).as(row.name()).isEqualTo(row.number());
            golden.add(row.name());
        }
        for (Row row : Golden.rows("aee_absolute")) {
            assertThat(ABSOLUTE.get(row.name())).as(row.name()).isEqualTo(row.number());
        }
        assertThat(Golden.rows("aee").getFirst().number()).isEqualTo(AeeError.DSP_OFFSET);
        for (AeeError error : AeeError.values()) {
            // EEXPIRED stands in the golden file's table of errno values only.
            assertThat(golden.contains(error.name()) || error == AeeError.EEXPIRED)
                    .as(error.name())
                    .isTrue();
        }
    }

    @Test
    void anErrorOfTheDspIsALargeNegativeInt() {
        assertThat(AeeError.EUNABLETOLOAD.onDsp()).isEqualTo(-2147482618).isEqualTo(0x80000406);
        assertThat(AeeError.ofDspResult(0x8000040D)).contains(AeeError.EBADSTATE);
        assertThat(AeeError.ofDspResult(0x80000600)).contains(AeeError.ERPC);
        assertThat(AeeError.ofDspResult(0x0D)).isEmpty();
        assertThat(AeeError.ofDspResult(-1)).isEmpty();
        assertThat(AeeError.isDspError(0x80000400 + 0x7ff)).isTrue();
        assertThat(AeeError.isDspError(-4095)).isFalse();
        assertThat(AeeError.describe(0x80000414)).isEqualTo("AEE_EUNSUPPORTED (0x80000414)");
        assertThat(AeeError.describe(104)).isEqualTo("AEE_ECONNRESET (0x68)");
        assertThat(AeeError.describe(0x80000468)).isEqualTo("AEE_ENORPCMEMORY (0x80000468)");
        assertThat(AeeError.describe(0x80000777)).isEqualTo("AEE_unknown (0x80000777)");
    }

    @Test
    void anErrnoBecomesWhatTheUserLibraryMakesOfIt() {
        Map<String, Integer> numbered = new java.util.HashMap<>(ERRNO);
        Golden.rows("const").stream()
                .filter(row -> row.name().startsWith("E"))
                .forEach(row -> numbered.put(row.name(), row.number()));
        for (Row row : Golden.rows("errno")) {
            int errno = Objects.requireNonNull(numbered.get(row.name()), row.name());
            assertThat(AeeError.ofErrno(errno)).as(row.name()).isEqualTo(row.number());
        }
        assertThat(AeeError.ofErrno(4)).isEqualTo(AeeError.ERPC.code());
    }
}
