package dev.portal.app.models;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The catalogue with the state of each file, as a table or as JSON. */
final class ModelList {
    /** One entry of the catalogue: all its files. */
    private record Entry(String id, List<ModelFile> files, List<ModelStore.State> states) {
        long bytes() {
            return files.stream().mapToLong(ModelFile::bytes).sum();
        }

        String state() {
            if (states.contains(ModelStore.State.DAMAGED)) {
                return "damaged";
            }
            if (states.contains(ModelStore.State.MISSING)) {
                return "missing";
            }
            return states.stream().allMatch(s -> s == ModelStore.State.SYSTEM) ? "system" : "installed";
        }

        String origins() {
            List<String> origins =
                    files.stream().map(f -> f.origin().toString()).distinct().toList();
            return origins.getFirst() + (origins.size() > 1 ? " and " + (origins.size() - 1) + " more" : "");
        }

        String licences() {
            return String.join(
                    "; ", files.stream().map(ModelFile::licence).distinct().toList());
        }
    }

    private final ModelStore store;
    private final List<Entry> entries;

    private ModelList(ModelStore store, List<Entry> entries) {
        this.store = store;
        this.entries = entries;
    }

    /** @param verify whether to read every file and compare its checksum instead of its size only */
    static ModelList of(ModelStore store, boolean verify) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String id : store.catalogue().ids()) {
            List<ModelFile> files = store.files(Set.of(id));
            List<ModelStore.State> states = new ArrayList<>();
            for (ModelFile file : files) {
                ModelStore.State state = store.state(file);
                boolean wrong = verify && state == ModelStore.State.INSTALLED && !store.verified(file);
                states.add(wrong ? ModelStore.State.DAMAGED : state);
            }
            if (!files.isEmpty()) {
                entries.add(new Entry(id, files, states));
            }
        }
        return new ModelList(store, entries);
    }

    String table() {
        StringBuilder table = new StringBuilder();
        row(table, "ID", "KIND", "STATE", "SIZE", "SHA256", "FROM", "LICENCE");
        for (Entry entry : entries) {
            row(
                    table,
                    entry.id(),
                    word(entry.files().getFirst().kind()),
                    entry.state(),
                    size(entry.bytes()),
                    entry.files().size() == 1
                            ? entry.files().getFirst().sha256().substring(0, 12)
                            : entry.files().size() + " files",
                    entry.origins(),
                    entry.licences());
        }
        table.append("in ").append(store.machine().home()).append('\n');
        if (entries.stream()
                .anyMatch(e -> e.state().equals("missing") || e.state().equals("damaged"))) {
            table.append("bring what is missing: ./portal models fetch\n");
        }
        return table.toString();
    }

    private static void row(StringBuilder table, String... cells) {
        table.append(String.format(Locale.ROOT, "%-19s %-8s %-10s %9s  %-12s  %-48s  %s%n", (Object[]) cells));
    }

    String json() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        root.put("home", store.machine().home().toString());
        root.put("architecture", store.machine().architecture());
        ArrayNode models = root.putArray("models");
        for (Entry entry : entries) {
            ObjectNode model = models.addObject();
            model.put("id", entry.id());
            model.put("kind", word(entry.files().getFirst().kind()));
            model.put("state", entry.state());
            model.put("bytes", entry.bytes());
            ArrayNode files = model.putArray("files");
            for (int i = 0; i < entry.files().size(); i++) {
                ModelFile file = entry.files().get(i);
                ObjectNode node = files.addObject();
                node.put("path", store.path(file).toString());
                node.put("state", entry.states().get(i).name().toLowerCase(Locale.ROOT));
                node.put("source", file.origin().registry().word());
                node.put("package", file.origin().name());
                node.put("version", file.origin().version());
                node.put("architecture", file.origin().architecture());
                node.put("licence", file.licence());
                node.put("sha256", file.sha256());
                node.put("bytes", file.bytes());
            }
        }
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    }

    private static String word(ModelFile.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static String size(long bytes) {
        return bytes < 1 << 20
                ? ((bytes + 1023) >> 10) + " KiB"
                : String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }
}
