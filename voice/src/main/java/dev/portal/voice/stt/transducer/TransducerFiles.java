package dev.portal.voice.stt.transducer;

import dev.portal.voice.stage.StageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a model.
 *
 * @param encoder {@code encoder*.onnx}
 * @param decoder {@code decoder*.onnx}
 * @param joiner {@code joiner*.onnx}
 * @param tokens {@code tokens.txt}
 */
public record TransducerFiles(Path encoder, Path decoder, Path joiner, Path tokens) {
    /**
     * Finds them in a folder. Where a stage comes both plain and quantised ({@code *.int8.onnx}), the plain one is taken.
     *
     * @throws StageException when one is missing, or there are several
     */
    public static TransducerFiles in(Path folder) {
        Path tokens = folder.resolve("tokens.txt");
        if (!Files.isRegularFile(tokens)) {
            throw new StageException("no tokens.txt in " + folder + "; a transducer folder has encoder*.onnx,"
                    + " decoder*.onnx, joiner*.onnx and tokens.txt");
        }
        return new TransducerFiles(stage(folder, "encoder"), stage(folder, "decoder"), stage(folder, "joiner"), tokens);
    }

    private static Path stage(Path folder, String stage) {
        List<Path> found;
        try (Stream<Path> files = Files.list(folder)) {
            found = files.filter(
                            file -> name(file).startsWith(stage) && name(file).endsWith(".onnx"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + folder, e);
        }
        List<Path> plain =
                found.stream().filter(file -> !name(file).contains(".int8.")).toList();
        List<Path> chosen = plain.isEmpty() ? found : plain;
        if (chosen.size() != 1) {
            throw new StageException(
                    (chosen.isEmpty() ? "no " : "more than one ") + stage + "*.onnx in " + folder + ": " + found);
        }
        return chosen.getFirst();
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }
}
