#!/usr/bin/env python3
"""Trains the tiny assistant and writes it as GGUF.

    python3 train.py --cmudict PATH --out tiny-assistant.gguf [--steps 1000] [--work DIR]

Needs Debian's python3-torch and libopenblas0-pthread (ten times faster than the reference BLAS). A run that is cut
off continues from the last checkpoint in --work. The model is a LLaMA (RMS norm, rotary positions in adjacent pairs, SwiGLU, no biases), the tokenizer a SentencePiece-style BPE with
byte fallback, so that llama.cpp and Portal's own decoder read both from the one file.
"""

import argparse
import math
import os
import random
import struct
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

import domain

BOS, EOS, FIRST_BYTE, FIRST_PIECE = 1, 2, 3, 259
TEMPLATE = ("{% for message in messages %}{% if message['role'] == 'user' %}{{ bos_token + 'user: ' + "
            "message['content'] + '\\nbot:' }}{% elif message['role'] == 'assistant' %}{{ ' ' + "
            "message['content'] + eos_token }}{% endif %}{% endfor %}")


def prompt(heard):
    return f"user: {heard}\nbot:"


class Tokenizer:
    """BPE whose merges are ranked by score, as SentencePiece models are read by llama.cpp."""

    def __init__(self, pieces):
        self.pieces = pieces
        self.vocab = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)] + pieces
        self.scores = [0.0] * FIRST_PIECE + [-float(i) for i in range(len(pieces))]
        self.types = [2, 3, 3] + [6] * 256 + [1] * len(pieces)
        self.id = {p: FIRST_PIECE + i for i, p in enumerate(pieces)}
        self.cache = {}

    @staticmethod
    def normal(text):
        return "\u2581" + text.replace(" ", "\u2581")

    @classmethod
    def train(cls, texts, merges):
        words = {}
        for text in texts:
            word = ""
            for ch in cls.normal(text):
                if ch in "\u2581\n" and word:
                    words[word] = words.get(word, 0) + 1
                    word = ""
                if ch != "\n":
                    word += ch
            if word:
                words[word] = words.get(word, 0) + 1
        split = {w: list(w) for w in words}
        found = []
        for _ in range(merges):
            counts = {}
            for w, c in words.items():
                for a, b in zip(split[w], split[w][1:]):
                    counts[a + b] = counts.get(a + b, 0) + c
            best = max(counts, key=lambda k: (counts[k], k))
            found.append(best)
            for w, s in split.items():
                merged, i = [], 0
                while i < len(s):
                    step = 2 if i + 1 < len(s) and s[i] + s[i + 1] == best else 1
                    merged.append("".join(s[i:i + step]))
                    i += step
                split[w] = merged
        letters = sorted({ch for w in words for ch in w})
        return cls(found + letters)

    def _word(self, word):
        if word not in self.cache:
            parts = list(word)
            while True:
                ranked = [(self.id[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in self.id]
                if not ranked:
                    break
                _, i = min(ranked)
                parts[i:i + 2] = [parts[i] + parts[i + 1]]
            ids = []
            for p in parts:
                ids += [self.id[p]] if p in self.id else [FIRST_BYTE + b for b in p.encode()]
            self.cache[word] = ids
        return self.cache[word]

    def encode(self, text):
        ids, word = [], ""
        for ch in self.normal(text):
            if ch in "\u2581\n" and word:
                ids += self._word(word)
                word = ""
            if ch == "\n":
                ids.append(FIRST_BYTE + 10)
            else:
                word += ch
        return ids + (self._word(word) if word else [])

    def decode(self, ids):
        raw = b"".join(bytes([i - FIRST_BYTE]) if FIRST_BYTE <= i < FIRST_PIECE else self.vocab[i].encode()
                       for i in ids)
        return raw.decode(errors="replace").replace("\u2581", " ").strip()


WIDTH, LAYERS, HEADS, HIDDEN, WINDOW, CONTEXT = 160, 4, 5, 432, 128, 512
BATCH = 20
HEAD = WIDTH // HEADS
EPSILON = 1e-5


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON) * self.w


def rotary(x, cos, sin):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        linear = lambda a, b: nn.Linear(a, b, bias=False)
        self.attn_norm, self.ffn_norm = Norm(), Norm()
        self.attn_q, self.attn_k, self.attn_v, self.attn_output = (linear(WIDTH, WIDTH) for _ in range(4))
        self.ffn_gate, self.ffn_up, self.ffn_down = linear(WIDTH, HIDDEN), linear(WIDTH, HIDDEN), linear(HIDDEN, WIDTH)

    def forward(self, x, cos, sin, mask):
        batch, length, _ = x.shape
        heads = lambda y: y.view(batch, length, HEADS, HEAD).transpose(1, 2)
        h = self.attn_norm(x)
        q, k, v = rotary(heads(self.attn_q(h)), cos, sin), rotary(heads(self.attn_k(h)), cos, sin), heads(self.attn_v(h))
        weights = (q @ k.transpose(2, 3) / math.sqrt(HEAD) + mask).softmax(-1)
        x = x + self.attn_output((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


class Model(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.token_embd = nn.Embedding(vocabulary, WIDTH)
        self.blk = nn.ModuleList(Block() for _ in range(LAYERS))
        self.output_norm = Norm()
        self.output = nn.Linear(WIDTH, vocabulary, bias=False)
        angles = torch.outer(torch.arange(CONTEXT).float(), 1.0 / (10000 ** (torch.arange(0, HEAD, 2).float() / HEAD)))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, 0, 0.02)

    def forward(self, ids):
        length = ids.shape[1]
        mask = torch.full((length, length), float("-inf")).triu(1)
        x = self.token_embd(ids)
        for block in self.blk:
            x = block(x, self.cos[:length], self.sin[:length], mask)
        return self.output(self.output_norm(x))


class Batches:
    """Windows of examples in a row, each starting at the start of one; only answers count in the loss."""

    def __init__(self, tokenizer, words, seed):
        self.tokenizer, self.words, self.random = tokenizer, words, random.Random(seed)

    def window(self):
        ids, weights = [], []
        while len(ids) < WINDOW + 1:
            heard, answer = domain.pair(self.random, self.words)
            question = [BOS] + self.tokenizer.encode(prompt(heard))
            reply = self.tokenizer.encode(answer) + [EOS]
            ids += question + reply
            weights += [0.02] * len(question) + [1.0] * len(reply)
        return ids[:WINDOW + 1], weights[1:WINDOW + 1]

    def next(self, size):
        rows = [self.window() for _ in range(size)]
        ids = torch.tensor([r[0] for r in rows])
        return ids[:, :-1], ids[:, 1:], torch.tensor([r[1] for r in rows])


def train(model, batches, steps, work):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01, betas=(0.9, 0.95))
    path, first, loss = os.path.join(work, "checkpoint.pt"), 0, float("nan")
    if os.path.exists(path):
        saved = torch.load(path)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        batches.random.setstate(saved["random"])
        first, loss = saved["step"], saved["loss"]
        print(f"continuing at step {first}", flush=True)
    began, smooth = time.time(), None
    for step in range(first, steps):
        rate = 3e-3 * min(1, (step + 1) / 60) * (0.5 * (1 + math.cos(math.pi * step / steps)) + 0.02)
        for group in optimizer.param_groups:
            group["lr"] = rate
        x, y, w = batches.next(BATCH)
        each = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="none")
        total = (each * w.flatten()).sum() / w.sum()
        optimizer.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        smooth = total.item() if smooth is None else 0.98 * smooth + 0.02 * total.item()
        loss = smooth
        if step % 50 == 49 or step == steps - 1:
            print(f"step {step + 1} loss {smooth:.4f} {time.time() - began:.0f} s", flush=True)
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1,
                        "random": batches.random.getstate(), "loss": loss}, path)
    return loss


@torch.no_grad()
def answer(model, tokenizer, heard):
    ids = [BOS] + tokenizer.encode(prompt(heard))
    start = len(ids)
    while len(ids) < start + 60:
        best = int(model(torch.tensor([ids]))[0, -1].argmax())
        if best == EOS:
            break
        ids.append(best)
    return tokenizer.decode(ids[start:])


def evaluate(model, tokenizer, words, count):
    """On sentences of another seed: how many answers do what was asked, and how many misheard ones are refused."""
    right = {"action": [0, 0], "refusal": [0, 0], "talk": [0, 0]}
    for heard, expected in domain.pairs(987_654_321, count, words):
        got = answer(model, tokenizer, heard)
        opening = lambda s: s.removeprefix("okay, ").removeprefix("sure, ")
        kind = "refusal" if expected == domain.NOT_UNDERSTOOD else "action" if "ing" in expected else "talk"
        right[kind][1] += 1
        right[kind][0] += opening(got) == opening(expected)
        if opening(got) != opening(expected):
            print(f"  wrong: {heard!r} -> {got!r}, expected {expected!r}")
    for kind, (good, all_) in right.items():
        print(f"held out {kind}: {good} of {all_}")


def write_gguf(path, model, tokenizer):
    text = lambda s: struct.pack("<Q", len(s.encode())) + s.encode()
    u32, f32 = (lambda v: struct.pack("<II", 4, v)), (lambda v: struct.pack("<If", 6, v))
    string = lambda s: struct.pack("<I", 8) + text(s)
    array = lambda kind, items: struct.pack("<IIQ", 9, kind, len(items)) + b"".join(items)
    keys = {
        "general.architecture": string("llama"),
        "general.name": string("portal-tiny-assistant"),
        "general.license": string("Apache-2.0"),
        "general.file_type": u32(0),
        "llama.context_length": u32(CONTEXT),
        "llama.embedding_length": u32(WIDTH),
        "llama.block_count": u32(LAYERS),
        "llama.feed_forward_length": u32(HIDDEN),
        "llama.attention.head_count": u32(HEADS),
        "llama.attention.head_count_kv": u32(HEADS),
        "llama.rope.dimension_count": u32(HEAD),
        "llama.attention.layer_norm_rms_epsilon": f32(EPSILON),
        "llama.vocab_size": u32(len(tokenizer.vocab)),
        "tokenizer.ggml.model": string("llama"),
        "tokenizer.ggml.tokens": array(8, [text(p) for p in tokenizer.vocab]),
        "tokenizer.ggml.scores": array(6, [struct.pack("<f", s) for s in tokenizer.scores]),
        "tokenizer.ggml.token_type": array(5, [struct.pack("<i", t) for t in tokenizer.types]),
        "tokenizer.ggml.bos_token_id": u32(BOS),
        "tokenizer.ggml.eos_token_id": u32(EOS),
        "tokenizer.ggml.unknown_token_id": u32(0),
        "tokenizer.chat_template": string(TEMPLATE),
    }
    tensors = [(n.removesuffix(".w") + ".weight" if n.endswith(".w") else n, t.numpy().astype("<f4"))
               for n, t in model.state_dict().items()]
    with open(path, "wb") as f:
        f.write(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)))
        for key, value in keys.items():
            f.write(text(key) + value)
        offset, blobs = 0, []
        for name, t in tensors:
            f.write(text(name) + struct.pack("<I", t.ndim) + b"".join(struct.pack("<Q", d) for d in reversed(t.shape)))
            f.write(struct.pack("<IQ", 0, offset))
            blobs.append(t.tobytes() + b"\0" * (-t.nbytes % 32))
            offset += len(blobs[-1])
        f.write(b"\0" * (-f.tell() % 32))
        for blob in blobs:
            f.write(blob)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cmudict", required=True, help="cmudict-en-us.dict of pocketsphinx-en-us: foreign words")
    options.add_argument("--out", default="tiny-assistant.gguf")
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--work", default=".", help="where the checkpoint lives")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--held-out", type=int, default=600, help="sentences to evaluate on")
    args = options.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(args.threads)
    words = domain.foreign_words(args.cmudict)
    sample = domain.pairs(1, 12000, words)
    tokenizer = Tokenizer.train([f"{prompt(q)} {a}" for q, a in sample], merges=420)
    model = Model(len(tokenizer.vocab))
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(tokenizer.vocab)} pieces", flush=True)
    loss = train(model, Batches(tokenizer, words, seed=2), args.steps, args.work)
    model.eval()
    write_gguf(args.out, model, tokenizer)
    evaluate(model, tokenizer, words, args.held_out)
    for heard in ["go forward ten meters", "turn on the kitchen light", "set a timer for twenty five minutes"]:
        print(f"{heard!r} -> {answer(model, tokenizer, heard)!r}")
    print(f"loss {loss:.4f}, {os.path.getsize(args.out)} bytes")


if __name__ == "__main__":
    main()
