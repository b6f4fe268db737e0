"""botocore's transport, in process: what stands between a prepared request and its response."""

from __future__ import annotations

import asyncio
import io
import time
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError

if TYPE_CHECKING:
    from ._library import Answer
    from .database import Database

# Events of botocore, by what a service is called there.
EVENTS = ("before-send.dynamodb", "before-send.dynamodb-streams")
# Nobody has it (RFC 2606): what is not caught reaches no other service.
ENDPOINT = "http://dynolith.invalid"


def _text(value: Any) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode()


def is_for_us(request: Any) -> bool:
    """Whether a prepared request is one of DynamoDB or its streams."""
    return _text(request.headers.get("X-Amz-Target")).startswith((b"DynamoDB_", b"DynamoDBStreams_"))


def ask(database: Database, request: Any) -> Answer:
    """The answer to a prepared request."""
    _, _, credential = _text(request.headers.get("Authorization")).partition(b"Credential=")
    body = request.body
    if hasattr(body, "read"):
        body = body.read()
    return database.call(_text(request.headers.get("X-Amz-Target")), _text(body), credential.partition(b"/")[0],
                         _text(request.headers.get("Host")))


class _Raw(io.BytesIO):
    """What botocore reads an answer from."""

    def stream(self, **_: Any) -> Any:
        yield self.getvalue()


def respond(request: Any, answer: Answer) -> AWSResponse:
    if answer.is_dropped:
        raise ConnectionClosedError(endpoint_url=request.url)
    return AWSResponse(request.url, answer.status, answer.headers, _Raw(answer.body))


class Transport:
    """A handler of EVENTS."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __call__(self, request: Any, **_: Any) -> AWSResponse:
        answer = ask(self._database, request)
        if answer.delay > 0:
            time.sleep(answer.delay)
        return respond(request, answer)


class _AsyncRaw:
    """What aiobotocore reads an answer from."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def read(self) -> bytes:
        return self._body


class AsyncTransport:
    """The same for aiobotocore. Calls run on the loop's threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, request: Any, **_: Any) -> Any:
        from aiobotocore.awsrequest import AioAWSResponse  # pylint: disable=import-outside-toplevel

        answer = await asyncio.to_thread(ask, self._database, request)
        if answer.delay > 0:
            await asyncio.sleep(answer.delay)
        if answer.is_dropped:
            raise ConnectionClosedError(endpoint_url=request.url)
        return AioAWSResponse(request.url, answer.status, answer.headers, _AsyncRaw(answer.body))
