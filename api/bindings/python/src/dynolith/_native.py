"""The C face of the native library, by ctypes."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from . import _under_way
from ._face import DATABASE, ERROR, FUNCTIONS, MADE, RESPONSE, TEXT, WORD, Answer, DynolithError, Library, Word


class _Response(ctypes.Structure):
    """dynolith_response, as in dynolith/dynolith.h."""

    _fields_ = [
        ("status", ctypes.c_int32),
        ("crc32", ctypes.c_uint32),
        ("body", ctypes.c_void_p),
        ("body_size", ctypes.c_size_t),
        ("error", ctypes.c_char_p),
        ("content_type", ctypes.c_char_p),
        ("delay_nanoseconds", ctypes.c_int64),
        ("is_dropped", ctypes.c_int32),
        ("request_id", ctypes.c_char * 56),
        ("memory", ctypes.c_void_p),
    ]


_TYPES: dict[str | None, list[Any]] = {
    None: [None], TEXT: [ctypes.c_char_p, ctypes.c_size_t], WORD: [ctypes.c_char_p], DATABASE: [ctypes.c_void_p],
    RESPONSE: [ctypes.POINTER(_Response)], MADE: [ctypes.POINTER(ctypes.c_void_p)], ERROR: [ctypes.c_void_p],
}


_ANSWERED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Response))


def _tell(number: int | None, response: Any) -> None:
    """On a thread of a database's."""
    _under_way.end(number or 0, lambda: _answer(response.contents))


_answered = _ANSWERED(_tell)


class NativeLibrary(Library):
    """A loaded library. Functions release the interpreter's lock while they run. OSError: it cannot be loaded."""

    can_begin = True

    def __init__(self, place: str) -> None:
        loaded = ctypes.CDLL(place)
        self._c: dict[str, Any] = {}
        for name, (arguments, result) in FUNCTIONS.items():
            function = self._c[name] = getattr(loaded, f"dynolith_{name}")
            function.argtypes = [each for kind in arguments for each in _TYPES[kind]]
            function.restype = _TYPES[result][0]
        self._call = self._c["call_as"]
        self._begin = loaded.dynolith_call_async
        self._begin.argtypes = [*_TYPES[DATABASE], *_TYPES[TEXT], *_TYPES[TEXT], _ANSWERED, ctypes.c_void_p]
        self._begin.restype = ctypes.c_void_p
        # Each thread has a response, whose memory is used again.
        self._own = threading.local()

    def version(self) -> str:
        version: bytes = self._c["version"]()
        return version.decode()

    def close(self, handle: int) -> None:
        self._c["close"](handle)

    def _do(self, function: str, *arguments: int | bytes) -> None:
        self._check(self._c[function](*_in_c(arguments)))

    def _make(self, function: str, *arguments: int | bytes) -> int:
        made = ctypes.c_void_p()
        self._check(self._c[function](*_in_c(arguments), ctypes.byref(made)))
        return made.value  # type: ignore[return-value]

    def _ask(self, function: str, *arguments: int | bytes) -> Answer:
        response = self._response()
        self._c[function](*_in_c(arguments), ctypes.byref(response))
        return _answer(response)

    def call(self, handle: int, target: bytes, body: bytes, access_key: bytes, host: bytes) -> Answer:
        # Nearly all that is asked, so without the loop.
        response = self._response()
        self._call(handle, target, len(target), body, len(body), access_key, len(access_key), host, len(host),
                   ctypes.byref(response))
        return _answer(response)

    def begin(self, handle: int, target: bytes, body: bytes, answered: Callable[[Answer], None]) -> None:
        number = _under_way.begin(answered)
        try:
            self._check(self._begin(handle, target, len(target), body, len(body), _answered, number))
        except BaseException:
            _under_way.forget(number)
            raise

    def _check(self, error: int | None) -> None:
        if not error:
            return
        kind, message = self._c["error_kind"](error), self._c["error_message"](error)
        self._c["error_free"](error)
        raise DynolithError(kind.decode(), message.decode(errors="replace"))

    def _response(self) -> _Response:
        kept: _KeptResponse | None = getattr(self._own, "kept", None)
        if kept is None:
            kept = self._own.kept = _KeptResponse(self._c["response_free"])
        return kept.response


def _answer(response: _Response) -> Answer:
    return Answer(response.status, ctypes.string_at(response.body, response.body_size) if response.body_size else b"",
                  (response.content_type or b"").decode(), response.request_id.decode(), response.crc32,
                  response.delay_nanoseconds / 1e9, bool(response.is_dropped))


def _in_c(arguments: tuple[int | bytes, ...]) -> list[int | bytes]:
    """Each text is followed by its size; a word is not."""
    given: list[int | bytes] = []
    for argument in arguments:
        given.append(argument)
        if type(argument) not in (int, Word):
            given.append(len(argument))  # type: ignore[arg-type]
    return given


class _KeptResponse:
    """A thread's; goes with it."""

    def __init__(self, free: Any) -> None:
        self.response = _Response()
        self._free = free

    def __del__(self) -> None:
        self._free(ctypes.byref(self.response))
