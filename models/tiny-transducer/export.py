#!/usr/bin/env python3
"""Writes the tiny transducer as ONNX, in the file layout of sherpa-onnx's streaming transducers.

    python3 export.py --work DIR [--out .] [--blank-penalty 2]

encoder.onnx, decoder.onnx, joiner.onnx and tokens.txt, from the averaged weights of DIR/checkpoint.pt. Every shape is
fixed, so that an NPU can take them. The blank's bias is lowered by the penalty: a short training leaves words out. Needs Debian's python3-onnx.
"""

import argparse
import pathlib

import onnx
import torch
import torch.nn as nn

from network import BANDS, CHUNK, CONTEXT, KERNEL, LAYERS, SPAN, WIDTH, Transducer


class Newest(nn.Module):
    """The decoder as the layout has it: [1, CONTEXT] to [1, WIDTH]."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, y):
        return self.decoder(y).squeeze(1)


def export(module, inputs, path, names, results, metadata):
    torch.onnx.export(module, inputs, str(path), input_names=names, output_names=results, opset_version=13)
    model = onnx.load(str(path))
    model.producer_name = "portal tiny-transducer"
    model.producer_version = ""
    model.graph.name = path.stem
    model.graph.doc_string = model.doc_string = ""
    for node in model.graph.node:
        node.doc_string = ""
    for key, value in metadata.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, str(value)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    print(path, path.stat().st_size)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--work", required=True)
    p.add_argument("--out", default=".")
    p.add_argument("--blank-penalty", type=float, default=2)
    a = p.parse_args()
    state = torch.load(pathlib.Path(a.work) / "checkpoint.pt", map_location="cpu")
    pieces = state["pieces"]
    model = Transducer(len(pieces))
    model.load_state_dict(state["average"])
    model.eval()
    with torch.no_grad():
        model.joiner.output.bias[0] -= a.blank_penalty
    out = pathlib.Path(a.out)
    out.mkdir(parents=True, exist_ok=True)
    states = [f"cached_conv_{i}" for i in range(LAYERS)]
    with torch.no_grad():
        export(model.encoder, (torch.zeros(1, SPAN, BANDS), *model.encoder.zeros(1)), out / "encoder.onnx", ["x"] + states,
               ["encoder_out"] + [f"new_{s}" for s in states],
               {"model_type": "causal-convolution", "version": 1, "model_author": "portal", "T": SPAN,
                "decode_chunk_len": CHUNK, "num_encoder_layers": LAYERS, "encoder_dims": WIDTH,
                "cnn_module_kernels": KERNEL})
        export(Newest(model.decoder), (torch.zeros(1, CONTEXT, dtype=torch.long),), out / "decoder.onnx", ["y"],
               ["decoder_out"], {"context_size": CONTEXT, "vocab_size": len(pieces)})
        export(model.joiner, (torch.zeros(1, WIDTH), torch.zeros(1, WIDTH)), out / "joiner.onnx",
               ["encoder_out", "decoder_out"], ["logit"], {"joiner_dim": WIDTH})
    (out / "tokens.txt").write_text("".join(f"{piece} {i}\n" for i, piece in enumerate(pieces)))


if __name__ == "__main__":
    main()
