package dev.portal.emulator.rk3588;

import java.util.Map.Entry;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One set of translations: which buffer is behind which device address. */
final class IommuDomain {
    private static final int REMEMBERED = 4096;

    final IovaAllocator window = new IovaAllocator();
    private final TreeMap<Long, GemObject> mapped = new TreeMap<>();

    /** Ranges that were freed since, newest last in time, for the diagnosis of a stale address. */
    private final TreeMap<Long, Long> freed = new TreeMap<>();

    void map(GemObject object) {
        mapped.put(object.iova, object);
    }

    void unmap(GemObject object) {
        mapped.remove(object.iova, object);
        freed.put(object.iova, object.iova + object.size);
        if (freed.size() > REMEMBERED) {
            freed.pollFirstEntry();
        }
    }

    /** The buffer that holds {@code iova}; null when nothing is mapped there. */
    @Nullable
    GemObject at(long iova) {
        Entry<Long, GemObject> below = mapped.floorEntry(iova);
        return below != null && iova < below.getKey() + below.getValue().size ? below.getValue() : null;
    }

    /** Whether a buffer that is gone was there. */
    boolean wasMapped(long iova) {
        Entry<Long, Long> below = freed.floorEntry(iova);
        return below != null && iova < below.getValue();
    }

    int count() {
        return mapped.size();
    }
}
