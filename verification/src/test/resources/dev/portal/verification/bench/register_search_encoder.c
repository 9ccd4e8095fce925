/*
 * The work of a generator that keeps a captured program and finds the registers of a new shape by search, as the C
 * peers do: copy the template, then for every register that the shape decides walk the words and set each match.
 * Prints nanoseconds a program, then gigabytes a second of memcpy. Usage: encoder ROUNDS BYTES
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS 112

static uint64_t template_words[WORDS];

static void set(uint64_t *words, uint32_t target, uint32_t reg, uint32_t value) {
    for (int i = 0; i < WORDS; i++) {
        if ((words[i] >> 48) == target && (words[i] & 0xffff) == reg) {
            words[i] = (uint64_t)target << 48 | (uint64_t)value << 16 | reg;
        }
    }
}

static void encode(uint64_t *out, uint32_t m, uint32_t k, uint32_t n, uint32_t a, uint32_t b, uint32_t c) {
    memcpy(out, template_words, sizeof template_words);
    uint32_t banks = (((m + 63) / 64 * 64) * ((k + 63) / 64) * 64 + 32767) / 32768;
    uint32_t rows = 1;
    while (rows * 2 <= 65536 / k) rows *= 2;
    if (rows > m + 1) rows = m + 1;
    set(out, 0x0201, 0x1040, (12 - banks) << 4 | banks);
    set(out, 0x0201, 0x100c, 0x20000000);
    set(out, 0x0201, 0x1010, rows << 4);
    set(out, 0x0201, 0x1020, 0x10000 | m);
    set(out, 0x0201, 0x1024, (k - 1) << 16 | k);
    set(out, 0x0201, 0x102c, m);
    set(out, 0x0201, 0x1030, k * n);
    set(out, 0x0201, 0x1034, k);
    set(out, 0x0201, 0x1038, 0x01010000 | n);
    set(out, 0x0201, 0x1044, (k + 63) / 64);
    set(out, 0x0201, 0x1070, a);
    set(out, 0x0201, 0x107c, k / 16);
    set(out, 0x0201, 0x1080, 0);
    set(out, 0x0201, 0x1084, 0x10000 | m);
    set(out, 0x0201, 0x1088, k);
    set(out, 0x0201, 0x1110, b);
    set(out, 0x0801, 0x3010, 1);
    set(out, 0x0801, 0x3014, (m - 1) << 16);
    set(out, 0x0801, 0x3018, n - 1);
    set(out, 0x1001, 0x4010, 0x80000000u);
    set(out, 0x1001, 0x4020, c);
    set(out, 0x1001, 0x4024, 16);
    set(out, 0x1001, 0x4034, m - 1);
    set(out, 0x1001, 0x4038, (n / 4 - 1) << 16 | (n / 4 - 1));
    set(out, 0x1001, 0x403c, (n - 1) << 16 | (n - 1));
    set(out, 0x1001, 0x4050, 0x7fc);
    set(out, 0x1001, 0x4058, n - 1);
    set(out, 0x1001, 0x405c, (m - 1) << 16);
    set(out, 0x1001, 0x4084, 1);
    set(out, 0x1001, 0x4088, 0);
    set(out, 0x1001, 0x40c0, 0x80);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 1000000;
    size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 4 << 20;
    char line[64];
    for (int i = 0; i < WORDS && fgets(line, sizeof line, stdin); i++) {
        template_words[i] = strtoull(line, NULL, 16);
    }
    static uint64_t out[WORDS];
    double best = 1e9;
    for (int pass = 0; pass < 5; pass++) {
        double start = now();
        for (long i = 0; i < rounds; i++) {
            encode(out, 1 + (i & 63), 512, 32 + 32 * (i & 7), 0x1000000 + 64 * (uint32_t)i, 0x2000000, 0x3000000);
            __asm__ volatile("" : : "r"(out) : "memory");
        }
        double each = (now() - start) / rounds;
        if (each < best) best = each;
    }
    printf("%.1f\n", best * 1e9);
    char *from = malloc(bytes), *to = malloc(bytes);
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    best = 1e9;
    for (int pass = 0; pass < 50; pass++) {
        double start = now();
        memcpy(to, from, bytes);
        __asm__ volatile("" : : "r"(to) : "memory");
        double each = now() - start;
        if (each < best) best = each;
    }
    printf("%.2f\n", bytes / best / 1e9);
    return 0;
}
