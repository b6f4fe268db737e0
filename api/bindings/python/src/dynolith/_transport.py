"""botocore's transport, in process: what stands between a prepared request and its response."""

from __future__ import annotations

import asyncio
import io
import time
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError

from ._face import DynolithError

if TYPE_CHECKING:
    from ._face import Answer
    from .database import Database

# Events of botocore, by what a service is called there.
EVENTS = ("before-send.dynamodb", "before-send.dynamodb-streams")
# Nobody has it (RFC 2606): what is not caught reaches no other service.
ENDPOINT = "http://dynolith.invalid"


def _text(value: Any) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode()


def _credential(request: Any) -> list[bytes]:
    """Access key, date, region, service and a constant; nothing of a request that is not signed."""
    _, _, credential = _text(request.headers.get("Authorization")).partition(b"Credential=")
    return credential.partition(b",")[0].strip().split(b"/")


def region_of(request: Any) -> str:
    """The region that a prepared request is signed for; empty if it names none."""
    credential = _credential(request)
    return credential[-3].decode() if len(credential) >= 5 else ""


def call_of(request: Any) -> tuple[bytes, bytes, bytes, bytes]:
    """What ``Database.call`` takes, of a prepared request."""
    target = _text(request.headers.get("X-Amz-Target"))
    if not target:
        raise DynolithError("Unimplemented", f"only requests in JSON are answered, with X-Amz-Target: {request.url}")
    body = request.body
    if hasattr(body, "read"):
        body = body.read()
    return target, _text(body), _credential(request)[0], _text(request.headers.get("Host"))


class _Raw(io.BytesIO):
    """What botocore reads an answer from."""

    def stream(self, **_: Any) -> Any:
        yield self.getvalue()


def respond(request: Any, answer: Answer) -> AWSResponse:
    if answer.is_dropped:
        raise ConnectionClosedError(endpoint_url=request.url)
    headers: Any = answer.headers  # only looked up, so a dict serves
    return AWSResponse(request.url, answer.status, headers, _Raw(answer.body))


class Transport:
    """A handler of EVENTS."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __call__(self, request: Any, **_: Any) -> AWSResponse:
        answer = self._database.call(*call_of(request))
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
    """The same for aiobotocore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, request: Any, **_: Any) -> Any:
        from aiobotocore.awsrequest import AioAWSResponse  # pylint: disable=import-outside-toplevel

        answer = await self._database.call_async(*call_of(request))
        if answer.delay > 0:
            await asyncio.sleep(answer.delay)
        if answer.is_dropped:
            raise ConnectionClosedError(endpoint_url=request.url)
        return AioAWSResponse(request.url, answer.status, answer.headers, _AsyncRaw(answer.body))
