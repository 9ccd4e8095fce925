"""A stand-in for GenieX's Python binding with the same surface: names, callback, streamer, profile, error codes.

The model's name is a JSON object that says what it does.
"""

import json
import os
import sys

print("geniex: a banner on standard output")
os.write(1, b"geniex: and one past Python\n")
sys.stderr.write("environment: %s\n" % ",".join(sorted(os.environ)))

__version__ = "stand-in"

from .modeling import GenieXLLM


class AutoModelForCausalLM:
    @classmethod
    def from_pretrained(cls, model, *, device_map="auto", n_ctx=0, **_):
        script = json.loads(model)
        if script.get("load_error"):
            from .modeling import GeniexError

            raise GeniexError(script["load_error"])
        sys.stderr.write("n_ctx: %d\n" % n_ctx)
        return GenieXLLM(script)
