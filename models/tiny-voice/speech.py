#!/usr/bin/env python3
"""Makes what the tiny voice learns from: sentences spoken by flite's slt, its phones with their times, and an analysis.

    python3 speech.py --cmudict PATH --work DIR [--count 1200]

Needs the program flite. Writes DIR/voice.npz; --from and --count make another part under another --name.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import pathlib
import random
import re
import subprocess
import sys
import wave

import numpy as np
import torch

from network import BANDS, HOP, MEL, RATE, SPECTRUM, SYMBOLS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tiny-assistant"))
import domain  # noqa: E402

IPA = dict(pair.split(":") for pair in (
    "aa:ɑ ae:æ ah:ʌ ax:ʌ ao:ɔ aw:aʊ ay:aɪ b:b ch:tʃ d:d dh:ð eh:ɛ er:ɚ ey:eɪ f:f g:ɡ hh:h ih:ɪ iy:i jh:dʒ k:k l:l m:m "
    "n:n ng:ŋ ow:oʊ oy:ɔɪ p:p r:ɹ s:s sh:ʃ t:t th:θ uh:ʊ uw:u v:v w:w y:j z:z zh:ʒ").split())
"""flite's phones in the symbols that Portal's dictionary phonemizer gives; no stress, as its dictionary has none."""


def speak(text, path):
    """The samples, and flite's phones with their ends in seconds."""
    said = subprocess.run(["flite", "-voice", "slt", "-psdur", "-t", text, "-o", str(path)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    with wave.open(str(path)) as w:
        assert w.getframerate() == RATE
        x = np.frombuffer(w.readframes(w.getnframes()), "<i2").astype(np.float32) / 32768
    return x, [(p, float(t)) for p, t in re.findall(r"([a-z]+):([0-9.]+)", said)]


def symbols(phones, frames):
    """Symbols and how many frames each has: pauses at the ends are ^ and $, one within is a comma."""
    names, counts, start = [], [], 0
    for i, (phone, end) in enumerate(phones):
        stop = frames if i == len(phones) - 1 else min(frames, round(end * RATE / HOP))
        if phone == "pau":
            parts = ["^" if i == 0 else "$" if i == len(phones) - 1 else ","]
        else:
            parts = list(IPA[phone])
        for j, part in enumerate(parts):
            names.append(SYMBOLS.index(part))
            counts.append((stop - start) * (j + 1) // len(parts) - (stop - start) * j // len(parts))
        start = stop
    return names, counts


def pitch(x, frames):
    """Hertz of each frame and how voiced it is, 0 to 1, by autocorrelation; the best path through the candidates."""
    size, low, high = 800, RATE // 330, RATE // 75
    padded = np.pad(x, (size // 2, size + HOP))
    cut = padded[np.arange(frames)[:, None] * HOP + np.arange(size)] * np.hanning(size)
    spectrum = np.abs(np.fft.rfft(cut, 2048)) ** 2
    bell = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(size), 2048)) ** 2)[:high + 3]
    auto = np.fft.irfft(spectrum)[:, :high + 3] / bell
    auto = auto / (auto[:, :1] + 1e-7)
    lags = np.arange(low, high, 2)
    score = auto[:, lags] - 0.0006 * (lags - low)
    best = np.zeros_like(score)
    back = np.zeros(score.shape, int)
    octaves = np.log2(lags)
    jump = 1.5 * np.abs(octaves[:, None] - octaves[None])
    best[0] = score[0]
    for t in range(1, frames):
        step = best[t - 1][None] - jump
        back[t] = step.argmax(1)
        best[t] = score[t] + step.max(1)
    path = np.zeros(frames, int)
    path[-1] = best[-1].argmax()
    for t in range(frames - 1, 0, -1):
        path[t - 1] = back[t][path[t]]
    at = lags[path]
    at = at + np.argmax(auto[np.arange(frames)[:, None], at[:, None] + [-1, 0, 1]], 1) - 1
    a, b, c = (auto[np.arange(frames), at + k] for k in (-1, 0, 1))
    shift = np.clip(0.5 * (a - c) / (a - 2 * b + c - 1e-9), -0.5, 0.5)
    voiced = np.clip((b - 0.3) / 0.5, 0, 1) * (np.sqrt((cut ** 2).mean(1)) > 0.002)
    hertz = RATE / (at + shift)
    sure = np.flatnonzero(voiced > 0.5)
    if sure.size:
        hertz = np.exp(np.interp(np.arange(frames), sure, np.log(hertz[sure])))
    return np.convolve(np.pad(hertz, 1, mode="edge"), [0.25, 0.5, 0.25], "valid"), voiced


def mel_frames(x, frames):
    """Log mel energies [frames, BANDS], frame i centred on sample i * HOP."""
    window = torch.hann_window(SPECTRUM)
    s = torch.stft(torch.from_numpy(x), SPECTRUM, HOP, window=window, center=True, pad_mode="constant",
                   return_complex=True).abs().T[:frames]
    return (s.square() @ MEL.T).clamp_min(1e-5).log().numpy()


def text(r, words):
    heard, answer = domain.pair(r, words)
    x = r.random()
    said = answer if x < 0.4 else heard if x < 0.7 else " ".join(r.choice(words) for _ in range(r.randint(2, 7)))
    said = re.sub(r"(?<=[a-z])\. (?=[a-z])", ", ", said)
    return re.sub(r"[^a-z',.?! ]", "", said.lower())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cmudict", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--count", type=int, default=1200)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    torch.set_num_threads(1)
    work = pathlib.Path(a.work)
    work.mkdir(parents=True, exist_ok=True)
    r = random.Random(f"tiny voice {a.seed}")
    words = domain.foreign_words(a.cmudict)
    texts = {}
    while len(texts) < a.count:
        t = text(r, words)
        if t.strip():
            texts[t] = None
    sounds, mels, pitches, voicings, names, counts = [], [], [], [], [], []
    for t in texts:
        x, phones = speak(t, work / "speech.wav")
        frames = x.size // HOP
        x = x[:frames * HOP]
        n, c = symbols(phones, frames)
        f, v = pitch(x, frames)
        sounds.append(x)
        mels.append(mel_frames(x, frames))
        pitches.append(f)
        voicings.append(v)
        names.append(n)
        counts.append(c)
    join = lambda parts: np.concatenate([np.asarray(q) for q in parts])
    np.savez(work / "voice.part.npz", sound=join(sounds), mel=join(mels).astype(np.float32),
             pitch=join(pitches).astype(np.float32), voicing=join(voicings).astype(np.float32), symbols=join(names),
             durations=join(counts), frames=[m.shape[0] for m in mels], lengths=[len(n) for n in names],
             texts=np.array(list(texts)))
    os.replace(work / "voice.part.npz", work / "voice.npz")


if __name__ == "__main__":
    main()
