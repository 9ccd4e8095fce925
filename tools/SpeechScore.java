import dev.portal.scheduler.Inference;
import dev.portal.voice.audio.AudioFiles;
import dev.portal.voice.audio.SampleSource;
import dev.portal.voice.audio.Samples;
import dev.portal.voice.engine.RecognizerChoice;
import dev.portal.voice.engine.SpeechEngineChoice;
import dev.portal.voice.nativelib.NativeLibraries;
import dev.portal.voice.stage.OnnxStages;
import dev.portal.voice.stt.StreamingRecognizer;
import dev.portal.voice.stt.WordErrorRate;
import dev.portal.voice.stt.grammar.CommandGrammar;
import dev.portal.voice.tts.SpeechEngine;
import dev.portal.voice.tts.Utterance;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Word errors of a recognizer on recordings with known words: the figures of the model cards.
 *
 * <p>A list has a line for each recording: its path below the list's folder, a tab, what is said. {@code VOICE@FILE} stands
 * for the lines of FILE as VOICE speaks them. {@code SHOW=1} prints what was heard. After {@code ./portal
 * doctor} has built everything:
 *
 * <pre>
 * java -p app/target/lib --add-modules dev.portal.voice --enable-native-access=dev.portal.voice,com.microsoft.onnxruntime \
 *     tools/SpeechScore.java ~/.cache/portal models/tiny-transducer LIST.tsv... VOICE@SENTENCES.txt...
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
                String[] voiceAndList = args[i].split("@");
                Path list = Path.of(voiceAndList[voiceAndList.length - 1]);
                // What pocketsphinx hears depends on what it heard before: a fresh one for each list.
                try (StreamingRecognizer recognizer = choice.named(args[1])) {
                    if (voiceAndList.length == 1) {
                        System.out.println(
                                recognizer.name() + ", " + list.getFileName() + ": " + score(recognizer, list));
                        continue;
                    }
                    SpeechEngineChoice voices =
                            new SpeechEngineChoice(home, NativeLibraries.ofThisMachine(home), stages, "");
                    try (SpeechEngine voice = voices.named(voiceAndList[0], 1)) {
                        System.out.println(
                                voice.name() + ", recognised by " + recognizer.name() + ": "
                                        + score(recognizer, voice, list));
                    }
                }
            }
        }
    }

    private static WordErrorRate score(StreamingRecognizer recognizer, Path list) throws Exception {
        WordErrorRate sum = WordErrorRate.NONE;
        for (String line : Files.readAllLines(list)) {
            int tab = line.indexOf('\t');
            try (SampleSource source = AudioFiles.open(list.resolveSibling(line.substring(0, tab)))) {
                sum = sum.plus(score(recognizer, line.substring(tab + 1), Samples.readAll(source).values()));
            }
        }
        return sum;
    }

    private static WordErrorRate score(StreamingRecognizer recognizer, SpeechEngine voice, Path sentences)
            throws Exception {
        WordErrorRate sum = WordErrorRate.NONE;
        for (String sentence : Files.readAllLines(sentences)) {
            sum = sum.plus(score(recognizer, sentence, speak(voice, sentence)));
        }
        return sum;
    }

    private static WordErrorRate score(StreamingRecognizer recognizer, String said, float[] samples) {
        recognizer.start();
        recognizer.accept(samples, 0, samples.length);
        String heard = recognizer.finish().text();
        if (System.getenv("SHOW") != null) {
            System.out.println("  " + said + " | " + heard);
        }
        return WordErrorRate.of(said, heard);
    }

    private static float[] speak(SpeechEngine voice, String sentence) {
        FloatBuffer all = FloatBuffer.allocate(60 * voice.sampleRateHz());
        Utterance utterance = voice.prepare(sentence);
        utterance.encoder().ifPresent(Inference.DIRECT::run);
        Inference.DIRECT.run(utterance.decoder((samples, offset, length) -> {
            all.put(samples, offset, length);
            return true;
        }));
        return Arrays.copyOf(all.array(), all.position());
    }
}
