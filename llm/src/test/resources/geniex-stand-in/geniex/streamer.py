import ctypes
import queue
import threading

token_callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, ctypes.c_void_p)
END = object()


class TextIteratorStreamer:
    def __init__(self):
        self._queue = queue.Queue()
        self.output = None
        self._error = None

    def _make_callback(self):
        def each(token, _user):
            self._queue.put(token.decode("utf-8", "replace"))
            return True

        self._callback = token_callback(each)
        return self._callback

    def start(self, work):
        def run():
            try:
                self.output = work()
            except BaseException as e:
                self._error = e
            finally:
                self._queue.put(END)

        threading.Thread(target=run, daemon=True).start()

    def __iter__(self):
        while True:
            item = self._queue.get()
            if item is END:
                break
            yield item
        if self._error is not None:
            raise self._error
