"""Fixtures of pytest: a database for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from ._mock import mock
from .database import Database

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource


@pytest.fixture(scope="session")
def dynolith_base() -> Iterator[Database | None]:
    """What each test's database begins as; nothing, unless a conftest.py has a fixture of this name that loads something."""
    yield None


@pytest.fixture
def dynolith_database(dynolith_base: Database | None) -> Iterator[Database]:
    """A database of this test's own, in memory, on a clock that the test moves."""
    database = Database(clock="manual") if dynolith_base is None else dynolith_base.fork()
    with database:
        yield database


@pytest.fixture
def dynolith_client(dynolith_database: Database) -> DynamoDBClient:
    """boto3's client on it."""
    return dynolith_database.client()


@pytest.fixture
def dynolith_resource(dynolith_database: Database) -> DynamoDBServiceResource:
    """boto3's resource on it."""
    return dynolith_database.resource()


@pytest.fixture
def dynolith_mock(dynolith_database: Database) -> Iterator[Database]:
    """All clients that the code under test makes are on it."""
    with mock(dynolith_database):
        yield dynolith_database
