"""The tiny voice in PyTorch: encoder (symbols to frames) and decoder (frames to samples)."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RATE, HOP, SPECTRUM, BANDS = 16000, 160, 512, 48
SYMBOLS = ["_", "^", "$", ","] + list("ɑæʌɔaʊɪbtʃdðɛɚefɡhiʒklmnŋoɹpsθuvwjz")
"""Number 0 is unused: the file's map gives the pad no number, so that nothing stands between two symbols."""
WIDTH, DECODER_WIDTH, HARMONICS, ENVELOPE = 160, 128, 60, 64
NOISE_ROWS, NOISE_BINS = 997, HOP + 1
CHANNELS = BANDS + 4
"""A frame: mel bands (log, scaled), pitch in 100 Hz, voicing, the pitch's phase in turns, and the frame's number."""


def mel_filters():
    corners = np.linspace(0, 1127 * np.log1p(RATE / 2 / 700), BANDS + 2)
    bins = 1127 * np.log1p(np.arange(SPECTRUM // 2 + 1) * RATE / SPECTRUM / 700)
    rows = np.stack([np.interp(bins, corners[b:b + 3], [0, 1, 0], left=0, right=0) for b in range(BANDS)])
    return torch.tensor(rows, dtype=torch.float32)


MEL = mel_filters()
MEL_MEAN, MEL_SCALE = -4.0, 0.25


class Block(nn.Module):
    def __init__(self, width, kernel, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(width, width, kernel, padding=dilation * (kernel // 2), dilation=dilation)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return x + F.silu(self.norm(self.conv(x).transpose(1, 2))).transpose(1, 2)


class Encoder(nn.Module):
    """Symbols to durations and frames."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(SYMBOLS), WIDTH)
        self.text = nn.Sequential(*(Block(WIDTH, 5) for _ in range(4)))
        self.duration = nn.Sequential(Block(WIDTH, 3), Block(WIDTH, 3), nn.Conv1d(WIDTH, 1, 1))
        self.place = nn.Linear(3, WIDTH)
        self.frame = nn.Sequential(*(Block(WIDTH, 5, d) for d in (1, 2, 4, 1)))
        self.out = nn.Conv1d(WIDTH, BANDS + 2, 1)

    def texts(self, symbols):
        """[N, L] to [N, WIDTH, L] and log of (frames + 1) of each symbol [N, L]."""
        x = self.text(self.embed(symbols).transpose(1, 2))
        return x, self.duration(x).squeeze(1)

    def spread(self, x, ends, durations, total):
        """One sentence: x [1, WIDTH, L], ends and durations [L] in frames, to [1, WIDTH, total]."""
        t = torch.arange(total, dtype=torch.float32)
        symbol = (t.unsqueeze(1) + 0.5 > ends.unsqueeze(0)).float().sum(1).long()
        symbol = torch.minimum(symbol, torch.full_like(symbol, ends.shape[0] - 1))
        length = durations[symbol]
        left = ends[symbol] - t
        place = torch.stack([left / length.clamp(min=1), left / 10, length / 10], 1)
        return x[:, :, symbol] + self.place(place).t().unsqueeze(0)

    def frames(self, spread):
        """Mel bands, pitch in 100 Hz and the logit of voicing [N, BANDS + 2, T]."""
        return self.out(self.frame(spread))


def track(f):
    """The phase in turns, below 1, at each frame of a pitch track [T] in 100 Hz."""
    turns = 100 * HOP / RATE * 0.5 * (f[:-1] + f[1:])
    turns = torch.cat([torch.zeros(1), torch.cumsum(turns, 0)])
    return turns - torch.floor(turns)


class Speaker(nn.Module):
    """The encoder as the file has it: symbols, their number, and Piper's three scales to frames z [1, CHANNELS, T]."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input, input_lengths, scales):
        x, duration = self.encoder.texts(input)
        there = (torch.arange(input.shape[1]) < input_lengths[0]).float()
        durations = (torch.exp(duration[0]) - 1).clamp(min=0) * there * scales[1]
        ends = torch.round(torch.cumsum(durations, 0))
        total = ends[-1].clamp(min=4).long()
        y = self.encoder.frames(self.encoder.spread(x, ends, durations, total))
        pitch = y[0, BANDS].clamp(0.6, 4)
        number = torch.arange(total, dtype=torch.float32)
        voicing = torch.sigmoid(y[0, BANDS + 1])
        return torch.cat([y[0, :BANDS], torch.stack([pitch, voicing, track(pitch), number])]).unsqueeze(0)


class Decoder(nn.Module):
    """Frames z [N, CHANNELS, T] to samples [N, 1, T * HOP]: the pitch's harmonics and a noise, both shaped by a net.

    Nothing depends on where a piece begins: the phase and the number of the noise's row come with each frame.
    """

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(BANDS + 2, DECODER_WIDTH, 3, padding=1)
        self.blocks = nn.Sequential(Block(DECODER_WIDTH, 3), Block(DECODER_WIDTH, 3), Block(DECODER_WIDTH, 3))
        self.last = nn.Conv1d(DECODER_WIDTH, ENVELOPE + NOISE_BINS, 1)
        with torch.no_grad():
            self.last.bias.fill_(-5.0)
        noise = torch.Generator().manual_seed(5)
        turns = 2 * np.pi * torch.rand(NOISE_ROWS, NOISE_BINS, generator=noise)
        self.register_buffer("rows", torch.stack([turns.cos(), turns.sin()], 2).contiguous())
        n, k = np.arange(2 * HOP)[None], np.arange(NOISE_BINS)[:, None]
        window = np.hanning(2 * HOP + 1)[:-1] ** 0.5
        weight = np.where((k == 0) | (k == HOP), 1, 2) / (2 * HOP) * 8
        basis = np.concatenate([np.cos(np.pi * k * n / HOP), -np.sin(np.pi * k * n / HOP)]) * window
        self.register_buffer("basis", torch.tensor(basis * np.concatenate([weight, weight]), dtype=torch.float32))
        self.register_buffer("orders", torch.arange(1, HARMONICS + 1, dtype=torch.float32))
        self.register_buffer("ramp", torch.arange(HOP, dtype=torch.float32) / HOP)

    def shapes(self, z):
        x = torch.cat([z[:, :BANDS], z[:, BANDS:BANDS + 1] - 1.8, z[:, BANDS + 1:BANDS + 2]], 1)
        y = self.last(self.blocks(F.silu(self.first(x)))).transpose(1, 2)
        y = torch.exp(y.clamp(-12, 4))
        return y[:, :, :ENVELOPE], y[:, :, ENVELOPE:]

    @staticmethod
    def following(x):
        """[N, T, ...] one frame on; the last stays."""
        return torch.cat([x[:, 1:], x[:, -1:]], 1)

    def forward(self, z):
        envelope, colour = self.shapes(z)
        n, frames = z.shape[0], z.shape[2]
        pitch = z[:, BANDS] * 100
        return (self.harmonics(envelope, pitch, z[:, BANDS + 2]) + self.noise(colour, z[:, BANDS + 3])).reshape(
            n, 1, frames * HOP)

    def harmonics(self, envelope, pitch, phase):
        hertz = pitch.unsqueeze(2) * self.orders
        at = (hertz * ((ENVELOPE - 1) / (RATE / 2))).clamp(max=ENVELOPE - 1.001)
        low = torch.floor(at)
        part = at - low
        low = low.long()
        level = torch.gather(envelope, 2, low) * (1 - part) + torch.gather(envelope, 2, low + 1) * part
        level = level * (hertz < RATE / 2 - 200).float()
        after, pitch_after = self.following(level), self.following(pitch)
        ramp = self.ramp
        bend = 0.5 * (pitch_after - pitch).unsqueeze(2) * ramp * ramp
        turns = phase.unsqueeze(2) + (pitch.unsqueeze(2) * ramp + bend) * (HOP / RATE)
        waves = torch.cos(2 * np.pi * (turns.unsqueeze(2) * self.orders.unsqueeze(1)))
        mixed = level.unsqueeze(2) @ waves * (1 - ramp) + after.unsqueeze(2) @ waves * ramp
        return mixed.squeeze(2)

    def noise(self, colour, number):
        row = number - NOISE_ROWS * torch.floor((number + 0.5) / NOISE_ROWS)
        turn = self.rows[torch.round(row).long()]
        spectrum = torch.cat([colour * turn[..., 0], colour * turn[..., 1]], 2)
        around = spectrum @ self.basis
        return around[:, :, HOP:] * self.fade(False) + self.following(around)[:, :, :HOP] * self.fade(True)

    def fade(self, rising):
        window = torch.sin(0.5 * np.pi * self.ramp)
        return window if rising else torch.sqrt(1 - window * window)
