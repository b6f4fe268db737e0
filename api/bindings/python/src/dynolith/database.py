"""A database in this process, and the SDK's own clients on it."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
import datetime
import json
import os
import threading
import time
import urllib.parse
import weakref
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

import boto3
import botocore.session

from . import _under_way
from ._face import Answer, DynolithError, Library
from ._library import library
from ._transport import ENDPOINT, EVENTS, AsyncTransport, Transport

if TYPE_CHECKING:  # of boto3-stubs; Any where it is not installed
    from mypy_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient


# Calls of microseconds while nobody waits for a disk: less than it takes to wake another thread.
_OF_ONE_ITEM = frozenset({b"GetItem", b"PutItem", b"UpdateItem", b"DeleteItem"})


class Clock:
    """A database's clock. It can be moved if the database was opened with ``clock="manual"``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def now(self) -> datetime.datetime:
        """In UTC."""
        return self._time(self._database.admin("GET", "clock"))

    def advance(self, step: float | datetime.timedelta) -> datetime.datetime:
        """Forward by seconds; returns when all that is due by then has been done."""
        seconds = step.total_seconds() if isinstance(step, datetime.timedelta) else step
        return self._time(self._database.admin("POST", "clock/advance", {"seconds": seconds}))

    def set(self, now: float | datetime.datetime) -> datetime.datetime:
        """To a time that is not before the clock's: seconds since 1970, or a time with a time zone."""
        if isinstance(now, datetime.datetime):
            if now.tzinfo is None:
                raise ValueError("a time without a time zone")
            now = now.timestamp()
        return self._time(self._database.admin("POST", "clock/set", {"now": now}))

    @staticmethod
    def _time(answer: Any) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(answer["now"], datetime.timezone.utc)


@dataclasses.dataclass(frozen=True)
class Change:
    """A change of an item, as the table's stream has it."""

    place: str
    """For ``changes(…, after=place)``, which goes on behind it."""
    record: dict[str, Any]
    """As GetRecords has it, in the service's JSON."""


class _Changes:
    """What is behind ``Database.changes``: page after page, each from the place that the one before has left."""

    _WAIT = 0.5  # seconds that a call waits in the library; a restore of a folder waits for it
    _PAUSE = 0.02  # seconds between two looks where a call would hold up all others while it waits

    def __init__(self, database: Database, table: str, after: str, oldest: bool) -> None:
        self._database, self._table = database, table
        # Now: what is written from here on is seen, also before the first change is asked for.
        self._place = self._ask({"after": after, "oldest": str(oldest).lower(), "most": "1"})["from"]
        self.has_ended = False
        can_wait = database._library.can_wait
        self._wait = self._WAIT if can_wait else 0
        self.pause = 0 if can_wait else self._PAUSE

    def _ask(self, parameters: dict[str, str]) -> Any:
        query = urllib.parse.urlencode({"table": self._table, **parameters})
        return self._database.admin("GET", f"changes?{query}")

    def page(self) -> list[Change]:
        """The next ones; none if there are none for a while: the next look is after ``pause`` seconds."""
        answer = self._ask({"after": self._place, "wait": str(self._wait)})
        self._place, self.has_ended = answer["place"], answer.get("ended", False)
        return [Change(change["place"], change["record"]) for change in answer["changes"]]


class _Uses:
    """Calls under way on a database. Theirs, so that a call keeps no database whose last user it would be."""

    def __init__(self) -> None:
        self.count = 0
        self.changed = threading.Condition()

    def end(self) -> None:
        with self.changed:
            self.count -= 1
            if self.count == 0:
                self.changed.notify_all()


def _close_unused(library_of_it: Library, uses: _Uses, handle: int | None) -> None:
    with uses.changed:
        uses.changed.wait_for(lambda: uses.count == 0)
    if handle is not None:
        library_of_it.close(handle)


@dataclasses.dataclass
class _Staleness:
    """Of a database, its regions and its forks: whether there are, or were, rules, which may be of each client."""

    is_set: bool


class _LoopAnswers:
    """On their way to an event loop, which is woken once for all that have come since it looked."""

    _by_loop: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopAnswers] = weakref.WeakKeyDictionary()

    @classmethod
    def of(cls, loop: asyncio.AbstractEventLoop) -> _LoopAnswers:
        """On the loop's thread."""
        answers = cls._by_loop.get(loop)
        if answers is None:
            answers = cls._by_loop[loop] = cls(loop)
        return answers

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = weakref.ref(loop)
        self._come: collections.deque[tuple[asyncio.Future[Answer], Answer]] = collections.deque()
        self._is_woken = False

    def add(self, future: asyncio.Future[Answer], answer: Answer) -> None:
        """On any thread."""
        self._come.append((future, answer))
        loop = self._loop()
        if self._is_woken or loop is None:
            return
        self._is_woken = True
        with contextlib.suppress(RuntimeError):  # it is closed
            loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        self._is_woken = False  # first, so that what comes meanwhile wakes the loop again
        while self._come:
            future, answer = self._come.popleft()
            if not future.done():
                future.set_result(answer)


class Database:
    """A database of its own, in memory unless ``path`` is given.

    The options are those of ``dynolith_open`` in dynolith/dynolith.h: ``path``, ``clock``, ``capacity``, ``staleness`` and so on.
    Safe to use from many threads. A process that was forked opens one of its own: its parent's answers with AccessDeniedException
    there, and closing that does nothing. Raises DynolithError.
    """

    def __init__(self, **options: Any) -> None:
        self._library = library()
        self._region = str(options.get("region") or next(iter(options.get("regions") or ()), "us-east-1"))
        # A write of a strong table in several regions may wait for another one's.
        self._is_in_memory = not any(options.get(place) for place in ("path", "endpoint", "regions"))
        self._staleness = _Staleness(bool(options.get("staleness")))
        self._begin(self._library.open(json.dumps(options).encode()))

    @property
    def region(self) -> str:
        """The one that its ARNs name."""
        return self._region

    def _begin(self, handle: int) -> None:
        self._handle: int | None = handle
        self._process = os.getpid()
        self._uses = _Uses()
        self.clock = Clock(self)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is None:
            return
        if _under_way.is_answering():  # a thread that closing waits for
            handle, self._handle = self._handle, None
            threading.Thread(target=_close_unused, args=(self._library, self._uses, handle)).start()
        else:
            self.close()

    def close(self) -> None:
        """Waits for calls under way. What is called later fails. May be called again."""
        if self._is_forked():
            self._handle = None
            return
        with self._uses.changed:
            handle, self._handle = self._handle, None
        _close_unused(self._library, self._uses, handle)

    def _is_forked(self) -> bool:
        """Whether this is a child of the process that opened it, where its locks may never be let go: the library answers without."""
        return os.getpid() != self._process

    @contextlib.contextmanager
    def _use(self) -> Iterator[int]:
        if self._is_forked() and self._handle is not None:
            yield self._handle
            return
        handle = self._begin_use()
        try:
            yield handle
        finally:
            self._uses.end()

    def _begin_use(self) -> int:
        with self._uses.changed:
            if self._handle is None:
                raise DynolithError("FailedPrecondition", "the database is closed")
            self._uses.count += 1
            return self._handle

    def call(self, target: str | bytes, body: str | bytes, access_key: bytes = b"", host: bytes = b"") -> Answer:
        """One call as the wire has it: ``call("PutItem", '{"TableName": …}')``."""
        with self._use() as handle:
            return self._library.call(handle, target.encode() if isinstance(target, str) else target,
                                      body.encode() if isinstance(body, str) else body, access_key, host)

    async def call_async(self, target: str | bytes, body: str | bytes, access_key: bytes = b"", host: bytes = b"") -> Answer:
        """The same without holding up the event loop, or a thread of its own for each call.

        Any number may be under way; the database runs at most 32 at once. Who is cancelled leaves; the call goes on.
        """
        target = target.encode() if isinstance(target, str) else target
        body = body.encode() if isinstance(body, str) else body
        operation = target.rpartition(b".")[2]
        can_begin = self._library.can_begin and not self._is_forked()
        if self._is_forked() or (can_begin and self._is_in_memory and operation in _OF_ONE_ITEM):
            return self.call(target, body, access_key, host)
        # Who asks matters to few: the library's own threads are not told it.
        if not can_begin or self._staleness.is_set or operation == b"DescribeEndpoints":
            return await asyncio.to_thread(self.call, target, body, access_key, host)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        answers, uses = _LoopAnswers.of(loop), self._uses

        def answered(answer: Answer) -> None:
            try:
                answers.add(future, answer)
            finally:
                uses.end()

        handle = self._begin_use()
        try:
            self._library.begin(handle, target, body, answered)
        except BaseException:
            uses.end()
            raise
        return await future

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        """A request of the admin endpoint, for example ``admin("POST", "faults", {"fault": "throttle"})``; its answer."""
        text = b"" if body is None else json.dumps(body).encode()
        if "staleness" in path:
            self._staleness.is_set = True
        with self._use() as handle:
            answer = self._library.admin(handle, method.encode(), path.encode(), text)
        content: Any = json.loads(answer.body) if answer.body else None
        if answer.status == 200:
            return content
        raise DynolithError({400: "InvalidArgument", 403: "AccessDeniedException", 404: "NotFound", 409: "FailedPrecondition",
                             410: "TrimmedDataAccessException"}.get(answer.status, "Internal"),
                            content["error"])

    def sweep(self) -> int:
        """Deletes what has expired; how many items."""
        return int(self.admin("POST", "ttl/sweep")["deleted"])

    def changes(self, table: str, *, after: str = "", oldest: bool = False, idle: float | None = None) -> Iterator[Change]:
        """The changes of a table with a stream, in order: from now on, from the oldest that is kept (a day), or behind a place.

        Waits for the next one. Ends when the stream has ended, or when there was no change for ``idle`` seconds.
        """
        changes = _Changes(self, table, after, oldest)

        def read() -> Iterator[Change]:
            last = time.monotonic()
            while True:
                page = changes.page()
                yield from page
                last = time.monotonic() if page else last
                if changes.has_ended or (idle is not None and time.monotonic() - last >= idle):
                    return
                time.sleep(0 if page else changes.pause)

        return read()

    def aio_changes(self, table: str, *, after: str = "", oldest: bool = False, idle: float | None = None) -> AsyncIterator[Change]:
        """The same for ``async for``."""
        changes = _Changes(self, table, after, oldest)

        async def read() -> AsyncIterator[Change]:
            last = time.monotonic()
            while True:
                page = await asyncio.to_thread(changes.page)
                for change in page:
                    yield change
                last = time.monotonic() if page else last
                if changes.has_ended or (idle is not None and time.monotonic() - last >= idle):
                    return
                await asyncio.sleep(0 if page else changes.pause)

        return read()

    def snapshot(self, name: str) -> None:
        """Keeps the whole database as it is now. In memory that takes microseconds."""
        self._with_text("snapshot", name)

    def restore(self, name: str) -> None:
        """Back to a snapshot, as often as one likes."""
        self._with_text("restore", name)

    def remove_snapshot(self, name: str) -> None:
        self._with_text("remove_snapshot", name)

    def snapshots(self) -> list[str]:
        return list(self.admin("GET", "snapshots")["snapshots"])

    def checkpoint(self, folder: str | os.PathLike[str]) -> None:
        """A copy of a database in a folder, in a new one."""
        self._with_text("checkpoint", os.fspath(folder))

    def fork(self, snapshot: str = "", path: str | os.PathLike[str] = "") -> Database:
        """A database of its own that begins as this one is, or as a snapshot of it is."""
        with self._use() as handle:
            folder = os.fspath(path)
            return self._other(self._library.fork(handle, snapshot.encode(), folder.encode()), self._region,
                               self._is_in_memory and not folder)

    def in_region(self, region: str) -> Database:
        """The database of one of ``Database(regions=["us-east-1", "us-west-2"])``, which is that of the first one itself.

        Close it like every other one; the regions stay open until the last of their databases is closed.
        """
        with self._use() as handle:
            return self._other(self._library.region(handle, region.encode()), region, self._is_in_memory)

    def _other(self, handle: int, region: str, is_in_memory: bool) -> Database:
        other = object.__new__(type(self))
        other._library, other._region, other._is_in_memory, other._staleness = self._library, region, is_in_memory, self._staleness
        other._begin(handle)
        return other

    def _with_text(self, function: str, text: str) -> None:
        with self._use() as handle:
            self._library.with_text(function, handle, text.encode())

    # --- the SDK

    def session(self, **arguments: Any) -> boto3.session.Session:
        """A session of boto3 whose clients of ``dynamodb`` and ``dynamodbstreams`` are on this database.

        Needs no settings of the environment; what is given (``region_name``, ``aws_access_key_id`` …) is the session's own.
        """
        core: Any = botocore.session.Session()
        for event in EVENTS:
            core.register(event, Transport(self))
        return boto3.session.Session(botocore_session=core, **{**self._defaults(), **arguments})

    @overload
    def client(self, service_name: Literal["dynamodb"] = ..., **arguments: Any) -> DynamoDBClient: ...

    @overload
    def client(self, service_name: Literal["dynamodbstreams"], **arguments: Any) -> DynamoDBStreamsClient: ...

    def client(self, service_name: Any = "dynamodb", **arguments: Any) -> Any:
        """boto3's client; also of ``"dynamodbstreams"``."""
        return self.session().client(service_name, **{"endpoint_url": ENDPOINT, **arguments})

    def resource(self, service_name: Literal["dynamodb"] = "dynamodb", **arguments: Any) -> DynamoDBServiceResource:
        """boto3's resource."""
        return self.session().resource(service_name, **{"endpoint_url": ENDPOINT, **arguments})

    def aio_session(self) -> Any:
        """The same of aiobotocore; ``aioboto3.Session(botocore_session=…)`` takes it, too."""
        import aiobotocore.session  # pylint: disable=import-outside-toplevel

        session = aiobotocore.session.AioSession()
        for event in EVENTS:
            session.register(event, AsyncTransport(self))
        session.set_credentials(self._defaults()["aws_access_key_id"], self._defaults()["aws_secret_access_key"])
        session.set_config_variable("region", self._region)
        return session

    @contextlib.asynccontextmanager
    async def aio_client(self, service_name: str = "dynamodb", **arguments: Any) -> AsyncIterator[Any]:
        """aiobotocore's client."""
        async with self.aio_session().create_client(service_name, **{"endpoint_url": ENDPOINT, **arguments}) as client:
            yield client

    def _defaults(self) -> dict[str, str]:
        return {"aws_access_key_id": "dynolith", "aws_secret_access_key": "dynolith", "region_name": self._region}
