#!/usr/bin/env python3
"""Trains the tiny transducer on what speech.py made.

    python3 train.py --cmudict PATH --work DIR [--minutes 60] [--seed 1]

Needs Debian's python3-torch, python3-torchaudio (the transducer loss) and libopenblas0-pthread. The learning rate follows
the time trained, so a slower machine trains less, not longer. DIR/checkpoint.pt is written every five minutes, and a run
that is cut off continues from it. `export.py` makes the ONNX files of it.
"""

import os

# One thread: more of them spend their time in waiting for each other on a machine that does other things too.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import collections
import functools
import pathlib
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
import torchaudio

from network import CHUNK, CONTEXT, PHONES, PLAIN, SHIFT, SPAN, STRIDE, TAIL, Encoder, Pieces, Transducer, fbank, triangles

BATCH, GROUP, VOCABULARY = 16, 16, 384
MOST_SECONDS, MOST_TOKENS = 6.0, 18
PEAK_RATE = 1.5e-3
GUESSING_STEPS, PHONE_STEPS = 700, 1300
"""So long the encoder learns from a guess of where the phones are, as the losses without one are slow to begin; and so
long from phones alone, which costs half the time."""
EASY_STEPS, MOST_DISTURBED = 600, 0.5
"""Until then utterances are short; and how often each kind of disturbance comes at most, to which it grows."""
ROOM_SIZE = 1 << 17
WARPS = [triangles(w) for w in np.linspace(0.8, 1.2, 11)]


class Corpus:
    def __init__(self, files):
        self.sounds, self.texts = [], []
        for file in files:
            with np.load(file) as z:
                parts = np.split(z["samples"], np.cumsum(z["lengths"])[:-1])
                self.sounds += parts
                self.texts += [str(t) for t in z["texts"]]

    def __len__(self):
        return len(self.texts)


def silence_cut(x):
    """Without the silence around the speech."""
    loud = np.flatnonzero(np.abs(x) > 200)
    return x[loud[0]:loud[-1] + 1] if loud.size else x


@functools.cache
def hiss(number):
    """Eight seconds of noise of some colour, now and then with hum."""
    r, n = np.random.default_rng(number), 1 << 17
    white = r.standard_normal(n // 2 + 1) + 1j * r.standard_normal(n // 2 + 1)
    mix = np.fft.irfft(white * np.arange(1, n // 2 + 2) ** r.uniform(-1.1, 0.1), n)
    mix /= mix.std()
    if number % 4 == 0:
        mix += r.uniform(0.5, 3) * np.sin(2 * np.pi * r.choice([50, 60, 100, 120, 180]) / 16000 * np.arange(n))
    return mix.astype(np.float32)


def noise(r, n, corpus):
    """A disturbance of level 1: a coloured hiss, hum, or other people who talk."""
    if r.random() < 0.25:
        mix = np.zeros(n, np.float32)
        for _ in range(r.randint(1, 4)):
            other = corpus.sounds[r.randrange(len(corpus))].astype(np.float32)
            mix += np.resize(np.roll(other, r.randrange(other.size)), n)
    else:
        mix = np.resize(np.roll(hiss(r.randrange(40)), r.randrange(1 << 17)), n)
    return mix / (np.sqrt(np.mean(mix ** 2)) + 1e-9)


@functools.cache
def room(number):
    """The spectrum of a simple room and a microphone: a decaying tail, a crooked response."""
    r = np.random.default_rng(number)
    h = np.zeros(8000)
    h[0] = 1
    if number % 5 < 3:
        t = np.arange(8000)
        tail = r.standard_normal(8000) * np.exp(-t * 6.9 / 16000 / r.uniform(0.05, 0.5)) * (t > r.integers(20, 160))
        h += tail * r.uniform(0.1, 0.9) / np.sqrt(np.sum(tail ** 2))
    at = np.linspace(0, 1, ROOM_SIZE // 2 + 1)
    gain = 10 ** (np.interp(at ** 0.6 * 8, np.arange(9), r.normal(0, 4, 9)) / 20)
    if number % 7 == 0:
        gain = gain * (at * 8000 < r.uniform(3300, 7000))
    return torch.from_numpy((np.fft.rfft(h, ROOM_SIZE) * gain).astype(np.complex64))


def disturbed(r, sound, corpus, share):
    """What a microphone would hear of it: another pace, a room, noise, another level. -1 to 1.

    `share` from 0 to 1 is how often it is disturbed at all. Also where the speech begins and ends.
    """
    x = silence_cut(sound).astype(np.float32) / 32768
    if r.random() < 0.7 * share:
        pace = r.uniform(0.85, 1.2)
        x = np.interp(np.arange(0, x.size - 1, pace), np.arange(x.size), x).astype(np.float32)
    begin = r.randint(0, 5000)
    end = begin + x.size
    x = np.concatenate([np.zeros(begin, np.float32), x, np.zeros(r.randint(0, 5000), np.float32)])
    if r.random() < 0.6 * share and x.size < ROOM_SIZE:
        spectrum = torch.fft.rfft(torch.from_numpy(x), ROOM_SIZE) * room(r.randrange(150))
        x = torch.fft.irfft(spectrum, ROOM_SIZE)[:x.size].numpy()
    level = np.sqrt(np.mean(x ** 2)) + 1e-9
    if r.random() < 0.7 * share:
        x = x + noise(r, x.size, corpus).astype(np.float32) * level * 10 ** (-r.uniform(3, 35) / 20)
    x = x * (10 ** (r.uniform(-42, -12) / 20) / level)
    x = np.round(np.clip(x, -1, 1) * 32767) / 32768
    return torch.from_numpy(x.astype(np.float32)), begin, end


class Lexicon:
    """Words to numbers of phones, from 1, by a pronouncing dictionary in CMU's format."""

    def __init__(self, file):
        self.words, names = {}, set()
        with open(file, encoding="latin-1") as lines:
            for line in lines:
                word, *phones = line.split()
                if "(" not in word:
                    self.words[word] = phones
                    names.update(phones)
        self.names = sorted(names)
        assert len(self.names) < PHONES
        number = {name: i + 1 for i, name in enumerate(self.names)}
        self.words = {w: [number[p] for p in phones] for w, phones in self.words.items()}
        self.seconds = [0] + [1.5 if name[0] in "AEIOU" else 1 for name in self.names]

    def phones(self, text):
        """None where a word is missing."""
        words = text.split()
        return [p for w in words for p in self.words[w]] if all(w in self.words for w in words) else None

    def guess(self, phones, begin, end, frames):
        """Which phone each half of the encoder's frames is in, if every phone took its usual part of the time."""
        middle = (np.arange(2 * frames) * STRIDE / 2 + 13) * SHIFT
        bounds = begin + (end - begin) * np.cumsum([self.seconds[p] for p in phones]) / sum(self.seconds[p] for p in phones)
        place = np.minimum(np.searchsorted(bounds, middle), len(phones) - 1)
        return torch.from_numpy(np.where((middle >= begin) & (middle < end), np.array(phones)[place], 0))


def chunks(samples):
    """How many runs of the encoder the recognizer makes of so many samples."""
    return ((samples + SHIFT // 2) // SHIFT + TAIL + CHUNK - 1) // CHUNK


def features(x, filters=PLAIN):
    """Features of an utterance with the silence that the recognizer adds; [(chunks - 1) * CHUNK + SPAN, BANDS]."""
    frames = (chunks(x.numel()) - 1) * CHUNK + SPAN
    return fbank(torch.cat([x, torch.zeros(frames * SHIFT - x.numel())]), filters)[:frames]


def masked(r, f):
    mean = f.mean()
    for _ in range(2):
        width, at = r.randint(0, 12), r.randrange(80)
        f[:, at:at + width] = mean
        width, at = r.randint(0, 15), r.randrange(f.shape[0])
        f[at:at + width] = mean
    return f


class Batches(torch.utils.data.Dataset):
    """Batch number i, made anew each time from the seed: utterances of like lengths, disturbed."""

    def __init__(self, corpus, pieces, lexicon, seed):
        self.corpus, self.lexicon, self.seed = corpus, lexicon, seed
        self.phones = [lexicon.phones(t) for t in corpus.texts]
        self.tokens = [pieces.encode(t) for t in corpus.texts]
        self.usable = [i for i, s in enumerate(corpus.sounds)
                       if s.size < MOST_SECONDS * 16000 and len(self.tokens[i]) <= MOST_TOKENS and self.phones[i]]

    def __len__(self):
        return 1 << 30

    def __getitem__(self, step):
        group = random.Random(f"{self.seed} {step // GROUP}")
        chosen = sorted(group.sample(self.usable, BATCH * GROUP), key=lambda i: self.corpus.sounds[i].size)
        part = group.sample(range(GROUP), GROUP)[step % GROUP]
        share = min(MOST_DISTURBED, step / EASY_STEPS * MOST_DISTURBED)
        if step < EASY_STEPS:
            part //= 2
        r = random.Random(f"{self.seed} step {step}")
        np.random.seed(r.randrange(1 << 31))
        torch.manual_seed(r.randrange(1 << 31))
        made, phones, guesses = [], [], []
        for i in chosen[part * BATCH:(part + 1) * BATCH]:
            filters = r.choice(WARPS) if r.random() < 0.6 * share else PLAIN
            x, begin, end = disturbed(r, self.corpus.sounds[i], self.corpus, share)
            f = features(x, filters)
            made.append((masked(r, f) if r.random() < share else f, torch.tensor(self.tokens[i], dtype=torch.int32)))
            guesses.append(self.lexicon.guess(self.phones[i], begin, end, (f.shape[0] - SPAN + CHUNK) // STRIDE))
            phones.append(torch.tensor(self.phones[i]))
        lengths = torch.tensor([(f.shape[0] - SPAN + CHUNK) // STRIDE for f, _ in made], dtype=torch.int32)
        sizes = torch.tensor([t.numel() for _, t in made], dtype=torch.int32)
        x = torch.nn.utils.rnn.pad_sequence([f for f, _ in made], batch_first=True)
        y = torch.nn.utils.rnn.pad_sequence([t for _, t in made], batch_first=True)
        guess = torch.nn.utils.rnn.pad_sequence(guesses, batch_first=True, padding_value=-100)
        counts = torch.tensor([p.numel() for p in phones])
        return x, lengths, y, sizes, torch.nn.utils.rnn.pad_sequence(phones, batch_first=True), counts, guess


class From(torch.utils.data.Sampler):
    def __init__(self, step):
        self.step = step

    def __iter__(self):
        step = self.step
        while True:
            yield step
            step += 1


def loss_of(model, batch, step):
    """The loss a phone or token: of the encoder alone at first, and with the guess of which phone a frame is in."""
    x, lengths, y, sizes, phones, counts, guess = batch
    encoded = model.encoder(x, *Encoder.zeros(x.shape[0]))[0]
    heard = model.phone_frames(encoded)
    ctc = F.ctc_loss(heard.transpose(0, 1), phones, 2 * lengths.long(), counts, reduction="sum",
                     zero_infinity=True) / counts.sum()
    if step < GUESSING_STEPS:
        frame = F.nll_loss(heard.transpose(1, 2), guess)
        return 2 * frame + 0.2 * ctc, float(frame), float(ctc)
    if step < PHONE_STEPS:
        return ctc, np.nan, float(ctc)
    decoded = model.decoder(F.pad(y.long(), (CONTEXT, 0)))
    joined = model.joiner(encoded.unsqueeze(2), decoded.unsqueeze(1))
    rnnt = torchaudio.functional.rnnt_loss(joined, y, lengths, sizes, blank=0, reduction="sum") / sizes.sum()
    return rnnt + 0.5 * ctc, float(rnnt), float(ctc)


def word_errors(said, heard):
    """The least number of words to change, add and leave out."""
    row = list(range(len(heard) + 1))
    for i, a in enumerate(said, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(heard, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def error_rate(model, pieces, corpus, count):
    wrong = words = 0
    for sound, text in list(zip(corpus.sounds, corpus.texts))[:count]:
        x = torch.from_numpy(sound.astype(np.float32)) / 32768
        heard = pieces.decode(model.greedy(features(x)))
        wrong += word_errors(text.split(), heard.split())
        words += len(text.split())
    return wrong / words


def pieces_of(corpus):
    """Pieces for the words of the domain; what comes less than 30 times is a foreign word and gets short pieces."""
    counts = collections.Counter(w for t in corpus.texts for w in t.split())
    return Pieces.train({w: n ** 0.75 for w, n in counts.items() if n >= 30}, VOCABULARY)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cmudict", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    work = pathlib.Path(a.work)
    corpus = Corpus(sorted((work / "speech").glob("[0-9]*.npz")))
    checkpoint = work / "checkpoint.pt"
    state = torch.load(checkpoint) if checkpoint.exists() else None
    pieces = Pieces(state["pieces"][1:]) if state else pieces_of(corpus)
    batches = Batches(corpus, pieces, Lexicon(a.cmudict), a.seed)
    model = Transducer(len(pieces.pieces), dropout=0.1)
    average = Transducer(len(pieces.pieces)).eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.01)
    step, trained = 0, 0.0
    if state:
        model.load_state_dict(state["model"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        step, trained = state["step"], state["trained"]
    else:
        probe = torch.cat([batches[i][0].reshape(-1, 80) for i in range(4)])
        probe = probe[probe.mean(1) > -15]
        model.encoder.front.mean.copy_(probe.mean(0))
        model.encoder.front.scale.fill_(1 / float(probe.std()))
        average.load_state_dict(model.state_dict())
    tests = {n: Corpus([work / "speech" / f"test-{n}.npz"]) for n in ("seen-voices", "unseen-espeak", "unseen-festival")
             if (work / "speech" / f"test-{n}.npz").exists()}
    size = sum(q.numel() for q in average.parameters())
    print(f"{len(corpus)} utterances, {sum(s.size for s in corpus.sounds) / 57.6e6:.1f} h, {size} parameters, "
          f"{len(pieces.pieces)} pieces, from step {step}", flush=True)
    loader = torch.utils.data.DataLoader(batches, batch_size=None, sampler=From(step), num_workers=1, prefetch_factor=4)
    began = saved = time.monotonic()
    before = trained
    shown = []
    for batch in loader:
        progress = min(1.0, trained / (60 * a.minutes))
        rate = PEAK_RATE * min((step + 1) / 200, 0.5 * (1 + np.cos(np.pi * progress)) + 0.002)
        for g in optimizer.param_groups:
            g["lr"] = rate
        loss, rnnt, ctc = loss_of(model, batch, step)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        step += 1
        keep = min(0.998, 1 - 10 / (10 + step))
        with torch.no_grad():
            for q, m in zip(average.state_dict().values(), model.state_dict().values()):
                q.lerp_(m, 1 - keep)
        trained = before + time.monotonic() - began
        shown.append((rnnt, ctc))
        if step % 50 == 0:
            r, c = np.mean(shown, axis=0)
            shown = []
            print(f"step {step} {trained / 60:.1f} min rate {rate:.5f} {'guess' if step < GUESSING_STEPS else 'rnnt'} {r:.3f} ctc {c:.3f}", flush=True)
        done = trained >= 60 * a.minutes
        if time.monotonic() - saved > 240 or done:
            torch.save({"model": model.state_dict(), "average": average.state_dict(),
                        "optimizer": optimizer.state_dict(), "pieces": pieces.pieces, "step": step,
                        "trained": trained}, str(checkpoint) + ".part")
            os.replace(str(checkpoint) + ".part", checkpoint)
            rates = {} if step < PHONE_STEPS else {n: f"{error_rate(average, pieces, c, 12):.3f}" for n, c in tests.items()}
            print(f"saved at step {step}, word errors {rates}", flush=True)
            saved = time.monotonic()
        if done:
            break


if __name__ == "__main__":
    main()
