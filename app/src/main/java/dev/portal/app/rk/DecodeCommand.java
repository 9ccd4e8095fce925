package dev.portal.app.rk;

import dev.portal.hardware.rk3588.ProgramDecoder;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code portal rk decode}: words to named registers and fields. Damage is marked and skipped. */
@Command(
        name = "decode",
        description = "Prints a register program as named registers and fields.",
        mixinStandardHelpOptions = true)
final class DecodeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE", description = "words of 16 hexadecimal digits; - for standard input")
    private String file;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        List<ProgramDecoder.Line> lines = ProgramDecoder.decode(ProgramText.parse(TsvRows.text(file), file));
        PrintWriter printer = spec.commandLine().getOut();
        if (!json) {
            lines.forEach(printer::println);
            printer.flush();
            return 0;
        }
        ObjectNode answer = new ObjectMapper().createObjectNode();
        var list = answer.putArray("words");
        for (ProgramDecoder.Line line : lines) {
            list.addObject()
                    .put("index", line.index())
                    .put("word", ProgramText.word(line.word()))
                    .put("kind", line.kind().name())
                    .put("name", line.name())
                    .put("fields", line.fields());
        }
        printer.println(answer);
        return 0;
    }
}
