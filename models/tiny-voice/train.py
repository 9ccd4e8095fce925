#!/usr/bin/env python3
"""Trains the tiny voice on what speech.py made: first the encoder, then the decoder on the encoder's frames.

    python3 train.py --work DIR [--minutes 40]

Needs Debian's python3-torch and libopenblas0-pthread. DIR/checkpoint.pt is written every two minutes, and a run that is
cut off continues from it. `export.py` makes the ONNX files of it.
"""

import os

# One thread: more of them spend their time in waiting for each other on a machine that does other things too.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import pathlib
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from network import BANDS, HOP, MEL_MEAN, MEL_SCALE, Decoder, Encoder, track

ENCODER_SHARE = 0.4
CROP, CROPS, SENTENCES = 64, 12, 12


class Voice:
    def __init__(self, file):
        with np.load(file) as z:
            frames, lengths = z["frames"], z["lengths"]
            cut = lambda name, sizes: [torch.from_numpy(q) for q in np.split(z[name], np.cumsum(sizes)[:-1])]
            self.sound = cut("sound", frames * HOP)
            self.mel = [(m - MEL_MEAN) * MEL_SCALE for m in cut("mel", frames)]
            self.pitch = [p / 100 for p in cut("pitch", frames)]
            self.voicing = cut("voicing", frames)
            self.symbols = cut("symbols", lengths)
            self.durations = [d.float() for d in cut("durations", lengths)]

    def __len__(self):
        return len(self.sound)


def predicted(encoder, voice, i):
    """The frames of sentence i at its true durations, before the nets over frames; and the predicted durations."""
    x, duration = encoder.texts(voice.symbols[i].unsqueeze(0))
    d = voice.durations[i]
    return encoder.spread(x, torch.cumsum(d, 0), d, voice.mel[i].shape[0]), duration[0]


def encoder_loss(encoder, voice, chosen):
    spreads, duration_loss = [], 0
    for i in chosen:
        spread, duration = predicted(encoder, voice, i)
        spreads.append(spread[0].t())
        duration_loss = duration_loss + (duration - torch.log(voice.durations[i] + 1)).square().mean()
    y = encoder.frames(pad_sequence(spreads, batch_first=True).transpose(1, 2)).transpose(1, 2)
    pad = lambda parts: pad_sequence(parts, batch_first=True)
    there = pad([torch.ones(s.shape[0]) for s in spreads])
    mel, pitch, voicing = (pad([q[i] for i in chosen]) for q in (voice.mel, voice.pitch, voice.voicing))
    mean = lambda v: (v * there).sum() / there.sum()
    mel_loss = mean((y[..., :BANDS] - mel).abs().mean(2))
    pitch_loss = mean((y[..., BANDS] - pitch).abs() * (voicing + 0.1))
    voicing_loss = mean(F.binary_cross_entropy_with_logits(y[..., BANDS + 1], voicing, reduction="none"))
    duration_loss = duration_loss / len(chosen)
    return mel_loss + pitch_loss + 0.3 * voicing_loss + duration_loss, (mel_loss, pitch_loss, voicing_loss, duration_loss)


def spectra_loss(made, wanted):
    total = 0
    for size in (256, 512, 1024):
        window = torch.hann_window(size)
        a, b = (torch.stft(q, size, size // 4, window=window, center=False, return_complex=True).abs() for q in
                (made, wanted))
        total = total + (a - b).norm() / b.norm().clamp(min=0.1) + (torch.log(a + 1e-3) - torch.log(b + 1e-3)).abs().mean()
    return total


def decoder_loss(r, encoder, decoder, voice):
    zs, sounds = [], []
    while len(zs) < CROPS:
        i = r.randrange(len(voice))
        total = voice.mel[i].shape[0]
        if total < CROP:
            continue
        mel, voicing = voice.mel[i], voice.voicing[i]
        if r.random() < 0.7:
            with torch.no_grad():
                y = encoder.frames(predicted(encoder, voice, i)[0])[0].t()
            mel, voicing = y[:, :BANDS], torch.sigmoid(y[:, BANDS + 1])
        for at in {r.randint(0, total - CROP) for _ in range(4)}:
            pitch = voice.pitch[i][at:at + CROP]
            number = torch.arange(CROP) + r.randrange(2000)
            zs.append(torch.cat([mel[at:at + CROP].t(),
                                 torch.stack([pitch, voicing[at:at + CROP], track(pitch), number.float()])]))
            sounds.append(voice.sound[i][at * HOP:(at + CROP) * HOP])
    made = decoder(torch.stack(zs)).squeeze(1)
    inner = slice(2 * HOP, -2 * HOP)
    return spectra_loss(made[:, inner], torch.stack(sounds)[:, inner])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--minutes", type=float, default=40)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    work = pathlib.Path(a.work)
    voice = Voice(work / "voice.npz")
    encoder, decoder = Encoder(), Decoder()
    optimizers = [torch.optim.Adam(m.parameters(), betas=(0.9, 0.98)) for m in (encoder, decoder)]
    step, trained = 0, 0.0
    checkpoint = work / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint)
        encoder.load_state_dict(state["encoder"])
        decoder.load_state_dict(state["decoder"])
        for o, s in zip(optimizers, state["optimizers"]):
            o.load_state_dict(s)
        step, trained = state["step"], state["trained"]
    print(f"{len(voice)} sentences, {sum(s.numel() for s in voice.sound) / 9.6e5:.0f} min, "
          f"{sum(q.numel() for q in encoder.parameters())} + {sum(q.numel() for q in decoder.parameters())} parameters, "
          f"from step {step}", flush=True)
    began = saved = time.monotonic()
    before, shown = trained, []
    while True:
        r = random.Random(f"{a.seed} {step}")
        part = trained / (60 * a.minutes)
        first = part < ENCODER_SHARE
        progress = part / ENCODER_SHARE if first else (part - ENCODER_SHARE) / (1 - ENCODER_SHARE)
        optimizer, model = (optimizers[0], encoder) if first else (optimizers[1], decoder)
        for g in optimizer.param_groups:
            g["lr"] = 1.5e-3 * min((step + 1) / 100, 0.02 + 0.49 * (1 + np.cos(np.pi * min(1.0, progress))))
        if first:
            loss, parts = encoder_loss(encoder, voice, r.sample(range(len(voice)), SENTENCES))
        else:
            loss = decoder_loss(r, encoder, decoder, voice)
            parts = (loss,)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        trained = before + time.monotonic() - began
        shown = shown if not shown or len(shown[-1]) == len(parts) else []
        shown.append([float(q) for q in parts])
        if step % 25 == 0:
            print(f"step {step} {trained / 60:.1f} min {'encoder' if first else 'decoder'} "
                  f"{np.round(np.mean(shown, axis=0), 3)}", flush=True)
            shown = []
        done = trained >= 60 * a.minutes
        if time.monotonic() - saved > 120 or done:
            torch.save({"encoder": encoder.state_dict(), "decoder": decoder.state_dict(),
                        "optimizers": [o.state_dict() for o in optimizers], "step": step, "trained": trained},
                       str(checkpoint) + ".part")
            os.replace(str(checkpoint) + ".part", checkpoint)
            saved = time.monotonic()
        if done:
            break


if __name__ == "__main__":
    main()
