/*
 * The C side of RkBench. Reads commands, one a line, does the work ROUNDS times and prints the processor time of this
 * thread in nanoseconds a round, then a checksum:
 *
 *   encode ROUNDS         a program by a generator that keeps a captured program and finds the registers of a new shape by
 *                         search, as the C peers do: copy the template, then for every register that the shape decides walk
 *                         the words and set each match
 *   copy BYTES ROUNDS     memcpy
 *   product K N ROUNDS    one row of int8, weights in tiles of 32 by 32 (spec/rk3588-npu.md section 5.2)
 *
 * The first 112 lines of input are the template.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS 112

static uint64_t template_words[WORDS];
static uint64_t out[WORDS];

static void set(uint64_t *words, uint32_t target, uint32_t reg, uint32_t value) {
    for (int i = 0; i < WORDS; i++) {
        if ((words[i] >> 48) == target && (words[i] & 0xffff) == reg) {
            words[i] = (uint64_t)target << 48 | (uint64_t)value << 16 | reg;
        }
    }
}

static void encode(uint64_t *to, uint32_t m, uint32_t k, uint32_t n, uint32_t a, uint32_t b, uint32_t c) {
    memcpy(to, template_words, sizeof template_words);
    uint32_t banks = (((m + 63) / 64 * 64) * ((k + 63) / 64) * 64 + 32767) / 32768;
    uint32_t rows = 1;
    while (rows * 2 <= 65536 / k) rows *= 2;
    if (rows > m + 1) rows = m + 1;
    set(to, 0x0201, 0x1040, (12 - banks) << 4 | banks);
    set(to, 0x0201, 0x100c, 0x20000000);
    set(to, 0x0201, 0x1010, rows << 4);
    set(to, 0x0201, 0x1020, 0x10000 | m);
    set(to, 0x0201, 0x1024, (k - 1) << 16 | k);
    set(to, 0x0201, 0x102c, m);
    set(to, 0x0201, 0x1030, k * n);
    set(to, 0x0201, 0x1034, k);
    set(to, 0x0201, 0x1038, 0x01010000 | n);
    set(to, 0x0201, 0x1044, (k + 63) / 64);
    set(to, 0x0201, 0x1070, a);
    set(to, 0x0201, 0x107c, k / 16);
    set(to, 0x0201, 0x1080, 0);
    set(to, 0x0201, 0x1084, 0x10000 | m);
    set(to, 0x0201, 0x1088, k);
    set(to, 0x0201, 0x1110, b);
    set(to, 0x0801, 0x3010, 1);
    set(to, 0x0801, 0x3014, (m - 1) << 16);
    set(to, 0x0801, 0x3018, n - 1);
    set(to, 0x1001, 0x4010, 0x80000000u);
    set(to, 0x1001, 0x4020, c);
    set(to, 0x1001, 0x4024, 16);
    set(to, 0x1001, 0x4034, m - 1);
    set(to, 0x1001, 0x4038, (n / 4 - 1) << 16 | (n / 4 - 1));
    set(to, 0x1001, 0x403c, (n - 1) << 16 | (n - 1));
    set(to, 0x1001, 0x4050, 0x7fc);
    set(to, 0x1001, 0x4058, n - 1);
    set(to, 0x1001, 0x405c, (m - 1) << 16);
    set(to, 0x1001, 0x4084, 1);
    set(to, 0x1001, 0x4088, 0);
    set(to, 0x1001, 0x40c0, 0x80);
}

__attribute__((noinline)) static void product(const int8_t *restrict a, const int8_t *restrict b,
                                              int32_t *restrict c, int k, int n) {
    for (int group = 0; group < n / 32; group++) {
        for (int i = 0; i < 32; i++) {
            int32_t sum = 0;
            for (int tile = 0; tile < k / 32; tile++) {
                const int8_t *row = b + (group * (k / 32) + tile) * 1024 + i * 32;
                for (int j = 0; j < 32; j++) {
                    sum += a[tile * 32 + j] * row[j];
                }
            }
            c[group * 32 + i] = sum;
        }
    }
}

static double nanos(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void answer(double start, long rounds, long check) {
    printf("%.2f %ld\n", (nanos() - start) / rounds, check);
    fflush(stdout);
}

static void encodes(long rounds) {
    double start = nanos();
    for (long i = 0; i < rounds; i++) {
        encode(out, 1 + (i & 63), 512, 32 + 32 * (i & 7), 0x1000000 + 64 * (uint32_t)(i & 0xfff), 0x2000000, 0x3000000);
        __asm__ volatile("" : : "r"(out) : "memory");
    }
    answer(start, rounds, (long)(out[15] & 0xffffffff));
}

static void copies(size_t bytes, long rounds) {
    static char *from, *to;
    if (!from) {
        from = aligned_alloc(64, bytes);
        to = aligned_alloc(64, bytes);
        memset(from, 1, bytes);
        memset(to, 2, bytes);
    }
    double start = nanos();
    for (long i = 0; i < rounds; i++) {
        memcpy(to, from, bytes);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    answer(start, rounds, to[bytes - 1]);
}

static void products(int k, int n, long rounds) {
    static int8_t *a, *b;
    static int32_t *c;
    if (!a) {
        a = malloc(k);
        b = malloc((size_t)k * n);
        c = malloc(4 * (size_t)n);
        for (int i = 0; i < k; i++) a[i] = (int8_t)(i * 7);
        for (int i = 0; i < k * n; i++) b[i] = (int8_t)(i * 13 + (i >> 5));
    }
    double start = nanos();
    for (long i = 0; i < rounds; i++) {
        product(a, b, c, k, n);
        __asm__ volatile("" : : "r"(c) : "memory");
    }
    answer(start, rounds, c[n - 1]);
}

int main(void) {
    char line[128];
    for (int i = 0; i < WORDS && fgets(line, sizeof line, stdin); i++) {
        template_words[i] = strtoull(line, NULL, 16);
    }
    long x, y, rounds;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "encode %ld", &rounds) == 1) encodes(rounds);
        else if (sscanf(line, "copy %ld %ld", &x, &rounds) == 2) copies(x, rounds);
        else if (sscanf(line, "product %ld %ld %ld", &x, &y, &rounds) == 3) products(x, y, rounds);
        else return 1;
    }
    return 0;
}
