package dev.portal.emulator.rk3588;

/**
 * The two shadow sets of a core's block registers (spec 7.1). Programs use them in turn, so a program that leaves a
 * register out inherits what the program two before it wrote; the pointer and the values persist across jobs.
 */
final class RegisterGroups {
    /** Pages 0x1000 to 0x7fff. */
    private static final int WORDS = 0x8000 >> 2;

    private final int[][] values = new int[2][WORDS];
    private int pointer;
    private boolean pingPong = true;

    int pointer() {
        return pointer;
    }

    /** The value that the group holds; 0 when it was never written. */
    int get(int group, int offset) {
        return values[group][offset >> 2];
    }

    void set(int group, int offset, int value) {
        values[group][offset >> 2] = value;
    }

    boolean holds(int offset) {
        return offset >= 0x1000 && offset >> 2 < WORDS && (offset & 3) == 0;
    }

    /** After a program was fetched: the next one goes to the other group, unless ping-pong is off. */
    void advance() {
        if (pingPong) {
            pointer ^= 1;
        }
    }

    void pingPong(boolean on) {
        pingPong = on;
    }

    /** A soft reset: registers return to zero. */
    void reset() {
        values[0] = new int[WORDS];
        values[1] = new int[WORDS];
        pointer = 0;
        pingPong = true;
    }
}
