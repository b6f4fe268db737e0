"""Clients that the code under test makes itself."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

import boto3
from botocore.httpsession import URLLib3Session

from ._transport import ask, is_for_us, respond
from .database import Database

# What botocore needs before it sends anything, unless the environment has it.
_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "dynolith",
    "AWS_SECRET_ACCESS_KEY": "dynolith",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextlib.contextmanager
def mock(database: Database | None = None, **options: Any) -> Iterator[Database]:
    """While it lasts, every client of ``dynamodb`` and ``dynamodbstreams`` in this process is on one database.

    Whoever has made the client, and whenever; all other services are as ever. Of its own, in memory or as the options say, if none
    is given; then it is closed at the end. Also a decorator: ``@dynolith.mock()``. Not one inside of another in several threads.
    """
    own = Database(**options) if database is None else None
    used = own if own is not None else database
    assert used is not None
    send = URLLib3Session.send

    def caught(self: URLLib3Session, request: Any) -> Any:
        if not is_for_us(request):
            return send(self, request)
        answer = ask(used, request)
        if answer.delay > 0:
            time.sleep(answer.delay)
        return respond(request, answer)

    missing = {name: value for name, value in _ENVIRONMENT.items() if name not in os.environ}
    os.environ.update(missing)
    # What boto3.client() makes meanwhile has seen these settings.
    default_session = boto3.DEFAULT_SESSION
    URLLib3Session.send = caught
    try:
        yield used
    finally:
        URLLib3Session.send = send
        boto3.DEFAULT_SESSION = default_session
        for name in missing:
            os.environ.pop(name, None)
        if own is not None:
            own.close()
