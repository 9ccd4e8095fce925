import dev.portal.scheduler.Inference;
import dev.portal.voice.audio.AudioFiles;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.audio.Samples;
import dev.portal.voice.engine.RecognizerChoice;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.WordErrorRate;
import dev.portal.voice.stt.pocketsphinx.CommandGrammar;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Word errors of a recognizer on recordings with known words: the figures of the model cards.
 *
 * <p>A list has a line for each recording: its path below the list's folder, a tab, what is said. After {@code ./portal
 * doctor} has built everything:
 *
 * <pre>
 * java -p app/target/lib --add-modules dev.portal.voice --enable-native-access=dev.portal.voice,com.microsoft.onnxruntime \
 *     tools/SpeechScore.java ~/.cache/portal models/tiny-transducer LIST.tsv...
 * </pre>
 */
final class SpeechScore {
    private SpeechScore() {}

    public static void main(String[] args) throws Exception {
        Path home = Path.of(args[0]);
        try (OnnxStages stages = new OnnxStages()) {
            RecognizerChoice choice = new RecognizerChoice(
                    home,
                    NativeLibraries.ofThisMachine(home),
                    stages,
                    Inference.DIRECT,
                    CommandGrammar.assistantAndAnswers());
            for (int i = 2; i < args.length; i++) {
                Path list = Path.of(args[i]);
                // What pocketsphinx hears depends on what it heard before: a fresh one for each list.
                try (StreamingRecognizer recognizer = choice.named(args[1])) {
                    System.out.println(recognizer.name() + ", " + list.getFileName() + ": " + score(recognizer, list));
                }
            }
        }
    }

    private static WordErrorRate score(StreamingRecognizer recognizer, Path list) throws Exception {
        WordErrorRate sum = WordErrorRate.NONE;
        for (String line : Files.readAllLines(list)) {
            int tab = line.indexOf('\t');
            float[] samples;
            try (SampleSource source = AudioFiles.open(list.resolveSibling(line.substring(0, tab)))) {
                samples = Samples.readAll(source).values();
            }
            recognizer.start();
            recognizer.accept(samples, 0, samples.length);
            String heard = recognizer.finish().text();
            if (System.getenv("SHOW") != null) {
                System.out.println("  " + line.substring(tab + 1) + " | " + heard);
            }
            sum = sum.plus(WordErrorRate.of(line.substring(tab + 1), heard));
        }
        return sum;
    }
}
