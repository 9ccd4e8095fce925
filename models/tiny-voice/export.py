#!/usr/bin/env python3
"""Writes the tiny voice as ONNX, in the two-file layout of Piper's voices that Portal reads.

    python3 export.py --work DIR [--out .]

encoder.onnx, decoder.onnx and config.json, from DIR/checkpoint.pt. Needs Debian's python3-onnx.
"""

import argparse
import json
import pathlib

import onnx
import torch

from network import CHANNELS, RATE, SYMBOLS, Decoder, Encoder, Speaker

ALIASES = {"ə": "ʌ", "ɐ": "ʌ", "ᵻ": "ɪ", "ɜ": "ɚ", "ɾ": "d", "r": "ɹ", "g": "ɡ", "ɫ": "l", "ɒ": "ɑ", "a": "a", "o": "o",
           ".": None, "?": None, "!": None, ";": ",", ":": ",", ",": ","}
"""Symbols of espeak-ng that the voice does not know, and what comes nearest."""


def export(module, inputs, path, names, results, axes):
    with torch.no_grad():
        torch.onnx.export(module, inputs, str(path), input_names=names, output_names=results, dynamic_axes=axes,
                          opset_version=13)
    model = onnx.load(str(path))
    model.producer_name, model.producer_version, model.graph.name = "portal tiny-voice", "", path.stem
    for node in model.graph.node:
        node.doc_string = ""
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    print(path, path.stat().st_size)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--out", default=".")
    a = p.parse_args()
    state = torch.load(pathlib.Path(a.work) / "checkpoint.pt", map_location="cpu")
    encoder, decoder = Encoder(), Decoder()
    encoder.load_state_dict(state["encoder"])
    decoder.load_state_dict(state["decoder"])
    out = pathlib.Path(a.out)
    out.mkdir(parents=True, exist_ok=True)
    ids = torch.tensor([[1, 5, 6, 7, 8, 9, 2]])
    export(Speaker(encoder).eval(), (ids, torch.tensor([7]), torch.tensor([0.0, 1.0, 0.0])), out / "encoder.onnx",
           ["input", "input_lengths", "scales"], ["z"], {"input": {1: "symbols"}, "z": {2: "frames"}})
    z = torch.rand(1, CHANNELS, 30)
    export(decoder.eval(), (z,), out / "decoder.onnx", ["z"], ["output"], {"z": {2: "frames"}, "output": {2: "samples"}})
    numbers = {s: [i] for i, s in enumerate(SYMBOLS)}
    numbers["_"] = []
    for symbol, like in ALIASES.items():
        numbers[symbol] = [SYMBOLS.index(like)] if like else []
    config = {"audio": {"sample_rate": RATE}, "espeak": {"voice": "en-us"}, "phoneme_type": "cmudict",
              "inference": {"noise_scale": 0, "length_scale": 1, "noise_w": 0}, "num_speakers": 1,
              "phoneme_id_map": numbers}
    (out / "config.json").write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
