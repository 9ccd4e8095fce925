package dev.portal.voice.nativelib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The C library pocketsphinx 0.8+5prealpha, as Debian ships it (headers pocketsphinx.h, ps_search.h, cmd_ln.h, feat.h,
 * cmn.h, err.h).
 *
 * <p>Its messages are switched off for the whole process. When it refuses something, the call is repeated with messages
 * going to a temporary file, and the exception says what they say.
 */
public final class PocketSphinx {
    private static final List<String> DEPENDENCIES =
            List.of("libquadmath.so.0", "libgfortran.so.5", "libblas.so.3", "liblapack.so.3");
    private static final List<String> LIBRARIES = List.of("libsphinxbase.so.3", "libpocketsphinx.so.3");

    private static final MethodHandle POINTER_OF_VOID = Native.handle(FunctionDescriptor.of(ADDRESS));
    private static final MethodHandle POINTER_OF_POINTER = Native.handle(FunctionDescriptor.of(ADDRESS, ADDRESS));
    private static final MethodHandle POINTER_OF_2 = Native.handle(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle VOID_OF_POINTER = Native.handle(FunctionDescriptor.ofVoid(ADDRESS));
    private static final MethodHandle INT_OF_POINTER = Native.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final MethodHandle INT_OF_2 = Native.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle INT_OF_3 =
            Native.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle VOID_OF_3 = Native.handle(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle SET_FLOAT =
            Native.handle(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_DOUBLE));
    private static final MethodHandle ADD_WORD =
            Native.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle PARSE =
            Native.handle(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle PROCESS_RAW =
            Native.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT));

    /** {@code feat_t}, up to what is used here. */
    static final StructLayout FEATURES = MemoryLayout.structLayout(
            JAVA_INT.withName("refcount"),
            MemoryLayout.paddingLayout(4),
            ADDRESS.withName("name"),
            JAVA_INT.withName("cepsize"),
            JAVA_INT.withName("n_stream"),
            ADDRESS.withName("stream_len"),
            JAVA_INT.withName("window_size"),
            JAVA_INT.withName("n_sv"),
            ADDRESS.withName("sv_len"),
            ADDRESS.withName("subvecs"),
            ADDRESS.withName("sv_buf"),
            JAVA_INT.withName("sv_dim"),
            JAVA_INT.withName("cmn"),
            JAVA_INT.withName("varnorm"),
            JAVA_INT.withName("agc"),
            ADDRESS.withName("compute_feat"),
            ADDRESS.withName("cmn_struct"));

    /** {@code cmn_t}. */
    static final StructLayout CEPSTRAL_MEAN = MemoryLayout.structLayout(
            ADDRESS.withName("cmn_mean"),
            ADDRESS.withName("cmn_var"),
            ADDRESS.withName("sum"),
            JAVA_INT.withName("nframe"),
            JAVA_INT.withName("veclen"));

    private static final VarHandle FEATURES_MEAN = Native.field(FEATURES, "cmn_struct");
    private static final VarHandle MEAN_VALUES = Native.field(CEPSTRAL_MEAN, "cmn_mean");
    private static final VarHandle MEAN_SUM = Native.field(CEPSTRAL_MEAN, "sum");
    private static final VarHandle MEAN_FRAMES = Native.field(CEPSTRAL_MEAN, "nframe");
    private static final VarHandle MEAN_LENGTH = Native.field(CEPSTRAL_MEAN, "veclen");

    private final SymbolLookup symbols;
    private final MemorySegment processRaw;
    private final MemorySegment getHypothesis;

    private PocketSphinx(SymbolLookup symbols) {
        this.symbols = symbols;
        this.processRaw = symbol("ps_process_raw");
        this.getHypothesis = symbol("ps_get_hyp");
        logTo(MemorySegment.NULL);
    }

    /** Loads the library, or says what is missing. */
    public static PocketSphinx load(NativeLibraries libraries) {
        return new PocketSphinx(libraries.load("speech recognition by pocketsphinx", DEPENDENCIES, LIBRARIES));
    }

    private MemorySegment symbol(String name) {
        return NativeLibraries.require(symbols, name);
    }

    private void logTo(MemorySegment file) {
        try {
            VOID_OF_POINTER.invokeExact(symbol("err_set_logfp"), file);
        } catch (Throwable e) {
            throw Native.broken(e);
        }
    }

    /**
     * Makes a decoder.
     *
     * @param options command line options of pocketsphinx and their values, as in {@code -hmm}, {@code /models/en-us}
     * @throws IllegalArgumentException the library refuses; the message says why
     */
    public Decoder open(Map<String, String> options) {
        List<String> arguments = new ArrayList<>(List.of("portal"));
        options.forEach((option, value) -> {
            arguments.add(option);
            arguments.add(value);
        });
        Optional<MemorySegment> decoder = init(arguments);
        if (decoder.isEmpty()) {
            throw new IllegalArgumentException("pocketsphinx refuses " + options + ": "
                    + complaints(() -> init(arguments).ifPresent(this::free)));
        }
        return new Decoder(decoder.get());
    }

    private Optional<MemorySegment> init(List<String> arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment argv = arena.allocate(ADDRESS, arguments.size());
            for (int i = 0; i < arguments.size(); i++) {
                argv.setAtIndex(ADDRESS, i, arena.allocateFrom(arguments.get(i)));
            }
            MemorySegment known = (MemorySegment) POINTER_OF_VOID.invokeExact(symbol("ps_args"));
            MemorySegment config = (MemorySegment)
                    PARSE.invokeExact(symbol("cmd_ln_parse_r"), MemorySegment.NULL, known, arguments.size(), argv, 1);
            if (Native.isNull(config)) {
                return Optional.empty();
            }
            MemorySegment decoder = (MemorySegment) POINTER_OF_POINTER.invokeExact(symbol("ps_init"), config);
            int left = (int) INT_OF_POINTER.invokeExact(symbol("cmd_ln_free_r"), config);
            return Native.isNull(decoder) && left >= 0 ? Optional.empty() : Optional.of(decoder);
        } catch (Throwable e) {
            throw Native.broken(e);
        }
    }

    private void free(MemorySegment decoder) {
        try {
            int left = (int) INT_OF_POINTER.invokeExact(symbol("ps_free"), decoder);
            if (left != 0) {
                throw new AssertionError("the decoder has " + left + " owners left");
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.broken(e);
        }
    }

    /** What the library says while {@code call} runs once more. */
    private String complaints(Runnable call) {
        try {
            Path log = Files.createTempFile("pocketsphinx", ".log");
            try {
                logToFile(log.toString());
                try {
                    call.run();
                } finally {
                    logToFile("/dev/null");
                }
                List<String> errors = Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
                        .filter(line -> line.startsWith("ERROR") || line.startsWith("FATAL"))
                        .map(line -> line.replaceFirst("^[A-Z]+: ", ""))
                        .toList();
                return errors.isEmpty() ? "it gives no reason" : String.join("; ", errors);
            } finally {
                Files.deleteIfExists(log);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Also closes, and so flushes, the file that was written to before. */
    private void logToFile(String file) {
        try (Arena arena = Arena.ofConfined()) {
            int result = (int) INT_OF_POINTER.invokeExact(symbol("err_set_logfile"), arena.allocateFrom(file));
            if (result != 0) {
                throw new IllegalStateException("pocketsphinx cannot write its messages to " + file);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.broken(e);
        }
    }

    /**
     * What a decoder makes of the audio so far.
     *
     * @param text words separated by blanks
     * @param score of the best path, in the library's logarithm (base 1.0001, shifted); comparable between decodings of
     *     the same audio by the same search only
     */
    public record Hypothesis(String text, int score) {}

    /**
     * How a hypothesis lies on the audio, in frames of 10 ms.
     *
     * @param decoded since the start; silence that the library removed does not count
     * @param covered up to the end of the hypothesis; fewer than decoded when the search died before the audio ended,
     *     as when a grammar's sentence was over and nothing else fitted
     * @param inWords of those covered, without silence and noise
     */
    public record Alignment(int decoded, int covered, int inWords) {}

    /**
     * A decoder with its acoustic model, dictionary and searches, until it is closed. Any thread, one at a time.
     *
     * <p>Order of calls: {@link #start}, any number of {@link #process}, {@link #end}; {@link #hypothesis} at any time
     * after the first start.
     */
    public final class Decoder implements AutoCloseable {
        private final MemorySegment decoder;
        private final Arena arena = Arena.ofShared();
        private final MemorySegment score = arena.allocate(JAVA_INT);
        private MemorySegment samples = arena.allocate(JAVA_SHORT, 1);
        private boolean open = true;
        private boolean started;

        private Decoder(MemorySegment decoder) {
            this.decoder = decoder;
        }

        /** Sets an option for searches that are added afterwards, as in {@code -beam}, 1e-48. */
        public void set(String option, double value) {
            try (Arena local = Arena.ofConfined()) {
                MemorySegment config =
                        (MemorySegment) POINTER_OF_POINTER.invokeExact(symbol("ps_get_config"), handle());
                SET_FLOAT.invokeExact(symbol("cmd_ln_set_float_r"), config, local.allocateFrom(option), value);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /**
         * Adds a search over a grammar.
         *
         * @param jsgf a grammar in the Java Speech Grammar Format with one public rule; every word in the dictionary
         */
        public void addGrammar(String name, String jsgf) {
            add("ps_set_jsgf_string", name, jsgf, "the grammar '" + name + "'");
        }

        /** Adds a search over an n-gram language model in ARPA or binary form. */
        public void addLanguageModel(String name, Path file) {
            add("ps_set_lm_file", name, file.toString(), "the language model " + file);
        }

        private void add(String function, String name, String argument, String what) {
            if (tryAdd(function, name, argument) != 0) {
                throw new IllegalArgumentException(
                        "pocketsphinx refuses " + what + ": " + complaints(() -> tryAdd(function, name, argument)));
            }
        }

        private int tryAdd(String function, String name, String argument) {
            try (Arena local = Arena.ofConfined()) {
                return (int) INT_OF_3.invokeExact(
                        symbol(function), handle(), local.allocateFrom(name), local.allocateFrom(argument));
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /**
         * Adds a word to the dictionary, for searches that are added afterwards.
         *
         * @param phones of the acoustic model, separated by blanks
         */
        public void addWord(String word, String phones) {
            try (Arena local = Arena.ofConfined()) {
                check(
                        (int) ADD_WORD.invokeExact(
                                symbol("ps_add_word"),
                                handle(),
                                local.allocateFrom(word),
                                local.allocateFrom(phones),
                                0),
                        "the word '" + word + "' of the phones " + phones);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /** Uses a search that was added before, from the next {@link #start} on. */
        public void select(String name) {
            try (Arena local = Arena.ofConfined()) {
                check((int) INT_OF_2.invokeExact(symbol("ps_set_search"), handle(), local.allocateFrom(name)), name);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /** Begins an utterance; one that was left unfinished is ended first. */
        public void start() {
            abandon();
            check(call("ps_start_utt"), "ps_start_utt");
            started = true;
        }

        /** Ends the utterance: the search runs to its end and the hypothesis is final. */
        public void end() {
            started = false;
            check(call("ps_end_utt"), "ps_end_utt");
        }

        /** Ends the utterance, if one was started, for whatever it is worth. */
        public void abandon() {
            if (started) {
                end();
            }
        }

        private int call(String function) {
            try {
                return (int) INT_OF_POINTER.invokeExact(symbol(function), handle());
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /**
         * Decodes more of the utterance.
         *
         * @param pcm 16 kHz mono
         */
        public void process(short[] pcm, int offset, int length) {
            if (samples.byteSize() < 2L * length) {
                samples = arena.allocate(JAVA_SHORT, length);
            }
            MemorySegment.copy(pcm, offset, samples, JAVA_SHORT, 0, length);
            try {
                int frames = (int) PROCESS_RAW.invokeExact(processRaw, handle(), samples, (long) length, 0, 0);
                check(frames < 0 ? frames : 0, "ps_process_raw");
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /**
         * The mean cepstrum that normalises the audio: while an utterance runs, that of what was heard before; after
         * its {@link #end}, its own (weighed with what was heard since the last {@link #forget}).
         */
        public float[] cepstralMean() {
            MemorySegment mean = meanStruct();
            int length = (int) MEAN_LENGTH.get(mean, 0L);
            return Native.sized((MemorySegment) MEAN_VALUES.get(mean, 0L), 4L * length)
                    .toArray(JAVA_FLOAT);
        }

        /**
         * Forgets what was heard before, as far as the library has a place for it: noise statistics and cepstral mean.
         * Between utterances only.
         *
         * @param cepstralMean normalises the next utterance; from {@link #cepstralMean()}
         */
        public void forget(float[] cepstralMean) {
            check(call("ps_start_stream"), "ps_start_stream");
            MemorySegment mean = meanStruct();
            int length = (int) MEAN_LENGTH.get(mean, 0L);
            if (cepstralMean.length != length) {
                throw new IllegalArgumentException(
                        "a cepstral mean of " + cepstralMean.length + " values; this model has " + length);
            }
            Native.sized((MemorySegment) MEAN_VALUES.get(mean, 0L), 4L * length)
                    .copyFrom(MemorySegment.ofArray(cepstralMean));
            Native.sized((MemorySegment) MEAN_SUM.get(mean, 0L), 4L * length).fill((byte) 0);
            MEAN_FRAMES.set(mean, 0L, 0);
        }

        private MemorySegment meanStruct() {
            try {
                MemorySegment features = Native.sized(
                        (MemorySegment) POINTER_OF_POINTER.invokeExact(symbol("ps_get_feat"), handle()),
                        FEATURES.byteSize());
                return Native.sized((MemorySegment) FEATURES_MEAN.get(features, 0L), CEPSTRAL_MEAN.byteSize());
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /** What was understood so far; empty when nothing was. */
        public Optional<Hypothesis> hypothesis() {
            try {
                MemorySegment text = (MemorySegment) POINTER_OF_2.invokeExact(getHypothesis, handle(), score);
                return Native.isNull(text)
                        ? Optional.empty()
                        : Optional.of(new Hypothesis(Native.string(text), score.get(JAVA_INT, 0)));
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        /** How the hypothesis lies on the audio. */
        public Alignment alignment() {
            try (Arena local = Arena.ofConfined()) {
                MemorySegment firstFrame = local.allocate(JAVA_INT);
                MemorySegment lastFrame = local.allocate(JAVA_INT);
                lastFrame.set(JAVA_INT, 0, -1);
                int inWords = 0;
                MemorySegment segment = (MemorySegment) POINTER_OF_POINTER.invokeExact(symbol("ps_seg_iter"), handle());
                while (!Native.isNull(segment)) {
                    VOID_OF_3.invokeExact(symbol("ps_seg_frames"), segment, firstFrame, lastFrame);
                    String word = Native.string(
                            (MemorySegment) POINTER_OF_POINTER.invokeExact(symbol("ps_seg_word"), segment));
                    if (Character.isLetter(word.charAt(0))) {
                        inWords += lastFrame.get(JAVA_INT, 0) - firstFrame.get(JAVA_INT, 0) + 1;
                    }
                    segment = (MemorySegment) POINTER_OF_POINTER.invokeExact(symbol("ps_seg_next"), segment);
                }
                return new Alignment(call("ps_get_n_frames"), lastFrame.get(JAVA_INT, 0) + 1, inWords);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        private void check(int result, String what) {
            if (result < 0) {
                throw new IllegalStateException("pocketsphinx refuses " + what + " with " + result
                        + ": the calls came in the wrong order, or the decoder is broken; open a new one");
            }
        }

        private MemorySegment handle() {
            if (!open) {
                throw new IllegalStateException("the decoder is closed");
            }
            return decoder;
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                free(decoder);
                arena.close();
            }
        }
    }
}
