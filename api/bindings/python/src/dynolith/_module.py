"""The C face of the WebAssembly module (tools/package/wasm), by wasmtime: on every machine that has no native library.

One call runs at a time, whichever thread makes it. A trap ends the module, as what it was doing is half done.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import threading
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from ._face import FUNCTIONS, Answer, DynolithError, Library, Word

try:
    import wasmtime

    from ._compiled import compiled
except (ImportError, OSError, RuntimeError) as absent:  # also of a machine that it does not know
    raise ImportError(f"dynolith.wasm needs the package wasmtime (pip install wasmtime): {absent}") from absent

# dynolith_response where pointers have 4 bytes: status, crc32, body, its size, error, content type, delay, is_dropped, id, memory.
_RESPONSE = struct.Struct("<iIIIIIqi56sI")
# Bytes that are kept for texts of calls; longer ones get memory of their own.
_KEPT_BYTES = 64 << 10
_PLACE_BYTES = 4
_ADDRESSES = 1 << 32
# What the module has besides the face.
_OWN = ("malloc", "free", "dynolith_do_due_work", "dynolith_end_reason")

# All that this process does with wasmtime. A fork waits for it, and so a child finds nothing half done. The same thread may come
# again, as whatever it does here may collect a database, whose end is a call that uses none of the places below.
_lock = threading.RLock()


def _begin_child() -> None:
    global _lock  # pylint: disable=global-statement
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    # pylint: disable-next=unnecessary-lambda
    os.register_at_fork(before=lambda: _lock.acquire(), after_in_parent=lambda: _lock.release(), after_in_child=_begin_child)

_engine: wasmtime.Engine | None = None
_codes: dict[str, wasmtime.Module] = {}  # of files, whose code a child of a fork has, too


def _code(place: str) -> wasmtime.Module:
    global _engine  # pylint: disable=global-statement
    if _engine is None:
        _engine = _kept_alive(wasmtime.Engine())
    if place not in _codes:
        _codes[place] = _kept_alive(compiled(_engine, place))
    return _codes[place]


def _kept_alive(thing: Any) -> Any:
    """Until the process ends, when wasmtime's finalizers would come after what they need has gone."""
    if hasattr(ctypes, "pythonapi"):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    return thing


class ModuleLibrary(Library):
    """An instance of the module in a file, and the databases in it."""

    can_wait = False
    survives_fork = False

    def __init__(self, place: str, reason: str) -> None:
        """``reason``: why there is no native library, for errors of what only that can do."""
        self._reason = reason
        self._process = os.getpid()
        self._end = ""
        with _lock:
            code = _code(place)
            linker = wasmtime.Linker(code_engine := _engine)  # type: ignore[arg-type]
            linker.define_wasi()
            self._store: wasmtime.Store = _kept_alive(wasmtime.Store(code_engine))
            wasi = wasmtime.WasiConfig()
            wasi.inherit_stderr()
            self._store.set_wasi(wasi)
            exports: Any = linker.instantiate(self._store, code).exports(self._store)
            self._memory: wasmtime.Memory = exports["memory"]
            self._c = {name: _function(self._store, exports[name]) for name in _OWN}
            for name, (arguments, result) in FUNCTIONS.items():
                self._c[name] = _function(self._store, exports[f"dynolith_{name}"])
            exports["_initialize"](self._store)
            self._response = self._allot(_RESPONSE.size + _PLACE_BYTES + _KEPT_BYTES)
            ctypes.memset(self._base() + self._response, 0, _RESPONSE.size)
            self._place = self._response + _RESPONSE.size
            self._kept = self._place + _PLACE_BYTES

    @property
    def has_ended(self) -> bool:  # type: ignore[override]
        return bool(self._end)

    def version(self) -> str:
        with _lock:
            return self._text(self._call("version", []))

    def close(self, handle: int) -> None:
        if self._is_forked() or self._end:
            return
        with _lock:
            self._call("close", [handle])

    def _do(self, function: str, *arguments: int | bytes) -> None:
        self._check_process()
        with _lock:
            self._run(function, arguments)

    def _make(self, function: str, *arguments: int | bytes) -> int:
        self._check_process()
        with _lock:
            self._run(function, arguments, self._place)
            return int.from_bytes(ctypes.string_at(self._base() + self._place, _PLACE_BYTES), "little")

    def _ask(self, function: str, *arguments: int | bytes) -> Answer:
        if self._is_forked():
            return self._refused(function)
        with _lock:
            self._run(function, arguments, self._response)
            base = self._base()
            status, crc32, body, size, _, content_type, delay, is_dropped, request_id, _ = _RESPONSE.unpack(
                ctypes.string_at(base + self._response, _RESPONSE.size))
            return Answer(status, ctypes.string_at(base + body, size) if size else b"", self._text(content_type),
                          request_id.rstrip(b"\0").decode(), crc32, delay / 1e9, bool(is_dropped))

    # --- one call

    def _run(self, function: str, arguments: Sequence[int | bytes], *places: int) -> None:
        """With texts as they are in Python. Raises what the function returns, if that is an error."""
        # While no call uses a database, for whose end some of it waits.
        self._call("dynolith_do_due_work", [])
        texts = b"\0".join(each for each in arguments if isinstance(each, bytes)) + b"\0"
        at = allotted = self._allot(len(texts)) if len(texts) > _KEPT_BYTES else 0
        at = at or self._kept
        ctypes.memmove(self._base() + at, texts, len(texts))
        given = []
        for argument in arguments:
            if isinstance(argument, int):
                given.append(argument)
                continue
            given += [at] if isinstance(argument, Word) else [at, len(argument)]
            at += len(argument) + 1
        error = self._call(function, [*given, *places])
        if allotted:
            self._call("free", [allotted])
        if error:
            self._raise(error)

    def _raise(self, error: int) -> None:
        kind, message = self._text(self._call("error_kind", [error])), self._text(self._call("error_message", [error]))
        self._call("error_free", [error])
        # What the module cannot do, such as folders, the native library can.
        if kind == "FailedPrecondition" and self._reason:
            message += f" (there is none: {self._reason})"
        raise DynolithError(kind, message)

    def _call(self, function: str, arguments: list[int]) -> int:
        if self._end:
            raise self._ended()
        try:
            return self._c[function](*arguments)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as problem:
            self._end = self._own_reason() or str(problem).strip().splitlines()[-1].strip()
            self._store.close()
            raise self._ended() from problem

    def _own_reason(self) -> str:
        """The module's words, if it has ended itself."""
        try:
            place = self._c["dynolith_end_reason"]()
            # Nothing in its memory is to be trusted.
            return self._text(place) if place < self._memory.data_len(self._store) else ""
        except (wasmtime.Trap, wasmtime.WasmtimeError):
            return ""

    def _ended(self) -> DynolithError:
        return DynolithError("Internal", f"the WebAssembly module has ended, with all of its databases: {self._end}")

    def _allot(self, size: int) -> int:
        place = self._call("malloc", [size])
        if not place:
            raise DynolithError("ResourceExhausted", "the module has no memory for this call")
        return place

    def _base(self) -> int:
        """Where its memory is, until the next call."""
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)

    def _text(self, place: int) -> str:
        return ctypes.string_at(self._base() + place).decode(errors="replace") if place else ""

    # --- a child of a fork

    def _is_forked(self) -> bool:
        return os.getpid() != self._process

    def _problem(self) -> str:
        # As engine/process/messages.h has it.
        return (f"process {self._process} opened this database, and process {os.getpid()} is a fork of it: it cannot use it, "
                "and may open a database of its own")

    def _check_process(self) -> None:
        if self._is_forked():
            raise DynolithError("AccessDeniedException", self._problem())

    def _refused(self, function: str) -> Answer:
        if function == "admin":
            return Answer(403, json.dumps({"error": self._problem()}).encode(), "application/json", "", 0)
        return _service_error("AccessDeniedException", self._problem())


def _service_error(name: str, message: str) -> Answer:
    body = json.dumps({"__type": f"com.amazon.coral.service#{name}", "Message": message}).encode()
    return Answer(400, body, "application/x-amz-json-1.0", "", zlib.crc32(body))


def _function(store: wasmtime.Store, function: wasmtime.Func) -> Callable[..., int]:
    """A function of the module, for numbers without a sign; 0 if it returns none."""
    kind = function.type(store)
    try:
        return _direct(store, function, len(kind.params), len(kind.results))
    except (ImportError, AttributeError):  # another version of wasmtime
        return lambda *arguments: (function(store, *map(_signed, arguments)) or 0) % _ADDRESSES


def _signed(number: int) -> int:
    return number - _ADDRESSES if number >= _ADDRESSES >> 1 else number


def _direct(store: wasmtime.Store, function: wasmtime.Func, parameters: int, results: int) -> Callable[..., int]:
    """By wasmtime's C interface, without the conversions that take most of the time of a call in Python."""
    from wasmtime import _ffi as ffi  # pylint: disable=import-outside-toplevel

    run, context, place = ffi.wasmtime_func_call_unchecked, store._context(), ctypes.byref(function._func)
    size = max(parameters, results)
    values = (ffi.wasmtime_val_raw_t * max(1, size))()
    # Each value has 16 bytes, and is little-endian everywhere.
    pack = struct.Struct("<" + "I12x" * parameters).pack_into
    result = struct.Struct("<I").unpack_from if results else lambda _: (0,)

    def call(*arguments: int) -> int:
        pack(values, 0, *arguments)
        trap = ctypes.POINTER(ffi.wasm_trap_t)()
        error = run(context, place, values, size, ctypes.byref(trap))
        if error:
            raise wasmtime.WasmtimeError._from_ptr(error)
        if trap:
            raise wasmtime.Trap._from_ptr(trap)
        number: int = result(values)[0]
        return number

    return call
