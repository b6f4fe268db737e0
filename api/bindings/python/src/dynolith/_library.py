"""Which library has the C face: the native one, or the WebAssembly module where there is none."""

from __future__ import annotations

import os
import pathlib
import threading

from ._face import Library
from ._native import NativeLibrary

_NAME, _MODULE = "libdynolith.so.0", "dynolith.wasm"
_HERE = pathlib.Path(__file__).resolve().parent


def _in_tree(*path: str) -> list[pathlib.Path]:
    """A file of the tree that this package is in."""
    return [folder.joinpath(*path) for folder in _HERE.parents[4:5]]


def _native() -> NativeLibrary:
    named = os.environ.get("DYNOLITH_LIBRARY")
    beside = [_HERE / _NAME, *_in_tree("build", "api", "c", _NAME)]
    problems = []
    for place in [named] if named else [*(str(path) for path in beside if path.exists()), _NAME]:
        try:
            return NativeLibrary(place)
        except OSError as problem:
            problems.append(str(problem))
    raise ImportError(f"{_NAME} was not found; DYNOLITH_LIBRARY may say where it is: " + "; ".join(problems))


def _module(place: str | os.PathLike[str], reason: str = "") -> Library:
    from ._module import ModuleLibrary  # pylint: disable=import-outside-toplevel

    return ModuleLibrary(os.fspath(place), reason)


def _load() -> Library:
    named = os.environ.get("DYNOLITH_WASM")
    if named:
        return _module(named)
    try:
        return _native()
    except ImportError as problem:
        module = next((path for path in (_HERE / _MODULE, *_in_tree("build-wasm", _MODULE)) if path.exists()), None)
        # Who says where a library is wants that one.
        if module is None or os.environ.get("DYNOLITH_LIBRARY"):
            raise
        return _module(module, str(problem))


_loaded: Library | None = None
_loading = threading.Lock()


def _begin_child() -> None:
    """In a child of a fork, where a thread that it does not have may hold the parent's lock."""
    global _loaded, _loading  # pylint: disable=global-statement
    _loading = threading.Lock()
    if _loaded is not None and not _loaded.survives_fork:
        _loaded = None


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_begin_child)


def library() -> Library:
    """The library, loaded at the first call. ImportError says where it was looked for."""
    global _loaded  # pylint: disable=global-statement
    with _loading:
        if _loaded is None or _loaded.has_ended:
            _loaded = _load()
        return _loaded
