"""What ``@dynolith.mock`` makes of functions, coroutines, generators and classes of tests."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
import unittest
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._mock import Mock

# Where a class and an instance keep what their tests are in.
_OF_CLASS = "_dynolith_mock_of_class"
_OF_TEST = "_dynolith_mock_of_test"


def decorate(mock: Mock, target: Any) -> Any:
    """The same as ``target``, with a mock around each call or each test. TypeError for what can be neither called nor tested."""
    if isinstance(target, type):
        if mock.path:
            raise TypeError(f"@dynolith.mock(path={mock.path!r}) is for functions, not for the class {target.__qualname__}: each test of a "
                            "class begins anew, and a folder has one database; leave the path out, or give mock(database) one that all share")
        return _decorate_class(mock, target)
    if inspect.isfunction(target) or inspect.ismethod(target) or isinstance(target, functools.partial):
        return _decorate_function(lambda *_: mock.another(), target)
    raise TypeError(f"@dynolith.mock is for functions and classes of tests, not for {target!r}; "
                    "it stands below @pytest.fixture and all that makes something else of a function")


def _decorate_function(make: Callable[..., Any], function: Any) -> Any:
    """``make`` gives what is around a call, of the call's arguments without names."""
    if inspect.isasyncgenfunction(function):
        @functools.wraps(function)
        async def each_later(*arguments: Any, **named: Any) -> Any:
            async with make(*arguments), contextlib.aclosing(function(*arguments, **named)) as values:
                async for value in values:
                    yield value
        return each_later
    if inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def later(*arguments: Any, **named: Any) -> Any:
            async with make(*arguments):
                return await function(*arguments, **named)
        return later
    if inspect.isgeneratorfunction(function):
        @functools.wraps(function)
        def each(*arguments: Any, **named: Any) -> Any:
            with make(*arguments):
                return (yield from function(*arguments, **named))
        return each

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with make(*arguments):
            return function(*arguments, **named)
    return call


def _decorate_class(mock: Mock, cls: type) -> type:
    """Each test begins with databases of its own: empty, or as those are that the class's own set-up has filled."""
    tests = [name for name in dir(cls) if name.startswith("test")]
    if issubclass(cls, unittest.TestCase):
        _decorate_test_case(mock, cls)
        return cls
    inner = [name for name, value in vars(cls).items() if isinstance(value, type) and name.startswith("Test")]
    if not tests and not inner:
        raise TypeError(f"@dynolith.mock found no test in the class {cls.__qualname__}; it is for classes with methods test…")
    for name in inner:
        _decorate_class(mock, getattr(cls, name))
    for name in tests:
        _decorate_method(mock, cls, name)
    if tests:
        _decorate_set_up(mock, cls)
    return cls


def _decorate_method(mock: Mock, cls: type, name: str) -> None:
    method = inspect.getattr_static(cls, name)
    if isinstance(method, staticmethod):
        setattr(cls, name, _Static(mock, method.__func__))
    elif isinstance(method, classmethod):
        setattr(cls, name, _OfClass(mock, method.__func__))
    elif inspect.isfunction(method):
        setattr(cls, name, _decorate_function(lambda test, *_: _around(mock, test, type(test)), method))


def _around(mock: Mock, test: Any, cls: type) -> Any:
    """What is around a test: nothing if setup_method has begun it. That is unknown to some runners, and `test` to older pytests."""
    return contextlib.nullcontext() if _OF_TEST in getattr(test, "__dict__", {}) else _of_test(mock, cls)


# What is found in a class knows both it, which may be derived from the decorated one, and the instance that pytest has set up.
class _Static(staticmethod):  # type: ignore[type-arg]
    def __init__(self, mock: Mock, function: Any) -> None:
        super().__init__(function)
        self._mock = mock

    def __get__(self, test: Any, cls: Any = None) -> Any:
        return _decorate_function(lambda *_: _around(self._mock, test, cls or type(test)), self.__func__)


class _OfClass(classmethod):  # type: ignore[type-arg]
    def __init__(self, mock: Mock, function: Any) -> None:
        super().__init__(function)
        self._mock = mock

    def __get__(self, test: Any, cls: Any = None) -> Any:
        return types.MethodType(_decorate_function(lambda cls, *_: _around(self._mock, test, cls), self.__func__), cls or type(test))


def _begin(mock: Mock, by: type, owner: Any, name: str, set_up: Callable[[], Any]) -> None:
    """Starts a mock that an instance or a class keeps; it is not left behind if what is set up then fails.

    pytest calls the set-up of an outer class for the tests of an inner one, too, before that of the inner one: they share a mock.
    """
    if name not in vars(owner):
        mock.start()
        setattr(owner, name, (by, mock))
    try:
        set_up()
    except BaseException:
        _finish(by, owner, name)
        raise


def _finish(by: type, owner: Any, name: str) -> None:
    """By the class that has begun it."""
    begun_by, mock = vars(owner).get(name, (None, None))
    if mock is not None and begun_by is by:
        delattr(owner, name)
        mock.stop()


def _of_test(mock: Mock, cls: type) -> Mock:
    _, of_class = getattr(cls, _OF_CLASS, (None, None))
    return mock.another() if of_class is None else of_class.fork()


def _decorate_set_up(mock: Mock, cls: Any) -> None:
    """What pytest calls around a class's tests, and around each of them."""
    set_up, tear_down = (getattr(cls, name, None) for name in ("setup_method", "teardown_method"))

    def setup_method(test: Any, method: Any) -> None:
        _begin(_of_test(mock, type(test)), cls, test, _OF_TEST, lambda: _call(set_up, test, method))

    def teardown_method(test: Any, method: Any) -> None:
        try:
            _call(tear_down, test, method)
        finally:
            _finish(cls, test, _OF_TEST)

    cls.setup_method, cls.teardown_method = setup_method, teardown_method
    if not hasattr(cls, "setup_class"):
        return
    set_up_class, tear_down_class = (inspect.getattr_static(cls, name, None) for name in ("setup_class", "teardown_class"))

    def setup_class(tested: Any) -> None:
        _begin(mock.another(), tested, tested, _OF_CLASS, lambda: _call(getattr(set_up_class, "__func__", set_up_class), tested))

    def teardown_class(tested: Any) -> None:
        try:
            _call(getattr(tear_down_class, "__func__", tear_down_class), tested)
        finally:
            _finish(tested, tested, _OF_CLASS)

    cls.setup_class, cls.teardown_class = classmethod(setup_class), classmethod(teardown_class)


def _call(function: Any, *arguments: Any) -> None:
    """With as many arguments as it takes; pytest allows set-ups without the method or the class."""
    if function is None:
        return
    parameters = inspect.signature(function).parameters.values()
    takes = sum(parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters)
    takes = len(arguments) if any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters) else takes
    function(*arguments[:takes])


def _decorate_test_case(mock: Mock, cls: Any) -> None:
    run, set_up_class = cls.run, cls.setUpClass

    def run_test(test: Any, result: Any = None) -> Any:
        with _of_test(mock, type(test)):
            return run(test, result)

    cls.run = run_test
    default: Any = unittest.TestCase.setUpClass
    if set_up_class.__func__ is default.__func__:
        return

    def setUpClass(tested: Any) -> None:  # pylint: disable=invalid-name
        _begin(mock.another(), tested, tested, _OF_CLASS, lambda: tested.addClassCleanup(_finish, tested, tested, _OF_CLASS))
        set_up_class.__func__(tested)

    cls.setUpClass = classmethod(setUpClass)
