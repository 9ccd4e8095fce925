package dev.portal.voice.nativelib;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The C library flite 2.2 with one of its compiled-in American English voices, as Debian ships them (headers flite.h,
 * cst_synth.h, cst_audio.h, cst_wave.h, cst_utterance.h).
 *
 * <p>flite makes speech by calling a list of modules on an utterance ({@code utt_synth} in its cst_synth.c). Here the
 * list is cut in two before {@code wave_synth_func}, through the same {@code apply_synth_method}: {@link
 * Utterance#analyse} runs text to phones with their prosody, {@link Utterance#synthesise} the waveform.
 *
 * <p>The voice is data of its library and stays until the process ends. Any thread; each utterance one thread at a time.
 */
public final class Flite {
    private static final List<String> DEPENDENCIES = List.of("libasound.so.2");

    /** {@code cst_wave}: 16 bit samples. */
    static final StructLayout WAVE = MemoryLayout.structLayout(
            ADDRESS.withName("type"),
            JAVA_INT.withName("sample_rate"),
            JAVA_INT.withName("num_samples"),
            JAVA_INT.withName("num_channels"),
            MemoryLayout.paddingLayout(4),
            ADDRESS.withName("samples"));

    /** {@code cst_audio_streaming_info}. */
    static final StructLayout STREAMING_INFO = MemoryLayout.structLayout(
            JAVA_INT.withName("min_buffsize"),
            MemoryLayout.paddingLayout(4),
            ADDRESS.withName("asc"),
            ADDRESS.withName("utt"),
            ADDRESS.withName("item"),
            ADDRESS.withName("userdata"));

    /** {@code cst_utterance}, up to what is read here. */
    static final StructLayout UTTERANCE = MemoryLayout.structLayout(ADDRESS.withName("features"));

    /** {@code cst_voice}, up to what is read here. */
    static final StructLayout VOICE = MemoryLayout.structLayout(ADDRESS.withName("name"), ADDRESS.withName("features"));

    private static final VarHandle WAVE_SAMPLES = Native.field(WAVE, "samples");
    private static final VarHandle STREAM_MINIMUM = Native.field(STREAMING_INFO, "min_buffsize");
    private static final VarHandle STREAM_CALLBACK = Native.field(STREAMING_INFO, "asc");
    private static final VarHandle UTTERANCE_FEATURES = Native.field(UTTERANCE, "features");
    private static final VarHandle VOICE_FEATURES = Native.field(VOICE, "features");

    /** flite keeps the pointer to a feature's name, so the name must stay. */
    private static final MemorySegment STREAMING_INFO_NAME = Arena.global().allocateFrom("streaming_info");

    private static final MemorySegment DURATION_STRETCH_NAME = Arena.global().allocateFrom("duration_stretch");

    private static final int CONTINUE = 0;
    private static final int STOP = -1;

    private static final MethodHandle INT_OF_VOID = Native.handle(FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle POINTER_OF_VOID = Native.handle(FunctionDescriptor.of(ADDRESS));
    private static final MethodHandle POINTER_OF_POINTER = Native.handle(FunctionDescriptor.of(ADDRESS, ADDRESS));
    private static final MethodHandle POINTER_OF_2 = Native.handle(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle VOID_OF_POINTER = Native.handle(FunctionDescriptor.ofVoid(ADDRESS));
    private static final MethodHandle VOID_OF_3 = Native.handle(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle SET_FLOAT =
            Native.handle(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_FLOAT));
    private static final MethodHandle VOID_OF_2 = Native.handle(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));
    private static final MethodHandle INT_OF_2_INT =
            Native.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));

    private static final MethodHandle INIT_STATE =
            Native.handle(FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG));

    private static final FunctionDescriptor CALLBACK =
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle ON_AUDIO = onAudio();

    /** Modules in {@code utt_synth}'s order, with the function that runs where a voice names none; null is none. */
    private record Module(String hook, @Nullable String fallback) {}

    private static final List<Module> ANALYSIS = List.of(
            new Module("tokenizer_func", "default_tokenization"),
            new Module("textanalysis_func", "default_textanalysis"),
            new Module("pos_tagger_func", "default_pos_tagger"),
            new Module("phrasing_func", "default_phrasing"),
            new Module("lexical_insertion_func", "default_lexical_insertion"),
            new Module("pause_insertion_func", "default_pause_insertion"),
            new Module("intonation_func", "cart_intonation"),
            new Module("postlex_func", null),
            new Module("duration_model_func", "cart_duration"),
            new Module("f0_model_func", null));

    private static final List<Module> SYNTHESIS =
            List.of(new Module("wave_synth_func", null), new Module("post_synth_hook_func", null));

    private final SymbolLookup symbols;
    private final MemorySegment voice;
    private final MemorySegment analysis;
    private final MemorySegment synthesis;
    private final MemorySegment initState;
    private final MemorySegment setState;
    private final int sampleRateHz;

    private Flite(SymbolLookup symbols, MemorySegment voice) {
        this.symbols = symbols;
        this.voice = voice;
        this.analysis = method(ANALYSIS);
        this.synthesis = method(SYNTHESIS);
        SymbolLookup libc = Linker.nativeLinker().defaultLookup();
        this.initState = NativeLibraries.require(libc, "initstate");
        this.setState = NativeLibraries.require(libc, "setstate");
        MemorySegment features = (MemorySegment) VOICE_FEATURES.get(Native.sized(voice, VOICE.byteSize()), 0L);
        this.sampleRateHz = intFeature(features, "sample_rate");
    }

    /**
     * Loads the library and a voice, or says what is missing.
     *
     * @param voiceName slt, awb, rms or kal16 with Debian's library
     */
    public static Flite load(NativeLibraries libraries, String voiceName) {
        if (!voiceName.matches("[a-z0-9]{1,16}")) {
            throw new IllegalArgumentException("flite has no voice '" + voiceName + "'; it has slt, awb, rms, kal16");
        }
        SymbolLookup symbols = libraries.load(
                "the voice flite " + voiceName,
                DEPENDENCIES,
                List.of(
                        "libflite.so.1",
                        "libflite_usenglish.so.1",
                        "libflite_cmulex.so.1",
                        "libflite_cmu_us_" + voiceName + ".so.1"));
        try {
            int status = (int) INT_OF_VOID.invokeExact(NativeLibraries.require(symbols, "flite_init"));
            MemorySegment register = NativeLibraries.require(symbols, "register_cmu_us_" + voiceName);
            MemorySegment voice = (MemorySegment) POINTER_OF_POINTER.invokeExact(register, MemorySegment.NULL);
            if (status < 0 || Native.isNull(voice)) {
                throw new NativeLibraryException("flite does not start its voice " + voiceName);
            }
            return new Flite(symbols, voice);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.broken(e);
        }
    }

    /** The rate of the voice's audio. */
    public int sampleRateHz() {
        return sampleRateHz;
    }

    /** A {@code cst_synth_module} list for {@code apply_synth_method}, ended by an empty entry. */
    private MemorySegment method(List<Module> modules) {
        Arena arena = Arena.ofAuto();
        MemorySegment list = arena.allocate(ADDRESS, 2L * (modules.size() + 1));
        for (int i = 0; i < modules.size(); i++) {
            Module module = modules.get(i);
            list.setAtIndex(ADDRESS, 2L * i, arena.allocateFrom(module.hook()));
            String fallback = module.fallback();
            list.setAtIndex(ADDRESS, 2L * i + 1, fallback == null ? MemorySegment.NULL : symbol(fallback));
        }
        return list;
    }

    private MemorySegment symbol(String name) {
        return NativeLibraries.require(symbols, name);
    }

    private int intFeature(MemorySegment features, String name) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) INT_OF_2_INT.invokeExact(symbol("get_param_int"), features, arena.allocateFrom(name), 0);
        } catch (Throwable e) {
            throw Native.broken(e);
        }
    }

    /** Takes audio while it is made. */
    @FunctionalInterface
    public interface AudioConsumer {
        /**
         * Takes the next samples.
         *
         * @param samples 16 bit; valid during the call
         * @return false to stop
         */
        boolean accept(MemorySegment samples);
    }

    /**
     * Begins an utterance.
     *
     * @param text in ASCII
     * @param speed 1 is the voice's own, 2 twice as fast
     */
    public Utterance utterance(String text, float speed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fresh = (MemorySegment) POINTER_OF_VOID.invokeExact(symbol("new_utterance"));
            VOID_OF_2.invokeExact(symbol("utt_set_input_text"), fresh, arena.allocateFrom(text));
            Utterance made = new Utterance((MemorySegment) POINTER_OF_2.invokeExact(symbol("utt_init"), fresh, voice));
            SET_FLOAT.invokeExact(symbol("feat_set_float"), made.features(), DURATION_STRETCH_NAME, 1 / speed);
            return made;
        } catch (Throwable e) {
            throw Native.broken(e);
        }
    }

    /** One text in flite's own structures, from text to wave. One thread at a time; to be closed. */
    public final class Utterance implements AutoCloseable {
        private final MemorySegment utterance;
        private boolean open = true;

        private Utterance(MemorySegment utterance) {
            this.utterance = utterance;
        }

        private MemorySegment features() {
            return (MemorySegment) UTTERANCE_FEATURES.get(Native.sized(utterance, UTTERANCE.byteSize()), 0L);
        }

        /** Text to phones with their prosody; once, before {@link #synthesise}. */
        public void analyse() {
            apply(analysis);
        }

        /**
         * Phones to sound, delivered while it is made. The same text gives the same samples, whatever else the library
         * does between two deliveries.
         *
         * @param minimumSamples the least in a delivery, but for the last
         */
        public void synthesise(int minimumSamples, AudioConsumer consumer) {
            try (Arena arena = Arena.ofConfined()) {
                Delivery delivery = new Delivery(consumer, new Noise(arena));
                MemorySegment stub = Native.callback(ON_AUDIO.bindTo(delivery), CALLBACK, arena);
                MemorySegment info = Native.sized(
                        (MemorySegment) POINTER_OF_VOID.invokeExact(symbol("new_audio_streaming_info")),
                        STREAMING_INFO.byteSize());
                STREAM_MINIMUM.set(info, 0L, minimumSamples);
                STREAM_CALLBACK.set(info, 0L, stub);
                // The value owns the structure, and the utterance's features own the value.
                MemorySegment value =
                        (MemorySegment) POINTER_OF_POINTER.invokeExact(symbol("audio_streaming_info_val"), info);
                VOID_OF_3.invokeExact(symbol("feat_set"), features(), STREAMING_INFO_NAME, value);
                delivery.noise.enter();
                try {
                    apply(synthesis);
                } finally {
                    delivery.noise.leave();
                }
                delivery.rethrow();
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        private void apply(MemorySegment method) {
            if (!open) {
                throw new IllegalStateException("the utterance is closed");
            }
            try {
                MemorySegment result =
                        (MemorySegment) POINTER_OF_2.invokeExact(symbol("apply_synth_method"), utterance, method);
                if (Native.isNull(result)) {
                    throw new IllegalStateException("flite cannot speak this text");
                }
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.broken(e);
            }
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                try {
                    VOID_OF_POINTER.invokeExact(symbol("delete_utterance"), utterance);
                } catch (Throwable e) {
                    throw Native.broken(e);
                }
            }
        }
    }

    /**
     * The state of the C library's {@code rand()}, from which the vocoder takes its noise. Each synthesis has its own,
     * in place while flite runs only, so that utterances whose pieces alternate do not disturb each other.
     */
    private final class Noise {
        private static final int STATE_BYTES = 128;
        private static final int SEED = 1;

        private final MemorySegment own;
        private MemorySegment others = MemorySegment.NULL;

        Noise(Arena arena) throws Throwable {
            own = arena.allocate(STATE_BYTES, 16);
            MemorySegment previous = (MemorySegment) INIT_STATE.invokeExact(initState, SEED, own, (long) STATE_BYTES);
            MemorySegment mine = (MemorySegment) POINTER_OF_POINTER.invokeExact(setState, previous);
            if (Native.isNull(mine)) {
                throw new AssertionError("setstate refuses the state that initstate returned");
            }
        }

        void enter() throws Throwable {
            others = (MemorySegment) POINTER_OF_POINTER.invokeExact(setState, own);
        }

        void leave() throws Throwable {
            MemorySegment mine = (MemorySegment) POINTER_OF_POINTER.invokeExact(setState, others);
            if (mine.address() != own.address()) {
                throw new AssertionError("somebody replaced the state of rand() while flite ran");
            }
        }
    }

    /** Receives flite's calls. An exception must not cross native frames: it is kept and thrown afterwards. */
    private static final class Delivery {
        private final AudioConsumer consumer;
        private final Noise noise;
        private @Nullable Throwable thrown;

        Delivery(AudioConsumer consumer, Noise noise) {
            this.consumer = consumer;
            this.noise = noise;
        }

        @SuppressWarnings("unused") // called by flite
        int onAudio(MemorySegment wave, int start, int size, int last, MemorySegment info) {
            try {
                MemorySegment samples = (MemorySegment) WAVE_SAMPLES.get(Native.sized(wave, WAVE.byteSize()), 0L);
                long bytes = JAVA_SHORT.byteSize();
                noise.leave();
                try {
                    return consumer.accept(Native.sized(samples, (start + size) * bytes)
                                    .asSlice(start * bytes))
                            ? CONTINUE
                            : STOP;
                } finally {
                    noise.enter();
                }
            } catch (Throwable e) {
                thrown = e;
                return STOP;
            }
        }

        void rethrow() throws Throwable {
            if (thrown != null) {
                throw thrown;
            }
        }
    }

    private static MethodHandle onAudio() {
        try {
            return MethodHandles.lookup()
                    .findVirtual(
                            Delivery.class,
                            "onAudio",
                            MethodType.methodType(
                                    int.class,
                                    MemorySegment.class,
                                    int.class,
                                    int.class,
                                    int.class,
                                    MemorySegment.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
