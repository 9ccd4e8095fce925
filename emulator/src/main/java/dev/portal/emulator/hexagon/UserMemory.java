package dev.portal.emulator.hexagon;

import dev.portal.kernel.NativeMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The calling process's memory as its kernel sees it. A pointer of a struct is followed only where the process has
 * memory with the right that is asked for; elsewhere the caller gets EFAULT, as from a real kernel.
 *
 * <p>Looks into {@code /proc/self/maps}, and again whenever an address is not found there; what was unmapped since the
 * last look is not noticed. Where there is no such file, every address from {@value #LOWEST} to 2^47 is believed.
 *
 * <p>Not synchronised: the device's lock guards it.
 */
final class UserMemory {
    /** Nothing is ever mapped below (vm.mmap_min_addr). */
    static final long LOWEST = 0x10000;

    private static final long HIGHEST = 1L << 47;

    private record Area(long start, long end, boolean readable, boolean writable) {}

    private final Path source;
    private List<Area> areas = List.of();
    private boolean believes;

    UserMemory(Path source) {
        this.source = source;
    }

    boolean readable(long address, long bytes) {
        return allowed(address, bytes, false);
    }

    boolean writable(long address, long bytes) {
        return allowed(address, bytes, true);
    }

    private boolean allowed(long address, long bytes, boolean write) {
        if (bytes == 0) {
            return true;
        }
        if (address < LOWEST || bytes < 0 || bytes > HIGHEST || address > HIGHEST - bytes) {
            return false;
        }
        if (covers(address, bytes, write)) {
            return true;
        }
        look();
        return covers(address, bytes, write);
    }

    private boolean covers(long address, long bytes, boolean write) {
        if (believes) {
            return true;
        }
        long at = address;
        for (int i = find(address); i >= 0 && i < areas.size(); i++) {
            Area area = areas.get(i);
            if (area.start() > at || area.end() <= at || !(write ? area.writable() : area.readable())) {
                return false;
            }
            at = area.end();
            if (at >= address + bytes) {
                return true;
            }
        }
        return false;
    }

    /** The last area that starts at or before the address; -1 where there is none. */
    private int find(long address) {
        int low = 0;
        int high = areas.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (areas.get(middle).start() <= address) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** The start of the area that contains the address, or of the next above it as {@code find_vma} has it. */
    long areaStart(long address) {
        if (!readable(address, 1)) {
            return address;
        }
        int index = find(address);
        return believes || index < 0 ? address : areas.get(index).start();
    }

    private void look() {
        List<Area> seen = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(source)) {
                int dash = line.indexOf('-');
                int space = line.indexOf(' ');
                long start = Long.parseUnsignedLong(line.substring(0, dash), 16);
                long end = Long.parseUnsignedLong(line.substring(dash + 1, space), 16);
                if (end > start && start >= 0) {
                    seen.add(new Area(start, end, line.charAt(space + 1) == 'r', line.charAt(space + 2) == 'w'));
                }
            }
            areas = seen;
        } catch (IOException e) {
            believes = true;
        }
    }

    /** The memory itself; asked for only after {@link #readable} or {@link #writable} said yes. */
    static MemorySegment at(long address, long bytes) {
        return bytes == 0 ? MemorySegment.NULL : NativeMemory.at(address, bytes);
    }
}
