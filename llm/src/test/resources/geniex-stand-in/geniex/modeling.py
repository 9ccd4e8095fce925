import threading
import time
import types

from .streamer import TextIteratorStreamer


class GeniexError(Exception):
    def __init__(self, code):
        super().__init__("GeniexError(%d)" % code)
        self.code = code


class Tokenizer:
    def apply_chat_template(self, messages, add_generation_prompt=True):
        return "".join("%s: %s\n" % (m["role"], m["content"]) for m in messages)


class GenieXLLM:
    def __init__(self, script):
        self._script = script
        self.tokenizer = Tokenizer()
        self.resets = 0

    def reset(self):
        self.resets += 1

    def generate(self, prompt, *, max_new_tokens, temperature, top_p, top_k, seed, stop, stream):
        script = self._script
        streamer = TextIteratorStreamer()
        callback = streamer._make_callback()

        def run():
            if script.get("error"):
                raise GeniexError(script["error"])
            began = time.monotonic()
            made = 0
            # A token is hexadecimal, so that it may hold half a character.
            for token in script["tokens"][:max_new_tokens]:
                time.sleep(script.get("gap_s", 0.001))
                made += 1
                if not callback(bytes.fromhex(token), None):
                    raise GeniexError(-100006)
            took = int((time.monotonic() - began) * 1e6)
            profile = types.SimpleNamespace(
                ttft=1000,
                prompt_time=900,
                decode_time=took,
                prompt_tokens=len(prompt.split()),
                generated_tokens=made,
                stop_reason="length" if made == max_new_tokens else "eos",
            )
            return types.SimpleNamespace(text="", profile=profile)

        streamer.start(run)
        return streamer
