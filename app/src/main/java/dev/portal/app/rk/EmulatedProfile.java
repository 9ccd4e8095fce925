package dev.portal.app.rk;

import dev.portal.emulator.rk3588.Rk3588Options;

/** What the emulated driver does with the job of a halted chain; no board has told (design 5.4). */
enum EmulatedProfile {
    HALT_STICKS,
    HALT_RETIRES;

    static final String USAGE = "of the emulated board: halt-sticks (default) or halt-retires";

    Rk3588Options options() {
        return Rk3588Options.standard().withHaltRetires(this == HALT_RETIRES);
    }

    @Override
    public String toString() {
        return this == HALT_RETIRES ? "halt-retires" : "halt-sticks";
    }
}
