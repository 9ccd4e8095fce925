package dev.portal.app.rk;

import java.util.List;
import java.util.Locale;

/** What was tried on the seed's board to make asynchronous fp16 reliable, and how often it then worked (seed section 7b). */
final class Fp16Levers {
    private record Lever(String what, String rate) {}

    private static final List<Lever> TRIED = List.of(
            new Lever("direct in place, NONBLOCK (the best)", "about 85 %"),
            new Lever("clean every output line before the submit", "from about 20 % to the above"),
            new Lever("enter the device again between warm and real round", "16/20"),
            new Lever("drain the warm round's whole surface before seeding", "19/25"),
            new Lever("settle longer after the round", "18/20"),
            new Lever("blocking warm submit", "8/15"),
            new Lever("blocking establishment, two passes a core", "21/25"),
            new Lever("no chain: each task submitted alone", "flaky, 12/16 seen"),
            new Lever("all-zero fp16 primer, once", "flaky, 10/16 seen"),
            new Lever("all-zero fp16 primer, twice", "18/20"),
            new Lever("all-zero fp16 primer, four times", "13/20"),
            new Lever("output-processor primer (elementwise multiply)", "1/4"),
            new Lever("per-core scratch and copy back", "4/20"),
            new Lever("0x1040 schedule off", "flaky: 4/16, 0/16, 10/16"),
            new Lever("one core instead of three", "13/20"));

    private Fp16Levers() {}

    static List<String> lines() {
        return TRIED.stream()
                .map(lever -> String.format(Locale.ROOT, "%-52s %s", lever.what(), lever.rate()))
                .toList();
    }
}
