package dev.portal.hexagon;

import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A model that the runtime keeps on the DSP, across restarts: after one it is loaded again from its file.
 *
 * <p>Any thread.
 */
public final class HexagonModel {
    private final String name;
    private final String path;
    private final List<GraphSpec> graphs;

    /** Where it is loaded now; written by the runtime under its lock. */
    private volatile @Nullable QnnModel loaded;

    HexagonModel(String name, String path, List<GraphSpec> graphs) {
        this.name = name;
        this.path = path;
        this.graphs = List.copyOf(graphs);
    }

    public String name() {
        return name;
    }

    /** Its file: a model library or a context binary. */
    public String path() {
        return path;
    }

    public List<GraphSpec> graphs() {
        return graphs;
    }

    /** The DSP's name of it now; empty while it is not loaded. */
    public OptionalInt handle() {
        QnnModel now = loaded;
        return now == null ? OptionalInt.empty() : OptionalInt.of(now.handle());
    }

    @Nullable
    QnnModel loaded() {
        return loaded;
    }

    void loaded(@Nullable QnnModel model) {
        loaded = model;
    }

    @Override
    public String toString() {
        return name + " (" + path + ")";
    }
}
