package dev.portal.voice.tts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.List;
import java.util.Optional;

/** Asks the program espeak-ng, as Piper's voices were trained. A separate program, since its licence is GPL-3. */
public final class EspeakPhonemizer implements Phonemizer {
    private final Path program;
    private final String voice;

    /**
     * @param voice espeak-ng's name of the language, as in {@code en-us}
     */
    public EspeakPhonemizer(Path program, String voice) {
        this.program = program;
        this.voice = voice;
    }

    /** Where the program is, if a folder of {@code searchPath} has it. */
    public static Optional<Path> find(String searchPath) {
        for (String folder : searchPath.split(":")) {
            Path candidate = Path.of(folder).resolve("espeak-ng");
            if (Files.isExecutable(candidate)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    @Override
    public List<String> phonemes(String sentence) {
        try {
            Process process = new ProcessBuilder(program.toString(), "-q", "-b", "1", "--ipa", "-v", voice, "--stdin")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (var input = process.getOutputStream()) {
                input.write(sentence.getBytes(StandardCharsets.UTF_8));
            }
            String ipa = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new IllegalStateException(program + " -v " + voice + " ended with " + status
                        + "; try it by hand, the voice may not be installed");
            }
            String end = sentence.isEmpty() ? "" : sentence.substring(sentence.length() - 1);
            String line = ipa.strip().replaceAll("\\s+", " ") + (end.matches("[.!?,;:]") ? end : "");
            return Phonemizer.symbols(Normalizer.normalize(line, Normalizer.Form.NFD));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + program + " worked", e);
        }
    }
}
