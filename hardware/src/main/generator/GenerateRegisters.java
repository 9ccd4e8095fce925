import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns the register tables into Java. From the root of the repository:
 *
 * <pre>java hardware/src/main/generator/GenerateRegisters.java \
 *     hardware/src/main/regs hardware/src/main/java/dev/portal/hardware/rk3588</pre>
 *
 * then the formatter. The output is checked in; a test fails when it is stale. Errors give file:line:column.
 */
final class GenerateRegisters {
    private static final List<String> COLUMNS = List.of(
            "#block", "offset", "register", "field", "bits", "access", "type", "meaning", "source", "confidence");
    private static final Set<String> ACCESS = Set.of("rw", "ro", "w1c");
    private static final Set<String> TYPES = Set.of("flag", "uint", "int", "minus1", "addr", "stride", "precision");
    private static final Set<String> CONFIDENCE = Set.of("documented", "observed", "inferred", "unknown");
    private static final Map<String, Integer> PAGES = Map.of(
            "PC", 0x0000, "CNA", 0x1000, "CORE", 0x3000, "DPU", 0x4000, "DPU_RDMA", 0x5000);

    private record Field(
            String name, int msb, int lsb, String access, String type, String meaning, String source, String sure) {}

    private record Register(String name, int offset, List<Field> fields) {}

    /** One cell, to say where an error is. */
    private record Cell(Path file, int line, int column, String text) {
        IllegalArgumentException error(String what) {
            return new IllegalArgumentException(file.getFileName() + ":" + line + ":" + column + ": " + what);
        }

        String oneOf(Set<String> allowed) {
            if (!allowed.contains(text)) {
                throw error("\"" + text + "\" is none of " + allowed.stream().sorted().toList());
            }
            return text;
        }

        String name() {
            if (!text.matches("[A-Z][A-Z0-9_]*")) {
                throw error("\"" + text + "\" is not an upper-case name");
            }
            return text;
        }

        String sentence() {
            if (text.isBlank() || text.contains("\"")) {
                throw error("a text without quotation marks was expected");
            }
            return text;
        }

        int offset() {
            if (!text.matches("0x[0-9a-f]{4}")) {
                throw error("\"" + text + "\" is not an offset like 0x100c");
            }
            int offset = Integer.parseInt(text.substring(2), 16);
            if (offset % 4 != 0) {
                throw error("offset " + text + " is not a multiple of 4");
            }
            return offset;
        }

        int[] bits() {
            if (!text.matches("\\d{1,2}(:\\d{1,2})?")) {
                throw error("\"" + text + "\" is not a bit range like 13:4");
            }
            String[] ends = text.split(":");
            int msb = Integer.parseInt(ends[0]);
            int lsb = Integer.parseInt(ends[ends.length - 1]);
            if (msb > 31 || lsb > msb) {
                throw error("bits " + text + " are not within 31:0, highest first");
            }
            return new int[] {msb, lsb};
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            System.err.println("usage: GenerateRegisters TABLES OUTPUT");
            System.exit(2);
        }
        try (var tables = Files.newDirectoryStream(Path.of(args[0]), "*.tsv")) {
            for (Path table : tables) {
                generate(table, Path.of(args[1]));
            }
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static void generate(Path table, Path output) throws IOException {
        String block = table.getFileName().toString().replace(".tsv", "").toUpperCase();
        Map<String, Register> registers = read(table, block);
        String className = className(block);
        Files.writeString(output.resolve(className + ".java"), print(block, className, table, registers));
    }

    private static Map<String, Register> read(Path table, String block) throws IOException {
        Map<String, Register> registers = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(table);
        int before = -1;
        for (int i = 0; i < lines.size(); i++) {
            List<Cell> cells = cells(table, i + 1, lines.get(i));
            if (i == 0) {
                if (!cells.stream().map(Cell::text).toList().equals(COLUMNS)) {
                    throw cells.getFirst().error("the header must be " + String.join(" ", COLUMNS));
                }
                continue;
            }
            if (cells.size() != COLUMNS.size()) {
                throw cells.getLast().error(cells.size() + " columns where " + COLUMNS.size() + " were expected");
            }
            if (!cells.get(0).text().equals(block)) {
                throw cells.get(0).error("block " + cells.get(0).text() + " in the table of " + block);
            }
            int offset = cells.get(1).offset();
            if (PAGES.getOrDefault(block, -1) != (offset & 0xf000) || offset < before) {
                throw cells.get(1).error("offsets of " + block + " must rise, within its page");
            }
            before = offset;
            Register register = registers.computeIfAbsent(
                    cells.get(2).name(), name -> new Register(name, offset, new ArrayList<>()));
            if (register.offset() != offset) {
                throw cells.get(1).error(register.name() + " is also at 0x" + Integer.toHexString(register.offset()));
            }
            addField(register, cells);
        }
        return registers;
    }

    private static void addField(Register register, List<Cell> cells) {
        int[] bits = cells.get(4).bits();
        for (Field other : register.fields()) {
            if (bits[1] <= other.msb() && other.lsb() <= bits[0]) {
                throw cells.get(4).error("overlaps " + other.name());
            }
            if (other.name().equals(cells.get(3).text())) {
                throw cells.get(3).error("a second field of this name");
            }
        }
        register.fields()
                .add(new Field(
                        cells.get(3).name(),
                        bits[0],
                        bits[1],
                        cells.get(5).oneOf(ACCESS),
                        cells.get(6).oneOf(TYPES),
                        cells.get(7).sentence(),
                        cells.get(8).sentence(),
                        cells.get(9).oneOf(CONFIDENCE)));
    }

    private static List<Cell> cells(Path file, int line, String text) {
        List<Cell> cells = new ArrayList<>();
        int column = 1;
        for (String cell : text.split("\t", -1)) {
            cells.add(new Cell(file, line, column, cell));
            column += cell.length() + 1;
        }
        return cells;
    }

    private static String className(String block) {
        StringBuilder name = new StringBuilder();
        for (String word : block.split("_")) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase());
        }
        return name + "Registers";
    }

    private static String print(String block, String className, Path table, Map<String, Register> registers) {
        StringBuilder out = new StringBuilder();
        out.append("package dev.portal.hardware.rk3588;\n\n")
                .append("import dev.portal.hardware.rk3588.RegisterField.Access;\n")
                .append("import dev.portal.hardware.rk3588.RegisterField.Confidence;\n")
                .append("import dev.portal.hardware.rk3588.RegisterField.ValueType;\n")
                .append("import java.util.List;\n\n")
                .append("/** Registers of ").append(block).append(". Generated from {@code ").append(table.getFileName())
                .append("}; do not edit. */\n")
                .append("public final class ").append(className).append(" {\n");
        for (Register register : registers.values()) {
            out.append("    public static final int ").append(register.name()).append(" = 0x")
                    .append(String.format("%04x", register.offset())).append(";\n");
            for (Field field : register.fields()) {
                out.append("    /** ").append(field.meaning()).append(" (").append(field.source()).append("). */\n")
                        .append("    public static final BitField ").append(constant(register, field))
                        .append(" = new BitField(\"").append(register.name()).append("\", \"").append(field.name())
                        .append("\", ").append(field.msb()).append(", ").append(field.lsb()).append(");\n");
            }
        }
        out.append("    static final List<Register> ALL = List.of(\n");
        String separator = "";
        for (Register register : registers.values()) {
            out.append(separator).append("new Register(Block.").append(block).append(", ").append(register.name())
                    .append(", \"").append(register.name()).append("\", List.of(");
            separator = "";
            for (Field field : register.fields()) {
                out.append(separator).append("new RegisterField(").append(constant(register, field))
                        .append(", Access.").append(field.access().toUpperCase())
                        .append(", ValueType.").append(field.type().toUpperCase())
                        .append(", \"").append(field.meaning()).append("\", \"").append(field.source())
                        .append("\", Confidence.").append(field.sure().toUpperCase()).append(")");
                separator = ",\n";
            }
            out.append("))");
            separator = ",\n";
        }
        return out.append(");\n\n    private ").append(className).append("() {}\n}\n").toString();
    }

    private static String constant(Register register, Field field) {
        return register.name() + "_" + field.name();
    }
}
