"""GenieX behind the bridge protocol: one JSON object a line on stdin and stdout, free text on stderr.

Run as `python -I -u bridge.py --venv DIR`. The main thread reads requests, so that cancel, pause and status are
answered while the worker thread decodes. Standard library and geniex only.
"""

import os
import sys

# stdout belongs to the protocol: keep it under another number, and let everything that prints reach stderr. Before any
# import that could print.
PROTOCOL_FD = os.dup(1)
os.dup2(2, 1)

import codecs
import glob
import json
import queue
import site
import threading

PROTOCOL = 1
MAX_LINE_BYTES = 1 << 20
CANCELLED, BUSY, NOT_READY, CONTEXT_LENGTH = -32800, -32001, -32002, -32003
PROMPT_TOO_LONG, BACKEND, OUT_OF_MEMORY = -32004, -32005, -32006
# GenieX's codes that have one of their own in the protocol.
GENIEX_CODES = {
    -100003: OUT_OF_MEMORY,
    -100007: NOT_READY,
    -200004: CONTEXT_LENGTH,
    -200103: PROMPT_TOO_LONG,
}
STOP_REASONS = {"length": "length", "context_length": "length"}


class BridgeError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code = code
        self.data = data or {}


class Wire:
    """Writes whole lines, from either thread."""

    def __init__(self, fd):
        self._out = os.fdopen(fd, "wb", buffering=0)
        self._lock = threading.Lock()

    def send(self, **fields):
        line = json.dumps({"jsonrpc": "2.0", **fields}, ensure_ascii=False, separators=(",", ":"))
        data = line.encode("utf-8", "replace") + b"\n"
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[self._out.write(view) :]

    def result(self, id, /, **result):
        self.send(id=id, result=result)

    def error(self, id, code, message, data=None):
        self.send(id=id, error={"code": code, "message": message, "data": data or {}})

    def notify(self, method, /, **params):
        self.send(method=method, params=params)


class Generation:
    """One answer: the state that the reader and the decoding thread share."""

    def __init__(self, wire, id):
        self.id = id
        self._wire = wire
        self._gate = threading.Condition()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._cancelled = False
        self._pause_requests = []
        self._pause_wanted = False
        self._paused = False
        self.done = False
        self.tokens = 0
        self.sent = 0
        self.text = ""

    @property
    def paused(self):
        return self._paused

    def cancel(self):
        with self._gate:
            self._cancelled = True
            self._gate.notify_all()

    @property
    def cancelled(self):
        return self._cancelled

    def pause(self, request):
        """Answered from the decoding thread, at the next token."""
        with self._gate:
            if self.done:
                self._wire.error(request, -32602, "not running")
            elif self._paused:
                self._wire.result(request, tokens=self.tokens)
            else:
                self._pause_wanted = True
                self._pause_requests.append(request)

    def resume(self, request):
        with self._gate:
            self._pause_wanted = False
            self._answer_pauses()
            self._wire.result(request, tokens=self.tokens)
            self._gate.notify_all()

    def token(self, data):
        """Takes one token's bytes on the decoding thread; blocks while paused. False stops the decoding."""
        self.tokens += 1
        self._emit(self._decoder.decode(data))
        with self._gate:
            if self._pause_wanted and not self._cancelled:
                self._paused = True
                self._answer_pauses()
                while self._pause_wanted and not self._cancelled:
                    self._gate.wait()
                self._paused = False
            return not self._cancelled

    def finish(self):
        """Sends what the decoder still holds, and lets nobody wait for a pause."""
        if not self._cancelled:
            self._emit(self._decoder.decode(b"", final=True))
        with self._gate:
            self.done = True
            for request in self._pause_requests:
                self._wire.error(request, -32602, "not running")
            self._pause_requests = []

    def _answer_pauses(self):
        for request in self._pause_requests:
            self._wire.result(request, tokens=self.tokens)
        self._pause_requests = []

    def _emit(self, text):
        # Whole characters only; none after a cancel.
        if text and not self._cancelled:
            self._wire.notify("token", id=self.id, seq=self.sent, text=text, n=self.tokens)
            self.sent += 1
            self.text += text


class GenieX:
    """The model. Streams through a callback of our own where the binding lets us put one in.

    The binding's streamer decodes every token by itself, which breaks a character that two tokens share, and it cannot
    be held. Its callback gets the bytes and blocks the decoder: with it there is pause, exact text and prompt cancel.
    """

    def __init__(self, model, n_ctx, device, log):
        import geniex

        self.version = str(getattr(geniex, "__version__", "unknown"))
        self._log = log
        self._llm = geniex.AutoModelForCausalLM.from_pretrained(
            model, n_ctx=n_ctx, **({"device_map": device} if device else {})
        )
        self._current = None
        self.can_pause = self._take_over_callback()

    def _take_over_callback(self):
        try:
            import geniex.modeling as modeling

            base = modeling.TextIteratorStreamer
            base._make_callback
        except (ImportError, AttributeError):
            self._log("warning", "this geniex has no token callback that can be replaced: no pause")
            return False
        outer = self

        class Streamer(base):
            def _make_callback(self):
                generation = outer._current
                callback_type = type(super()._make_callback())

                def on_token(data, _user):
                    return generation.token(data) if data is not None else True

                self._portal_callback = callback_type(on_token)
                return self._portal_callback

        modeling.TextIteratorStreamer = Streamer
        return True

    def generate(self, generation, params):
        self._current = generation
        prompt = params.get("prompt")
        if prompt is None:
            prompt = self._llm.tokenizer.apply_chat_template(params["messages"], add_generation_prompt=True)
        temperature = float(params.get("temperature", 0))
        streamer = self._llm.generate(
            prompt,
            max_new_tokens=int(params.get("max_tokens", 128)),
            # To GenieX a temperature of 0 is "the model's default"; one candidate is what greedy means.
            temperature=temperature,
            top_p=float(params.get("top_p", 1)),
            top_k=int(params.get("top_k", 0)) if temperature > 0 else 1,
            seed=int(params.get("seed", 0)) & 0x7FFFFFFF,
            stop=list(params.get("stop", [])),
            stream=True,
        )
        cancel = getattr(streamer, "cancel", lambda: None)
        for chunk in streamer:
            if not self.can_pause and not generation.token(chunk.encode("utf-8")):
                cancel()
        generation.finish()
        return streamer.output

    def reset(self):
        self._llm.reset()


class Bridge:
    def __init__(self, wire):
        self._wire = wire
        self._work = queue.Queue()
        self._model = None
        self._state = "loading"
        self._n_ctx = 0
        self._current = None
        self._lock = threading.Lock()

    def serve(self, lines):
        worker = threading.Thread(target=self._run, daemon=True)
        worker.start()
        while True:
            line = lines.readline(MAX_LINE_BYTES + 2)
            if not line:
                return
            if len(line) > MAX_LINE_BYTES + 1 and not line.endswith(b"\n"):
                self._wire.error(None, -32700, "a line longer than 1 MiB")
                return
            if line.strip() and not self._take(line):
                return

    def _take(self, line):
        """Handles one line on the reader's thread; False after shutdown."""
        try:
            message = json.loads(line.decode("utf-8"))
        except ValueError as e:
            self._wire.error(None, -32700, "not JSON: %s" % e)
            return True
        method = message.get("method") if isinstance(message, dict) else None
        if not isinstance(method, str):
            self._wire.error(None, -32600, "no method")
            return True
        id = message.get("id")
        params = message.get("params") or {}
        if method == "shutdown":
            self._wire.result(id)
            return False
        if method == "ping":
            self._wire.result(id)
        elif method == "status":
            self._status(id)
        elif method == "cancel":
            self._on_current(params, lambda generation: generation.cancel(), lambda: None)
        elif method == "pause" and self._model is not None and self._model.can_pause:
            self._on_current(params, lambda g: g.pause(id), lambda: self._wire.error(id, -32602, "not running"))
        elif method == "resume" and self._model is not None and self._model.can_pause:
            self._on_current(params, lambda g: g.resume(id), lambda: self._wire.error(id, -32602, "not running"))
        elif method == "initialize":
            self._work.put((self._initialize, id, params))
        elif method == "generate":
            self._accept(id, params)
        elif method == "reset":
            with self._lock:
                busy = self._current is not None
            if busy:
                self._wire.error(id, BUSY, "no reset while generating")
            else:
                self._work.put((self._reset, id, params))
        else:
            self._wire.error(id, -32601, "no method '%s' here" % method)
        return True

    def _on_current(self, params, found, otherwise):
        with self._lock:
            generation = self._current
        if generation is not None and generation.id == params.get("id"):
            found(generation)
        else:
            otherwise()

    def _accept(self, id, params):
        with self._lock:
            if self._model is None:
                refusal = (NOT_READY, "not initialised")
            elif self._current is not None:
                refusal = (BUSY, "'%s' is being answered" % self._current.id)
            else:
                refusal = None
                self._current = Generation(self._wire, id)
        if refusal:
            self._wire.error(id, *refusal)
        else:
            self._work.put((self._generate, id, params))

    def _run(self):
        while True:
            action, id, params = self._work.get()
            try:
                action(id, params)
            except BridgeError as e:
                self._wire.error(id, e.code, str(e), e.data)
            except MemoryError as e:
                self._wire.error(id, OUT_OF_MEMORY, "out of memory: %s" % e)
            except Exception as e:  # whatever the runtime throws becomes the request's error
                geniex_code = getattr(e, "code", None)
                code = GENIEX_CODES.get(geniex_code, BACKEND)
                self._wire.error(id, code, "%s: %s" % (type(e).__name__, e), {"geniex_code": geniex_code})

    def _initialize(self, id, params):
        self._n_ctx = int(os.environ.get("GENIEX_N_CTX") or os.environ.get("GENIEX_NCTX") or params.get("n_ctx", 512))
        self._model = GenieX(
            params.get("model", ""),
            self._n_ctx,
            params.get("device", ""),
            lambda level, message: self._wire.notify("log", level=level, message=message),
        )
        self._state = "idle"
        self._wire.result(
            id,
            protocol=PROTOCOL,
            n_ctx=self._n_ctx,
            model=params.get("model", ""),
            capabilities={"stream": True, "cancel": True, "pause": self._model.can_pause, "kvSave": False},
            pid=os.getpid(),
            versions={"geniex": self._model.version, "python": sys.version.split()[0]},
        )

    def _generate(self, id, params):
        generation = self._current
        try:
            self._wire.notify("state", state="generating")
            output = self._model.generate(generation, params)
        except Exception:
            # A cancelled generation may end in the runtime's own error.
            if not generation.cancelled:
                raise
        finally:
            generation.finish()
            with self._lock:
                self._current = None
        if generation.cancelled:
            data = {"text": generation.text, "tokens": generation.tokens}
            raise BridgeError(CANCELLED, "cancelled", data)
        profile = output.profile
        self._wire.result(
            id,
            text=generation.text,
            finish_reason=STOP_REASONS.get(profile.stop_reason, "stop"),
            usage={
                "prompt_tokens": profile.prompt_tokens,
                "completion_tokens": profile.generated_tokens,
                "cached_tokens": 0,
            },
            timings_us={"ttft": profile.ttft, "prompt": profile.prompt_time, "decode": profile.decode_time},
        )

    def _reset(self, id, params):
        if self._model is None:
            raise BridgeError(NOT_READY, "not initialised")
        self._model.reset()
        self._wire.result(id)

    def _status(self, id):
        with self._lock:
            generation = self._current
        state = self._state
        if generation is not None:
            state = "paused" if generation.paused else "generating"
        self._wire.result(
            id,
            state=state,
            id=generation.id if generation else "",
            n_past=generation.tokens if generation else 0,
            n_ctx=self._n_ctx,
        )


def add_venv(venv):
    folders = glob.glob(os.path.join(venv, "lib", "python3*", "site-packages"))
    for folder in folders:
        site.addsitedir(folder)
    if not folders:
        sys.exit("no site-packages in %s: is it a virtual environment?" % venv)


def main(arguments):
    if len(arguments) != 2 or arguments[0] != "--venv":
        sys.exit("usage: bridge.py --venv DIR")
    add_venv(arguments[1])
    Bridge(Wire(PROTOCOL_FD)).serve(sys.stdin.buffer)
    # A decoding thread must not hold the process; the DSP session ends with it.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
