"""The WebAssembly module as this machine's code: compiled once, and kept in a folder that only its user can write.

Whoever can write there decides what runs in this process. So the folder and what is in it must belong to the user, and nobody
else may write them; what does not is neither read nor replaced, and the module is compiled in each process.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import logging
import os
import pathlib
import platform
import stat
import sys
import tempfile
import time
from collections.abc import Iterator

import wasmtime

# Code that no process has used for so long is removed when other code is kept.
_KEPT_SECONDS = 30 * 24 * 3600
_SUFFIX = ".code"


def compiled(engine: wasmtime.Engine, place: str) -> wasmtime.Module:
    """The module of a file, out of its user's cache if it is there; the first time takes seconds. OSError: there is no such file."""
    module = pathlib.Path(place).read_bytes()
    folder = _folder()
    # wasmtime itself refuses the code of another version, or of another processor.
    name = f"{hashlib.sha256(module).hexdigest()[:32]}-{importlib.metadata.version('wasmtime')}-{platform.machine()}{_SUFFIX}"
    code = None
    try:
        with _own(folder):
            code = _kept(engine, folder / name)
            if code is None:
                code = wasmtime.Module(engine, module)
                _keep(code, folder / name)
    except OSError as problem:
        logging.getLogger("dynolith").warning("the code of dynolith.wasm is not kept, so each process compiles it: %s", problem)
    return wasmtime.Module(engine, module) if code is None else code


def _folder() -> pathlib.Path:
    """Where the system keeps caches of this user."""
    home = pathlib.Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        base = pathlib.Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "dynolith"


@contextlib.contextmanager
def _own(folder: pathlib.Path) -> Iterator[None]:
    """Makes the folder and checks it, and lets others wait, so that processes that begin together do not all compile."""
    if not folder.is_absolute():
        raise OSError(f"{folder} is not an absolute path")
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    _check_own(folder, stat.S_ISDIR)
    try:
        import fcntl  # pylint: disable=import-outside-toplevel
    except ImportError:  # Windows
        yield
        return
    with open(os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check_own(path: pathlib.Path, is_kind: object) -> None:
    """OSError: it is a link or of another kind, belongs to somebody else, or others may write it."""
    state = os.lstat(path)
    if not is_kind(state.st_mode):  # type: ignore[operator]
        raise OSError(f"{path} is not what is expected there")
    if hasattr(os, "geteuid") and (state.st_uid != os.geteuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        raise OSError(f"{path} belongs to another user, or others may write it")


def _kept(engine: wasmtime.Engine, path: pathlib.Path) -> wasmtime.Module | None:
    try:
        _check_own(path, stat.S_ISREG)
    except FileNotFoundError:
        return None
    try:
        code = wasmtime.Module.deserialize_file(engine, str(path))
    except wasmtime.WasmtimeError:
        return None
    os.utime(path)
    return code


def _keep(code: wasmtime.Module, path: pathlib.Path) -> None:
    # A name of its own until all of it is there: what has the other one is whole.
    descriptor, made = tempfile.mkstemp(dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(code.serialize())
            file.flush()
            os.fsync(descriptor)
        os.replace(made, path)
    except OSError:
        os.unlink(made)
        raise
    for other in path.parent.iterdir():
        if other.suffix == _SUFFIX and other.stat().st_mtime < time.time() - _KEPT_SECONDS:
            other.unlink()
