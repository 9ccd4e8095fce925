#!/usr/bin/env python3
"""Makes the check vector of the filter bank: kaldi's definition in numpy, whole signal at once, double precision.

Written from the definition, not from the Java code: framing by index arrays, mirroring by np.pad, the spectrum by
np.fft.rfft, the triangles by np.interp. Needs numpy.

    python3 tools/fbank_vector.py voice/src/test/resources/dev/portal/voice/stt/transducer
"""

import pathlib
import sys

import numpy as np

RATE, WINDOW, SHIFT, FFT, BANDS = 16000, 400, 160, 512, 80


def signal():
    """Half a second of a rising tone, a pause and noise, as 16-bit samples."""
    t = np.arange(8037) / RATE
    tone = 0.4 * np.sin(2 * np.pi * (150 * t + 4000 * t * t)) * (t < 0.3)
    noise = np.random.default_rng(20).uniform(-0.05, 0.05, t.size) * (t > 0.36)
    return np.round((tone + noise + 0.01) * 32767).astype("<i2")


def fbank(x):
    frames = (x.size + SHIFT // 2) // SHIFT
    lead = WINDOW // 2 - SHIFT // 2
    mirrored = np.pad(x, (lead, WINDOW), mode="symmetric")
    cut = mirrored[np.arange(frames)[:, None] * SHIFT + np.arange(WINDOW)]
    cut = cut - cut.mean(axis=1, keepdims=True)
    cut = cut - 0.97 * np.concatenate([cut[:, :1], cut[:, :-1]], axis=1)
    povey = np.power(np.hanning(WINDOW), 0.85)
    power = np.abs(np.fft.rfft(cut * povey, FFT)) ** 2

    def mel(hz):
        return 1127.0 * np.log(1.0 + hz / 700.0)

    corners = np.linspace(mel(20.0), mel(RATE / 2 - 400.0), BANDS + 2)
    bins = mel(np.arange(FFT // 2) * RATE / FFT)
    weights = np.stack([np.interp(bins, corners[b : b + 3], [0, 1, 0], left=0, right=0) for b in range(BANDS)])
    return np.log(np.maximum(power[:, : FFT // 2] @ weights.T, np.finfo(np.float32).eps))


def main():
    folder = pathlib.Path(sys.argv[1])
    samples = signal()
    samples.tofile(folder / "fbank-signal.s16le")
    np.savetxt(folder / "fbank-expected.tsv", fbank(samples / 32768.0), fmt="%.4f", delimiter="\t")


if __name__ == "__main__":
    main()
