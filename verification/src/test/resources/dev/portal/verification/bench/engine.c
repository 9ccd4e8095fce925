// The matrix product of EngineBench in C: one row of int8, weights in tiles of 32 by 32 (spec/rk3588-npu.md section 5.2).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static int by_size(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
  int k = atoi(argv[1]), n = atoi(argv[2]), rounds = atoi(argv[3]);
  int8_t *a = malloc(k), *b = malloc((size_t)k * n);
  int32_t *c = malloc(4 * n);
  double *times = malloc(rounds * sizeof(double));
  for (int i = 0; i < k; i++) a[i] = (int8_t)(i * 7);
  for (int i = 0; i < k * n; i++) b[i] = (int8_t)(i * 13 + (i >> 5));
  for (int r = 0; r < rounds; r++) {
    double start = nanos();
    product(a, b, c, k, n);
    times[r] = nanos() - start;
  }
  qsort(times, rounds, sizeof(double), by_size);
  printf("%.0f %d\n", times[rounds / 2], argc > 0 ? c[n - 1] : 0);
  return 0;
}
