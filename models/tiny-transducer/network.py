"""The tiny transducer in PyTorch: features as Portal's Fbank makes them, encoder, decoder and joiner."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RATE, WINDOW, SHIFT, FFT, BANDS = 16000, 400, 160, 512, 80
CHUNK = 32
"""Frames of features that the encoder moves on by; four frames come out for them."""
SPAN = 55
"""Frames of features that go in: CHUNK and what the convolutions in front look ahead."""
TAIL = 30
"""Frames of silence that the recognizer adds at least."""
STRIDE = 8
PHONES = 40
"""Of the dictionary, number 0 is silence; the encoder learns them first."""
WIDTH, LAYERS, KERNEL, CONTEXT = 192, 6, 9, 2


def mel(hz):
    return 1127.0 * np.log(1.0 + hz / 700.0)


def triangles(warp=1.0):
    """The mel filters [BANDS, FFT / 2]; `warp` stretches the frequencies, as a shorter or longer throat does."""
    corners = np.linspace(mel(20.0), mel(RATE / 2 - 400.0), BANDS + 2)
    bins = mel(np.minimum(np.arange(FFT // 2) * RATE / FFT * warp, RATE / 2))
    rows = [np.interp(bins, corners[b:b + 3], [0, 1, 0], left=0, right=0) for b in range(BANDS)]
    return torch.tensor(np.stack(rows), dtype=torch.float32)


POVEY = torch.tensor(np.power(np.hanning(WINDOW), 0.85), dtype=torch.float32)
PLAIN = triangles()


def fbank(x, filters=None):
    """Log mel energies [frames, BANDS] of samples -1 to 1; as kaldi's with snip_edges false and no dither."""
    filters = PLAIN if filters is None else filters
    frames = (x.numel() + SHIFT // 2) // SHIFT
    lead = WINDOW // 2 - SHIFT // 2
    before, after = x[:lead].flip(0), x[-WINDOW:].flip(0)
    cut = torch.cat([before, x, after]).unfold(0, WINDOW, SHIFT)[:frames]
    cut = cut - cut.mean(1, keepdim=True)
    cut = cut - 0.97 * torch.cat([cut[:, :1], cut[:, :-1]], 1)
    power = torch.fft.rfft(cut * POVEY, FFT).abs().square()[:, :FFT // 2]
    return (power @ filters.T).clamp_min(2.0 ** -23).log()


class Front(nn.Module):
    """Eight times fewer frames: frame i of the output [N, WIDTH, t] sees the features 8 i to 8 i + 30."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.full((BANDS,), -5.0))
        self.register_buffer("scale", torch.full((BANDS,), 0.25))
        self.conv1 = nn.Conv2d(1, 16, 3, stride=2, padding=(0, 1))
        self.conv2 = nn.Conv2d(16, 16, 3, stride=2, padding=(0, 1))
        self.project = nn.Linear(16 * BANDS // 4, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.halve = nn.Conv1d(WIDTH, WIDTH, 3, stride=2)
        self.ahead = nn.Conv1d(WIDTH, WIDTH, 3, groups=WIDTH)

    def forward(self, x):
        x = (x - self.mean) * self.scale
        x = F.relu(self.conv1(x.unsqueeze(1)))
        x = F.relu(self.conv2(x))
        n, c, t, f = x.shape
        x = F.relu(self.norm(self.project(x.permute(0, 2, 1, 3).reshape(n, t, c * f))))
        x = self.halve(x.transpose(1, 2))
        return x[:, :, 1:-1] + self.ahead(F.relu(x))


class Layer(nn.Module):
    """A convolution over what was, whose last KERNEL - 1 inputs are its state, and a feed-forward step."""

    def __init__(self, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.past = nn.Conv1d(WIDTH, WIDTH, KERNEL, groups=WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, cached):
        """x [N, t, WIDTH], cached [N, WIDTH, KERNEL - 1]."""
        seen = torch.cat([cached, self.norm(x).transpose(1, 2)], 2)
        y = self.down(F.silu(self.up(self.past(seen).transpose(1, 2))))
        return x + self.dropout(y), seen[:, :, 1 - KERNEL:]


class Encoder(nn.Module):
    """Features [N, T, BANDS] and the states of the layers to frames [N, (T - 23) / 8, WIDTH] and the next states."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.front = Front()
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, *states):
        x = self.front(x).transpose(1, 2)
        after = []
        for layer, cached in zip(self.layers, states):
            x, state = layer(x, cached)
            after.append(state)
        return self.project(self.norm(x)), *after

    @staticmethod
    def zeros(n):
        return [torch.zeros(n, WIDTH, KERNEL - 1) for _ in range(LAYERS)]


class Decoder(nn.Module):
    """The last CONTEXT tokens [N, U + CONTEXT - 1] to [N, U, WIDTH]."""

    def __init__(self, vocabulary):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, WIDTH)
        self.conv = nn.Conv1d(WIDTH, WIDTH, CONTEXT, groups=WIDTH // 4)
        self.project = nn.Linear(WIDTH, WIDTH)

    def forward(self, y):
        return self.project(F.relu(self.conv(self.embed(y).transpose(1, 2)).transpose(1, 2)))


class Joiner(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.output = nn.Linear(WIDTH, vocabulary)

    def forward(self, encoded, decoded):
        return self.output(torch.tanh(encoded + decoded))


class Transducer(nn.Module):
    def __init__(self, vocabulary, dropout=0.0):
        super().__init__()
        self.encoder = Encoder(dropout)
        self.decoder = Decoder(vocabulary)
        self.joiner = Joiner(vocabulary)
        self.phones = nn.Linear(WIDTH, 2 * PHONES)

    def phone_frames(self, encoded):
        """Log probabilities of phones, two frames for each of the encoder's; for training only."""
        n, t, _ = encoded.shape
        return self.phones(encoded).reshape(n, 2 * t, PHONES).log_softmax(-1)

    @torch.no_grad()
    def greedy(self, features):
        """The tokens of one utterance [T, BANDS], by the search of Portal's recognizer: one token a frame at most."""
        encoded = self.encoder(features.unsqueeze(0), *Encoder.zeros(1))[0]
        context = [0] * CONTEXT
        decoded = self.decoder(torch.tensor([context[-CONTEXT:]]))[0, 0]
        for frame in encoded[0]:
            best = int(self.joiner(frame, decoded).argmax())
            if best:
                context.append(best)
                decoded = self.decoder(torch.tensor([context[-CONTEXT:]]))[0, 0]
        return context[CONTEXT:]


class Pieces:
    """Word pieces by byte pair merges; number 0 is the blank. U+2581 begins a word."""

    def __init__(self, pieces):
        self.pieces = ["<blk>"] + pieces
        self.number = {p: i for i, p in enumerate(self.pieces)}
        self.cache = {}

    @classmethod
    def train(cls, words, size):
        """`words`: counts of each word."""
        split = {w: list("\u2581" + w) for w in words}
        letters = sorted({ch for s in split.values() for ch in s})
        merges = []
        while len(letters) + len(merges) + 1 < size:
            counts = {}
            for w, n in words.items():
                for a, b in zip(split[w], split[w][1:]):
                    counts[a + b] = counts.get(a + b, 0) + n
            best = max(counts, key=lambda k: (counts[k], k))
            merges.append(best)
            for w, s in split.items():
                if best in "\u2581" + w:
                    split[w] = cls.merge(s, best)
        return cls(letters + merges)

    @staticmethod
    def merge(parts, best):
        merged, i = [], 0
        while i < len(parts):
            step = 2 if i + 1 < len(parts) and parts[i] + parts[i + 1] == best else 1
            merged.append("".join(parts[i:i + step]))
            i += step
        return merged

    def word(self, word):
        if word not in self.cache:
            parts = list("\u2581" + word)
            while True:
                ranked = [self.number[a + b] for a, b in zip(parts, parts[1:]) if a + b in self.number]
                if not ranked:
                    break
                parts = self.merge(parts, self.pieces[min(ranked)])
            self.cache[word] = [self.number[p] for p in parts]
        return self.cache[word]

    def encode(self, text):
        return [n for w in text.split() for n in self.word(w)]

    def decode(self, numbers):
        return "".join(self.pieces[n] for n in numbers).replace("\u2581", " ").strip()
