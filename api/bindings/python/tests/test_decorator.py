"""Everything that @dynolith.mock can stand at runs, is answered here, and begins anew.

Each module is a stranger's, run by a runner of its own: a decorator that turns a test into something that no runner finds has
passed tests that never ran.
"""

import asyncio
import functools
import sys
import unittest

import boto3
import pytest

import dynolith

pytest_plugins = ["pytester"]

MODULE = """
import asyncio
import unittest

import boto3
import dynolith
import pytest

def list_tables():
    return boto3.client("dynamodb").list_tables()["TableNames"]

def make_table(name):
    boto3.client("dynamodb").create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])

"""


@pytest.fixture(autouse=True)
def no_settings(monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def run(pytester, text, **outcomes):
    pytester.makepyfile(MODULE + text)
    pytester.runpytest_subprocess().assert_outcomes(**outcomes)


def test_functions(pytester):
    run(pytester, """
@dynolith.mock
def test_bare():
    make_table("one")
    assert list_tables() == ["one"]

@dynolith.mock()
def test_with_parentheses(tmp_path):
    assert tmp_path.is_dir() and list_tables() == []

@dynolith.mock(region="eu-west-1")
def test_with_options():
    assert list_tables() == []

@pytest.mark.parametrize("turn", range(2))
@dynolith.mock
def test_each_turn_begins_anew(turn):
    assert list_tables() == []
    make_table("one")

@pytest.fixture
@dynolith.mock
def loaded():
    make_table("loaded")
    yield "loaded"

def test_of_a_fixture(loaded):
    assert list_tables() == [loaded]

@dynolith.mock
def test_that_fails():
    assert list_tables() == ["none"]
""", passed=6, failed=1)


def test_a_class_of_tests(pytester):
    run(pytester, """
@dynolith.mock
class TestBare:
    def setup_method(self):
        make_table("of_each")

    def test_one(self):
        make_table("one")
        assert list_tables() == ["of_each", "one"]

    def test_two(self, tmp_path):
        assert list_tables() == ["of_each"]

    @staticmethod
    def test_static():
        assert list_tables() in ([], ["of_each"])  # older pytests make no instance that could be set up

    class TestInner:
        def test_inner(self):
            assert list_tables() == []

@dynolith.mock()
class TestLoadedOnce:
    @classmethod
    def setup_class(cls):
        make_table("of_all")

    def test_one(self):
        make_table("one")
        assert list_tables() == ["of_all", "one"]

    def test_two(self):
        assert list_tables() == ["of_all"]

    @staticmethod
    def test_static():
        make_table("one")
        assert list_tables() == ["of_all", "one"]

    @staticmethod
    @pytest.mark.parametrize("turn", range(2))
    def test_static_with_arguments(turn, tmp_path):
        assert list_tables() == ["of_all"] and turn < 2 and tmp_path.is_dir()

    @classmethod
    def test_of_the_class(cls, tmp_path):
        assert list_tables() == ["of_all"] and tmp_path.is_dir()

class TestDerivedFromLoadedOnce(TestLoadedOnce):
    @staticmethod
    def test_static():
        assert list_tables() == ["of_all"]

class StaticBase:
    @staticmethod
    def test_static():
        assert list_tables() == ["of_all"]

@dynolith.mock
class TestInheritedStatic(StaticBase):
    @classmethod
    def setup_class(cls):
        make_table("of_all")

class TestMethod:
    @dynolith.mock
    def test_one(self):
        assert list_tables() == []

class Base:
    def test_inherited(self):
        assert list_tables() == []

@dynolith.mock
class TestDerived(Base):
    pass

@dynolith.mock
class TestSetUpFails:
    def setup_method(self):
        raise ValueError
    def test_never(self):
        pass

def test_nothing_is_left_behind():
    with pytest.raises(Exception, match="region"):
        list_tables()
""", passed=20, errors=1)


CASES = """
@dynolith.mock
class Bare(unittest.TestCase):
    def setUp(self):
        make_table("of_each")

    def test_one(self):
        make_table("one")
        self.assertEqual(list_tables(), ["of_each", "one"])

    def test_two(self):
        self.assertEqual(list_tables(), ["of_each"])

    def tearDown(self):
        assert "of_each" in list_tables()

@dynolith.mock()
class LoadedOnce(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_table("of_all")

    def test_one(self):
        make_table("one")
        self.assertEqual(list_tables(), ["of_all", "one"])

    def test_two(self):
        self.assertEqual(list_tables(), ["of_all"])

class Derived(Bare):
    def setUp(self):
        make_table("of_each")

@dynolith.mock
class Later(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        make_table("later")

    async def test_one(self):
        self.assertEqual(list_tables(), ["later"])

class StartedAndStopped(unittest.TestCase):
    def setUp(self):
        mock = dynolith.mock()
        mock.start()
        self.addCleanup(mock.stop)

    def test_one(self):
        self.assertEqual(list_tables(), [])
"""


def test_unittest_by_pytest(pytester):
    run(pytester, CASES, passed=8)


def test_unittest_by_itself(pytester):
    pytester.makepyfile(test_cases=MODULE + CASES)
    result = pytester.run(sys.executable, "-m", "unittest", "test_cases")
    assert result.ret == 0 and "Ran 8 tests" in result.stderr.str()


def test_coroutines_and_generators():
    def list_tables():
        return boto3.client("dynamodb").list_tables()["TableNames"]

    @dynolith.mock
    async def later():
        return list_tables()

    @dynolith.mock
    def each():
        yield list_tables()
        yield list_tables()

    @dynolith.mock
    async def each_later():
        yield list_tables()

    async def ask():
        return await later(), [tables async for tables in each_later()], await dynolith.mock(functools.partial(later))()

    assert asyncio.run(ask()) == ([], [[]], [])
    assert list(each()) == [[], []]


def test_what_cannot_be_decorated_is_refused():
    with pytest.raises(TypeError, match="no test in the class .*Code"):
        @dynolith.mock
        class Code:  # pylint: disable=unused-variable
            def run(self):
                pass
    for base in (object, unittest.TestCase):
        with pytest.raises(TypeError, match=r"mock\(path='data'\) is for functions, not for the class .*TestMusic: each test of a class begins anew"):
            @dynolith.mock(path="data")
            class TestMusic(base):  # pylint: disable=unused-variable
                def test_music(self):
                    pass
    with pytest.raises(TypeError, match="not for 'music'"):
        dynolith.mock("music")
    with pytest.raises(TypeError, match="below @pytest.fixture"):
        dynolith.mock(pytest.fixture(lambda: None))
