"""The C face, whichever library has it: what its functions take and return (dynolith.h), and what calls come to."""

from __future__ import annotations

import abc
from collections.abc import Callable

# What an argument is. TEXT: bytes, with their size; WORD: bytes that end with a zero; MADE: a place for a new database.
TEXT, WORD, DATABASE, RESPONSE, MADE, ERROR = "TEXT", "WORD", "DATABASE", "RESPONSE", "MADE", "ERROR"
# By the name behind "dynolith_": what a function takes, and what it returns.
FUNCTIONS: dict[str, tuple[tuple[str, ...], str | None]] = {
    "version": ((), WORD),
    "open": ((TEXT, MADE), ERROR),
    "region": ((DATABASE, TEXT, MADE), ERROR),
    "close": ((DATABASE,), None),
    "call_as": ((DATABASE, TEXT, TEXT, TEXT, TEXT, RESPONSE), None),
    "admin": ((DATABASE, WORD, TEXT, TEXT, RESPONSE), None),
    "checkpoint": ((DATABASE, TEXT), ERROR),
    "snapshot": ((DATABASE, TEXT), ERROR),
    "restore": ((DATABASE, TEXT), ERROR),
    "remove_snapshot": ((DATABASE, TEXT), ERROR),
    "fork": ((DATABASE, TEXT, TEXT, MADE), ERROR),
    "response_free": ((RESPONSE,), None),
    "error_kind": ((ERROR,), WORD),
    "error_message": ((ERROR,), WORD),
    "error_free": ((ERROR,), None),
}


class Word(bytes):
    """An argument WORD."""


class DynolithError(Exception):
    """What the library says of everything but calls, whose errors are the SDK's.

    ``kind`` is the canonical code or the service's exception, for example ``"NotFound"``; ``message`` is for people.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message

    def __reduce__(self) -> tuple[type[DynolithError], tuple[str, str]]:
        # To another process, as multiprocessing does.
        return type(self), (self.kind, self.message)


class Answer:
    """What a call has come to."""

    __slots__ = ("status", "body", "headers", "delay", "is_dropped")

    def __init__(self, status: int, body: bytes, content_type: str, request_id: str, crc32: int, delay: float = 0,
                 is_dropped: bool = False) -> None:
        self.status = status
        self.body = body
        self.headers: dict[str, str] = {"Content-Type": content_type, "x-amzn-RequestId": request_id, "x-amz-crc32": str(crc32)}
        self.delay = delay
        self.is_dropped = is_dropped


class Library(abc.ABC):
    """The functions of the face, for many threads. Databases are numbers. Raises DynolithError."""

    can_wait = True
    """Whether others go on while a call waits in it."""
    survives_fork = True
    """Whether a child of a fork goes on with it, for databases of its own."""
    can_begin = False
    """Whether ``begin`` is there."""
    has_ended = False
    """Whether it answers no more, so that who begins anew needs another one."""

    @abc.abstractmethod
    def version(self) -> str: ...

    @abc.abstractmethod
    def close(self, handle: int) -> None: ...

    @abc.abstractmethod
    def _do(self, function: str, *arguments: int | bytes) -> None:
        """A function that returns an error at most."""

    @abc.abstractmethod
    def _make(self, function: str, *arguments: int | bytes) -> int:
        """A function that makes a database."""

    @abc.abstractmethod
    def _ask(self, function: str, *arguments: int | bytes) -> Answer:
        """A function that fills a response."""

    def open(self, options: bytes) -> int:
        return self._make("open", options)

    def region(self, handle: int, region: bytes) -> int:
        return self._make("region", handle, region)

    def fork(self, handle: int, snapshot: bytes, path: bytes) -> int:
        return self._make("fork", handle, snapshot, path)

    def call(self, handle: int, target: bytes, body: bytes, access_key: bytes, host: bytes) -> Answer:
        return self._ask("call_as", handle, target, body, access_key, host)

    def begin(self, handle: int, target: bytes, body: bytes, answered: Callable[[Answer], None]) -> None:
        """A call on a thread of the database's, which says there what it has come to. Holds up neither of them."""
        raise DynolithError("Unimplemented", "this library has no threads")

    def admin(self, handle: int, method: bytes, path: bytes, body: bytes) -> Answer:
        return self._ask("admin", handle, Word(method), path, body)

    def with_text(self, function: str, handle: int, text: bytes) -> None:
        """``checkpoint``, ``snapshot``, ``restore`` and ``remove_snapshot``."""
        self._do(function, handle, text)
