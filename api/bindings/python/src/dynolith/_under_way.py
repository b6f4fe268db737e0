"""Calls that threads of the library's answer, and what these threads may do to the interpreter."""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._face import Answer

_PAUSE = 0.001  # seconds between two looks, at the end

# By the number that the library knows a call by, from 1. All that is done to it is one step for the interpreter.
_waiting: dict[int, Callable[[Answer], None]] = {}
_numbers = itertools.count(1)
_here = threading.local()
_has_ended = False


def begin(answered: Callable[[Answer], None]) -> int:
    if _has_ended:
        from ._face import DynolithError  # pylint: disable=import-outside-toplevel

        raise DynolithError("FailedPrecondition", "the interpreter ends")
    number = next(_numbers)
    _waiting[number] = answered
    return number


def forget(number: int) -> None:
    """A call that has not begun."""
    _waiting.pop(number, None)


def end(number: int, answer: Callable[[], Answer]) -> None:
    """Called by the library, on whichever thread."""
    was_answering, _here.is_answering = is_answering(), True
    try:
        _waiting[number](answer())
    finally:
        forget(number)
        _here.is_answering = was_answering


def is_answering() -> bool:
    """Whether this is a thread that says an answer, which its database waits for when it closes."""
    return getattr(_here, "is_answering", False)


def _await_all() -> None:
    """Before the interpreter ends: it would end a thread that then asks for its lock, below functions that cannot be ended."""
    global _has_ended  # pylint: disable=global-statement
    _has_ended = True
    while _waiting or any(_is_in(frame, end.__code__) for frame in sys._current_frames().values()):
        time.sleep(_PAUSE)


def _is_in(frame: object, code: object) -> bool:
    while frame is not None:
        if frame.f_code is code:  # type: ignore[attr-defined]
            return True
        frame = frame.f_back  # type: ignore[attr-defined]
    return False


atexit.register(_await_all)
if hasattr(os, "register_at_fork"):  # Windows has no forks
    # A child has none of the threads.
    os.register_at_fork(after_in_child=_waiting.clear)
