package dev.portal.voice.nativelib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Offsets against the C compiler's. The structs are copied from the headers of Debian's flite1-dev 2.2-5
 * (cst_audio.h, cst_wave.h, cst_utterance.h, cst_voice.h) and libsphinxbase-dev 0.8+5prealpha+1-16 (feat.h, cmn.h), so
 * that the packages need not be there.
 */
@Tag("slow")
class StructLayoutTest {
    private static final Path COMPILER = Path.of("/usr/bin/gcc");

    private static final String STRUCTS = """
            #include <stddef.h>
            #include <stdio.h>
            typedef struct { const char *type; int sample_rate; int num_samples; int num_channels; short *samples; } wave;
            typedef struct asi { int min_buffsize; int (*asc)(const wave *, int, int, int, struct asi *); const void *utt;
              const void *item; void *userdata; } streaming;
            typedef struct { void *features; void *ffunctions; void *relations; void *ctx; } utterance;
            typedef struct { const char *name; void *features; void *ffunctions; void *(*utt_init)(void *, void *); } voice;
            typedef enum { CMN_NONE, CMN_BATCH, CMN_LIVE } cmn_type; typedef enum { AGC_NONE, AGC_MAX } agc_type;
            typedef struct f { int refcount; char *name; int cepsize; int n_stream; unsigned *stream_len; int window_size;
              int n_sv; unsigned *sv_len; int **subvecs; float *sv_buf; int sv_dim; cmn_type cmn; int varnorm; agc_type agc;
              void (*compute_feat)(struct f *, float **, float **); void *cmn_struct; } feat;
            typedef struct { float *cmn_mean; float *cmn_var; float *sum; int nframe; int veclen; } cmn;
            #define AT(s, f) printf("%s %zu\\n", #s "." #f, offsetof(s, f));
            int main(void) {
              AT(wave, samples) AT(wave, num_samples) AT(streaming, min_buffsize) AT(streaming, asc)
              AT(utterance, features) AT(voice, features) AT(feat, cmn_struct) AT(feat, cmn)
              AT(cmn, cmn_mean) AT(cmn, sum) AT(cmn, nframe) AT(cmn, veclen)
              return 0; }
            """;

    @Test
    void offsetsAreTheCompilers(@TempDir Path folder) throws Exception {
        assumeTrue(Files.isExecutable(COMPILER), "no gcc on this machine: install gcc to check the struct offsets");
        Path source = folder.resolve("offsets.c");
        Path program = folder.resolve("offsets");
        Files.writeString(source, STRUCTS);
        run(COMPILER.toString(), "-o", program.toString(), source.toString());
        for (String line : run(program.toString()).strip().split("\n")) {
            String[] parts = line.split("[. ]");
            long offset = layout(parts[0]).byteOffset(PathElement.groupElement(parts[1]));
            assertThat(offset).as(line).isEqualTo(Long.parseLong(parts[2]));
        }
    }

    private static StructLayout layout(String name) {
        return switch (name) {
            case "wave" -> Flite.WAVE;
            case "streaming" -> Flite.STREAMING_INFO;
            case "utterance" -> Flite.UTTERANCE;
            case "voice" -> Flite.VOICE;
            case "feat" -> PocketSphinx.FEATURES;
            case "cmn" -> PocketSphinx.CEPSTRAL_MEAN;
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
