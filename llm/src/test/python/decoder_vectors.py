#!/usr/bin/env python3
"""Computes the logits that the decoder's tests compare with, by numpy in double precision, from the published
descriptions of the architectures and of GGML's blocks. It shares no code with the Java side: not the weights either,
which both sides draw from the same generator (SplitMix64 over the tensor's name).

    python3 -B decoder_vectors.py --tiny ../../../../models/tiny-assistant/tiny-assistant.gguf --out ../resources/decoder/logits.bin

Each record of the output: u8 length, name, u32 count, count float32, all little-endian. A name is family/type/rule:
  exact  weights as stored, activations in full precision
  q8     activations in blocks of 32 with an F16 scale, largest 127, halves to even (quantised weights only)
  i8     weights with one scale a row, activations with one scale a token, largest 127, halves to even
"""

import argparse
import struct

import numpy as np

WIDTH, HEADS, KEY_HEADS, HEAD, HIDDEN, VOCAB, LAYERS = 256, 8, 2, 64, 512, 96, 2
EPS = 1e-6
TOKENS = [3, 17, 5, 80, 41, 2, 95, 60, 11, 33, 7, 54]
SHOWN = [0, 5, 11]
TYPES = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144),
         "Q6_K": (14, 256, 210)}
U = np.uint64


def draws(name, count):
    """SplitMix64 from the FNV-1a hash of the name."""
    state = 0xCBF29CE484222325
    for b in name.encode():
        state = ((state ^ b) * 0x100000001B3) & (2**64 - 1)
    with np.errstate(over="ignore"):
        z = U(state) + U(0x9E3779B97F4A7C15) * np.arange(1, count + 1, dtype=np.uint64)
        z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
        return z ^ (z >> U(31))


def uniform(name, count, scale):
    """Float32 between -scale / 2 and scale / 2."""
    return ((draws(name, count) >> U(40)).astype(np.float32) / np.float32(2**24) - np.float32(0.5)) * np.float32(scale)


def raw(name, kind, rows, columns):
    """The bytes of a tensor, as [blocks, bytes]."""
    _, block, size = TYPES[kind]
    blocks = rows * columns // block
    if kind == "F32":
        return uniform(name, blocks, 0.125).view(np.uint8).reshape(blocks, 4)
    if kind == "F16":
        d = draws(name, blocks)
        return ((d & U(0x8000)) | (U(0x2000) + (d & U(0x7FF)))).astype(np.uint16).view(np.uint8).reshape(blocks, 2)
    data = (draws(name, blocks * size) & U(0xFF)).astype(np.uint8).reshape(blocks, size)
    half = lambda at, bits: data.__setitem__((slice(None), slice(at, at + 2)),
                                             (np.uint16(bits) + (data[:, at].astype(np.uint16))).view(np.uint8).reshape(blocks, 2))
    if kind == "Q4_0":
        half(0, 0x2000)
    elif kind == "Q8_0":
        half(0, 0x1000)
        data[:, 2:][data[:, 2:] == 0x80] = 0x81
    elif kind == "Q4_K":
        half(0, 0x0800)
        half(2, 0x0C00)
    elif kind == "Q6_K":
        half(208, 0x0200)
    return data


def f16(data, at):
    return data[:, at:at + 2].copy().view(np.float16).astype(np.float64)


def dequantised(data, kind, rows, columns):
    if kind == "F32":
        return data.reshape(-1).view(np.float32).astype(np.float64).reshape(rows, columns)
    if kind == "F16":
        return data.reshape(-1).view(np.float16).astype(np.float64).reshape(rows, columns)
    if kind == "Q8_0":
        w = f16(data, 0) * data[:, 2:].view(np.int8)
    elif kind == "Q4_0":
        w = f16(data, 0) * (np.hstack([data[:, 2:] & 15, data[:, 2:] >> 4]).astype(np.float64) - 8)
    elif kind == "Q4_K":
        s = data[:, 4:16].astype(np.int64)
        scale, least = [], []
        for j in range(8):
            if j < 4:
                scale.append(s[:, j] & 63)
                least.append(s[:, j + 4] & 63)
            else:
                scale.append((s[:, j + 4] & 15) | ((s[:, j - 4] >> 6) << 4))
                least.append((s[:, j + 4] >> 4) | ((s[:, j] >> 6) << 4))
        q = data[:, 16:].reshape(-1, 4, 32)
        parts = []
        for j in range(8):
            n = q[:, j // 2] & 15 if j % 2 == 0 else q[:, j // 2] >> 4
            parts.append(f16(data, 0) * scale[j][:, None] * n - f16(data, 2) * least[j][:, None])
        w = np.hstack(parts)
    else:
        low, high, scale = data[:, :128].astype(np.int64), data[:, 128:192].astype(np.int64), data[:, 192:208].view(np.int8)
        parts = []
        for h in range(2):
            ql, qh = low[:, 64 * h:64 * h + 64], high[:, 32 * h:32 * h + 32]
            for k in range(4):
                n = (ql[:, 32 * (k % 2):32 * (k % 2) + 32] >> (4 * (k // 2))) & 15
                n = (n | (((qh >> (2 * k)) & 3) << 4)) - 32
                sc = np.repeat(scale[:, 8 * h + 2 * k:8 * h + 2 * k + 2].astype(np.float64), 16, axis=1)
                parts.append(f16(data, 208) * sc * n)
        w = np.hstack(parts)
    return w.reshape(rows, columns)


def quantised(x, group):
    """Values and scale of groups of the last axis; single precision, as the rule has it."""
    x = x.astype(np.float32).reshape(x.shape[:-1] + (-1, group))
    most = np.abs(x).max(-1, keepdims=True)
    inverse = np.divide(np.float32(127), most, out=np.zeros_like(most), where=most > 0)
    return np.rint(x * inverse).astype(np.float64), most / np.float32(127)


class Matrix:
    def __init__(self, w, kind, rule):
        self.w, self.kind, self.rule = w, kind, rule
        if rule == "i8":
            q, s = quantised(w, w.shape[1])
            self.w = (q * s.astype(np.float64)).reshape(w.shape)

    def __call__(self, x):
        if self.rule == "i8":
            q, s = quantised(x, x.shape[-1])
            x = (q * s.astype(np.float64)).reshape(x.shape)
        elif self.rule == "q8" and self.kind not in ("F32", "F16"):
            q, s = quantised(x, 32)
            x = (q * s.astype(np.float16).astype(np.float64)).reshape(x.shape)
        return x @ self.w.T


def norm(x, w, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w


def rotated(x, positions, base, scale, factors, neighbours):
    """x [tokens, heads, head]."""
    half = x.shape[-1] // 2
    frequency = scale * base ** (-2.0 * np.arange(half) / x.shape[-1])
    if factors is not None:
        frequency = frequency / factors
    angle = positions[:, None] * frequency
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = (x[..., 0::2], x[..., 1::2]) if neighbours else (x[..., :half], x[..., half:])
    p, q = a * c - b * s, a * s + b * c
    return np.stack([p, q], -1).reshape(x.shape) if neighbours else np.concatenate([p, q], -1)


def logits(get, vector, tokens, layers, heads, key_heads, head, eps, rope, rule):
    """get(name) -> (weights, kind); vector(name) -> floats or None."""
    matrix = lambda name: Matrix(*get(name), rule)
    x = get("token_embd.weight")[0][tokens]
    n = len(tokens)
    positions = np.arange(n)
    mask = np.triu(np.full((n, n), -np.inf), 1)
    for i in range(layers):
        p = f"blk.{i}."
        h = norm(x, vector(p + "attn_norm.weight"), eps)
        q, k, v = (matrix(p + f"attn_{c}.weight")(h) for c in "qkv")
        if vector(p + "attn_q.bias") is not None:
            q, k, v = q + vector(p + "attn_q.bias"), k + vector(p + "attn_k.bias"), v + vector(p + "attn_v.bias")
        q, k, v = q.reshape(n, heads, head), k.reshape(n, key_heads, head), v.reshape(n, key_heads, head)
        if vector(p + "attn_q_norm.weight") is not None:
            q, k = norm(q, vector(p + "attn_q_norm.weight"), eps), norm(k, vector(p + "attn_k_norm.weight"), eps)
        q, k = rotated(q, positions, *rope), rotated(k, positions, *rope)
        k, v = np.repeat(k, heads // key_heads, 1), np.repeat(v, heads // key_heads, 1)
        a = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(head) + mask
        a = np.exp(a - a.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        x = x + matrix(p + "attn_output.weight")(np.einsum("hij,jhd->ihd", a, v).reshape(n, heads * head))
        h = norm(x, vector(p + "ffn_norm.weight"), eps)
        g = matrix(p + "ffn_gate.weight")(h)
        x = x + matrix(p + "ffn_down.weight")(g / (1 + np.exp(-g)) * matrix(p + "ffn_up.weight")(h))
    out = "output.weight" if get("output.weight") is not None else "token_embd.weight"
    return matrix(out)(norm(x, vector("output_norm.weight"), eps))


def random_model(family, kind, rule):
    q, k = HEADS * HEAD, KEY_HEADS * HEAD
    sizes = {"attn_q": (q, WIDTH), "attn_k": (k, WIDTH), "attn_v": (k, WIDTH), "attn_output": (WIDTH, q),
             "ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}
    cache = {}

    def get(name):
        if name == "output.weight" and family == "qwen2":
            return None  # tied to the embeddings
        if name not in cache:
            rows, columns = (VOCAB, WIDTH) if name in ("token_embd.weight", "output.weight") else sizes[name.split(".")[2]]
            cache[name] = dequantised(raw(f"{family}/{name}", kind, rows, columns), kind, rows, columns)
        return cache[name], kind

    def vector(name):
        part = name.split(".")
        if part[-1] == "bias":
            return uniform(f"{family}/{name}", sizes[part[2]][0], 0.5).astype(np.float64) if family == "qwen2" else None
        if part[-2] in ("attn_q_norm", "attn_k_norm"):
            return 1 + uniform(f"{family}/{name}", HEAD, 0.5).astype(np.float64) if family == "qwen3" else None
        return 1 + uniform(f"{family}/{name}", WIDTH, 0.5).astype(np.float64)

    factors = 1 + 7 * np.arange(HEAD // 2) / (HEAD // 2) if family == "llama3" else None
    if factors is not None:
        factors = factors.astype(np.float32).astype(np.float64)
    scale = 0.5 if family == "llama-linear" else 1.0
    base = 10000.0 if family.startswith("llama") else 1000000.0
    rope = (base, scale, factors, family.startswith("llama"))
    return logits(get, vector, TOKENS, LAYERS, HEADS, KEY_HEADS, HEAD, EPS, rope, rule)[SHOWN]


def read_gguf(path):
    """Keys that are numbers, and tensors, of the tiny assistant."""
    data = open(path, "rb").read()
    at = 24
    u64 = lambda: struct.unpack_from("<Q", data, at)[0]
    tensor_count, key_count = struct.unpack_from("<QQ", data, 8)
    keys, tensors = {}, {}
    sizes = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

    def value(kind):
        nonlocal at
        if kind == 8:
            n = u64()
            at += 8 + n
            return data[at - n:at]
        if kind == 9:
            inner, n = struct.unpack_from("<IQ", data, at)
            at += 12
            return [value(inner) for _ in range(n)]
        v = struct.unpack_from("<" + {4: "I", 5: "i", 6: "f", 7: "B"}[kind], data, at)[0]
        at += sizes[kind]
        return v

    for _ in range(key_count):
        name = value(8).decode()
        kind = struct.unpack_from("<I", data, at)[0]
        at += 4
        keys[name] = value(kind)
    infos = []
    for _ in range(tensor_count):
        name = value(8).decode()
        dims = struct.unpack_from("<I", data, at)[0]
        shape = struct.unpack_from(f"<{dims}Q", data, at + 4)
        kind, offset = struct.unpack_from("<IQ", data, at + 4 + 8 * dims)
        at += 16 + 8 * dims
        infos.append((name, shape, kind, offset))
    base = -(-at // 32) * 32
    for name, shape, kind, offset in infos:
        assert kind == 0, name
        n = int(np.prod(shape))
        tensors[name] = np.frombuffer(data, np.float32, n, base + offset).astype(np.float64).reshape(shape[::-1])
    return keys, tensors


def tiny(path, rule):
    keys, tensors = read_gguf(path)
    k = lambda name: keys["llama." + name]
    head = k("embedding_length") // k("attention.head_count")
    get = lambda name: (tensors[name], "F32") if name in tensors else None
    tokens = [1] + [int(t) % k("vocab_size") for t in draws("tiny", 11)]
    return logits(get, tensors.get, tokens, k("block_count"), k("attention.head_count"), k("attention.head_count_kv"), head,
                  k("attention.layer_norm_rms_epsilon"), (10000.0, 1.0, None, True), rule)[SHOWN]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tiny", required=True)
    options.add_argument("--out", required=True)
    args = options.parse_args()
    records = []
    for family in ("llama", "qwen2", "qwen3"):
        for kind in TYPES:
            for rule in ("exact", "i8") if kind in ("F32", "F16") else ("exact", "q8", "i8"):
                records.append((f"{family}/{kind}/{rule}", random_model(family, kind, rule)))
    for family in ("llama3", "llama-linear"):
        records.append((f"{family}/F32/exact", random_model(family, "F32", "exact")))
    for rule in ("exact", "i8"):
        records.append((f"tiny/F32/{rule}", tiny(args.tiny, rule)))
    with open(args.out, "wb") as out:
        for name, values in records:
            floats = values.astype("<f4").ravel()
            out.write(struct.pack("<B", len(name)) + name.encode() + struct.pack("<I", len(floats)) + floats.tobytes())
            print(f"{name}: {len(floats)} logits, largest {np.abs(floats).max():.3f}")


if __name__ == "__main__":
    main()
