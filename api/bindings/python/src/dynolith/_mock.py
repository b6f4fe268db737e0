"""Clients that the code under test makes itself."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, overload

import boto3
import botocore.hooks

from ._decorate import decorate
from ._face import DynolithError
from ._transport import EVENTS, AsyncTransport, Transport, region_of
from .database import Database

_Target = TypeVar("_Target", bound="Callable[..., Any]")

# What botocore needs beside a region before it sends anything, unless the environment has it.
_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "dynolith",
    "AWS_SECRET_ACCESS_KEY": "dynolith",
    "AWS_EC2_METADATA_DISABLED": "true",
}
_CAUGHT = tuple(event + "." for event in EVENTS)
# aiobotocore's are derived from it. Type stubs of botocore know neither what is replaced in it nor what it keeps.
_Emitter: Any = botocore.hooks.HierarchicalEmitter


class Mock:
    """What ``mock()`` gives: a context manager, also for ``async with``, with ``start`` and ``stop``, and a decorator."""

    def __init__(self, database: Database | None, options: dict[str, Any]) -> None:
        self._given = database
        self._options = options
        self._databases: dict[str, Database] = {}
        self._changing = threading.Lock()
        self._begins_as: Mock | None = None
        self._region = ""  # since it was started

    def start(self) -> Database:
        """Begins to answer; the database of the default region."""
        with self._changing:
            if self in _catcher.mocks:
                raise DynolithError("FailedPrecondition", "this mock has been started already")
            self._region = self._default_region()
        database = self.in_region(self._region)
        _catcher.add(self)
        return database

    def stop(self) -> None:
        """Ends it, and closes the databases that it has made. Nothing happens if it was not started."""
        if not _catcher.remove(self):
            return
        with self._changing:
            made, self._databases = self._databases, {}
        for database in made.values():
            database.close()

    def in_region(self, region: str) -> Database:
        """The database that answers clients of a region."""
        if self._given is not None:
            return self._given
        if self._options.get("path"):
            region = self.region  # a folder holds one database
        with self._changing:
            if region not in self._databases:
                self._databases[region] = self._begin(region)
            return self._databases[region]

    def _begin(self, region: str) -> Database:
        if self._begins_as is not None:
            return self._begins_as.in_region(region).fork()
        return Database(**{**self._options, "region": region})

    def answer(self, emitter: Any, request: Any) -> Any:
        """What an emitter returns, with the answer to a prepared request as the only response."""
        database = self.in_region(region_of(request) or self.region)
        if not inspect.iscoroutinefunction(emitter._emit):
            return [(self, Transport(database)(request))]

        async def answer() -> Any:  # aiobotocore's emitters are awaited
            return [(self, await AsyncTransport(database)(request))]

        return answer()

    @property
    def region(self) -> str:
        """The default region: that of clients which name none."""
        return self._region or self._default_region()

    def _default_region(self) -> str:
        of_database = self._given.region if self._given is not None else "us-east-1"
        return str(self._options.get("region") or os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION") or of_database)

    @property
    def environment(self) -> dict[str, str]:
        """What the environment holds while it is the innermost."""
        return {**{name: os.environ.get(name, value) for name, value in _ENVIRONMENT.items()}, "AWS_DEFAULT_REGION": self.region}

    @property
    def path(self) -> str | None:
        """The folder of its database; None: its databases are in memory, or one was given."""
        return self._options.get("path")

    def another(self) -> Mock:
        """One that has not been started, with the same database or options."""
        return Mock(self._given, self._options)

    def fork(self) -> Mock:
        """One that has not been started and begins as this one is; on the same database if that was given."""
        fork = self.another()
        fork._begins_as = self
        return fork

    def __enter__(self) -> Database:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    async def __aenter__(self) -> Database:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *_: Any) -> None:
        await asyncio.to_thread(self.stop)

    def __call__(self, target: _Target) -> _Target:
        decorated: _Target = decorate(self, target)
        return decorated


@overload
def mock(target: Database | None = None, **options: Any) -> Mock: ...


@overload
def mock(target: _Target, **options: Any) -> _Target: ...


def mock(target: Any = None, **options: Any) -> Any:
    """While it lasts, every client of ``dynamodb`` and ``dynamodbstreams`` in this process is answered here.

    Whoever has made the client, and whenever; of boto3, aiobotocore and what is built on them; all other services are as ever,
    moto's among them, outside or inside of it. As ``with``, ``async with``, ``start()`` and ``stop()``, and as a decorator,
    with or without parentheses, of functions, coroutines, generators and classes of tests, each of whose tests begins anew, so
    not of classes with a folder.

    Databases are its own, one in memory for each region that a client names, with the options of ``Database``, and closed at
    the end. A database that is given, or in a folder (``path``), answers clients of every region. The innermost one answers.
    """
    if target is None or isinstance(target, Database):
        return Mock(target, options)
    return Mock(None, options)(target)


class _Catcher:
    """Stands before all that listens to botocore's requests for as long as a mock lasts."""

    def __init__(self) -> None:
        self.mocks: list[Mock] = []  # the innermost last
        self._changing = threading.Lock()
        self._emit = _Emitter.emit
        self._set: dict[str, tuple[str | None, str]] = {}  # what was in the environment, and what is
        self._default_session: Any = None

    def add(self, begun: Mock) -> None:
        with self._changing:
            self.mocks = [*self.mocks, begun]
            self._set_environment()
            if len(self.mocks) == 1:
                self._begin()

    def remove(self, ended: Mock) -> bool:
        with self._changing:
            if ended not in self.mocks:
                return False
            self.mocks = [one for one in self.mocks if one is not ended]
            self._set_environment()
            if not self.mocks:
                self._end()
            return True

    def _set_environment(self) -> None:
        """As it was found, and then as the innermost needs it. What somebody else has set since stays."""
        for name, (before, after) in self._set.items():
            if os.environ.get(name) != after:
                continue
            del os.environ[name]
            if before is not None:
                os.environ[name] = before
        wanted = self.mocks[-1].environment if self.mocks else {}
        self._set = {name: (os.environ.get(name), value) for name, value in wanted.items() if os.environ.get(name) != value}
        os.environ.update(wanted)

    def _begin(self) -> None:
        # What boto3.client() makes meanwhile has seen these settings.
        self._default_session = boto3.DEFAULT_SESSION
        self._emit = _Emitter.emit
        catcher = self

        def emit(self: Any, event_name: str, **arguments: Any) -> Any:
            mocks = catcher.mocks
            if not mocks or not event_name.startswith(_CAUGHT) or _has_database(self, event_name):
                return catcher._emit(self, event_name, **arguments)
            return mocks[-1].answer(self, arguments["request"])

        _Emitter.emit = emit

    def _end(self) -> None:
        _Emitter.emit = self._emit
        boto3.DEFAULT_SESSION = self._default_session


def _has_database(emitter: Any, event_name: str) -> bool:
    """Whether a client is one of a Database, which stays on it."""
    return any(isinstance(handler, (Transport, AsyncTransport)) for handler in emitter._handlers.prefix_search(event_name))


_catcher = _Catcher()
