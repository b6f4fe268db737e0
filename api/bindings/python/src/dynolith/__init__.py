"""Dynolith in this process, behind boto3: no port, no server, a database of its own for each test.

    import dynolith

    with dynolith.Database() as database:
        table = database.resource().create_table(…)
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Literal, overload

from ._face import Answer, DynolithError
from ._library import library
from ._mock import mock
from .database import Change, Clock, Database

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient

__all__ = ["Answer", "Change", "Clock", "Database", "DynolithError", "client", "default_database", "mock", "resource", "version"]

_default: Database | None = None
_making = threading.Lock()


def _begin_child() -> None:
    """A process that was forked has a default database of its own."""
    global _default, _making  # pylint: disable=global-statement
    _default, _making = None, threading.Lock()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_begin_child)


def default_database() -> Database:
    """The process's, in memory: whose clients ``client()`` and ``resource()`` are without another one."""
    global _default  # pylint: disable=global-statement
    with _making:
        if _default is None:
            _default = Database()
        return _default


@overload
def client(service_name: Literal["dynamodb"] = ..., database: Database | None = ..., **arguments: Any) -> DynamoDBClient: ...


@overload
def client(
    service_name: Literal["dynamodbstreams"], database: Database | None = ..., **arguments: Any
) -> DynamoDBStreamsClient: ...


def client(service_name: Any = "dynamodb", database: Database | None = None, **arguments: Any) -> Any:
    """boto3's client, also of ``"dynamodbstreams"``, on a database in this process."""
    return (database or default_database()).client(service_name, **arguments)


def resource(
    service_name: Literal["dynamodb"] = "dynamodb", database: Database | None = None, **arguments: Any
) -> DynamoDBServiceResource:
    """boto3's resource on a database in this process."""
    return (database or default_database()).resource(service_name, **arguments)


def version() -> str:
    """The library's."""
    return library().version()
