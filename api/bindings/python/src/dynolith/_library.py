"""The C face, by ctypes: the only module that knows it."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import threading
from typing import Any

_NAME = "libdynolith.so.0"
_SIZE = ctypes.c_size_t


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


class DynolithError(Exception):
    """What the library says of everything but calls, whose errors are the SDK's.

    ``kind`` is the canonical code or the service's exception, for example ``"NotFound"``; ``message`` is for people.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


class Answer:
    """What a call has come to."""

    __slots__ = ("status", "body", "headers", "delay", "is_dropped")

    def __init__(self, response: _Response) -> None:
        self.status: int = response.status
        self.body: bytes = ctypes.string_at(response.body, response.body_size) if response.body_size else b""
        self.headers: dict[str, str] = {
            "Content-Type": (response.content_type or b"").decode(),
            "x-amzn-RequestId": response.request_id.decode(),
            "x-amz-crc32": str(response.crc32),
        }
        self.delay: float = response.delay_nanoseconds / 1e9
        self.is_dropped: bool = bool(response.is_dropped)


def _places() -> list[str]:
    named = os.environ.get("DYNOLITH_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve().parent
    beside = [here / _NAME, *(folder / "build" / "api" / "c" / _NAME for folder in here.parents[4:5])]
    return [str(path) for path in beside if path.exists()] + [_NAME]


class Library:
    """The loaded library. Functions release the interpreter's lock while they run."""

    def __init__(self, places: list[str]) -> None:
        problems = []
        for place in places:
            try:
                self._c = ctypes.CDLL(place)
                break
            except OSError as problem:
                problems.append(str(problem))
        else:
            raise ImportError(f"{_NAME} was not found; DYNOLITH_LIBRARY may say where it is: " + "; ".join(problems))
        self._declare()
        # Each thread has a response, whose memory is used again.
        self._own = threading.local()

    def _declare(self) -> None:
        text = [ctypes.c_char_p, _SIZE]
        database, response = ctypes.c_void_p, ctypes.POINTER(_Response)
        for name, result, arguments in (
            ("version", ctypes.c_char_p, []),
            ("open", ctypes.c_void_p, [*text, ctypes.POINTER(ctypes.c_void_p)]),
            ("region", ctypes.c_void_p, [database, *text, ctypes.POINTER(ctypes.c_void_p)]),
            ("close", None, [database]),
            ("call_as", None, [database, *text * 4, response]),
            ("admin", None, [database, ctypes.c_char_p, *text * 2, response]),
            ("checkpoint", ctypes.c_void_p, [database, *text]),
            ("snapshot", ctypes.c_void_p, [database, *text]),
            ("restore", ctypes.c_void_p, [database, *text]),
            ("remove_snapshot", ctypes.c_void_p, [database, *text]),
            ("fork", ctypes.c_void_p, [database, *text * 2, ctypes.POINTER(ctypes.c_void_p)]),
            ("response_free", None, [response]),
            ("error_kind", ctypes.c_char_p, [ctypes.c_void_p]),
            ("error_message", ctypes.c_char_p, [ctypes.c_void_p]),
            ("error_free", None, [ctypes.c_void_p]),
        ):
            function = getattr(self._c, f"dynolith_{name}")
            function.restype, function.argtypes = result, arguments

    def version(self) -> str:
        version: bytes = self._c.dynolith_version()
        return version.decode()

    def _check(self, error: int | None) -> None:
        if not error:
            return
        kind, message = self._c.dynolith_error_kind(error), self._c.dynolith_error_message(error)
        self._c.dynolith_error_free(error)
        raise DynolithError(kind.decode(), message.decode(errors="replace"))

    def open(self, options: bytes) -> int:
        handle = ctypes.c_void_p()
        self._check(self._c.dynolith_open(options, len(options), ctypes.byref(handle)))
        return handle.value  # type: ignore[return-value]

    def region(self, handle: int, region: bytes) -> int:
        opened = ctypes.c_void_p()
        self._check(self._c.dynolith_region(handle, region, len(region), ctypes.byref(opened)))
        return opened.value  # type: ignore[return-value]

    def close(self, handle: int) -> None:
        self._c.dynolith_close(handle)

    def call(self, handle: int, target: bytes, body: bytes, access_key: bytes, host: bytes) -> Answer:
        response = self._response()
        self._c.dynolith_call_as(handle, target, len(target), body, len(body), access_key, len(access_key), host, len(host),
                                 ctypes.byref(response))
        return Answer(response)

    def admin(self, handle: int, method: bytes, path: bytes, body: bytes) -> Answer:
        response = self._response()
        self._c.dynolith_admin(handle, method, path, len(path), body, len(body), ctypes.byref(response))
        return Answer(response)

    def with_text(self, function: str, handle: int, text: bytes) -> None:
        """``checkpoint``, ``snapshot``, ``restore`` and ``remove_snapshot``."""
        self._check(getattr(self._c, f"dynolith_{function}")(handle, text, len(text)))

    def fork(self, handle: int, snapshot: bytes, path: bytes) -> int:
        fork = ctypes.c_void_p()
        self._check(self._c.dynolith_fork(handle, snapshot, len(snapshot), path, len(path), ctypes.byref(fork)))
        return fork.value  # type: ignore[return-value]

    def _response(self) -> _Response:
        kept: _KeptResponse | None = getattr(self._own, "kept", None)
        if kept is None:
            kept = self._own.kept = _KeptResponse(self._c.dynolith_response_free)
        return kept.response


class _KeptResponse:
    """A thread's; goes with it."""

    def __init__(self, free: Any) -> None:
        self.response = _Response()
        self._free = free

    def __del__(self) -> None:
        self._free(ctypes.byref(self.response))


_loaded: Library | None = None
_loading = threading.Lock()


def _renew_lock() -> None:
    """In a child of a fork, where a thread that it does not have may hold the parent's."""
    global _loading  # pylint: disable=global-statement
    _loading = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


def library() -> Library:
    """The library, loaded at the first call. ImportError says where it was looked for."""
    global _loaded  # pylint: disable=global-statement
    with _loading:
        if _loaded is None:
            _loaded = Library(_places())
        return _loaded
