"""What tests need that not every library has: with DYNOLITH_WASM they run on the WebAssembly module, in memory only."""

import os

import pytest

IS_MODULE = bool(os.environ.get("DYNOLITH_WASM"))
# Tests have homes of their own, in which there is no code of the module yet.
os.environ.setdefault("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))


def pytest_configure(config):
    config.addinivalue_line("markers", "native: needs folders or a network, which the WebAssembly module does not have")


def pytest_collection_modifyitems(items):
    for item in items:
        if IS_MODULE and item.get_closest_marker("native"):
            item.add_marker(pytest.mark.skip(reason="the WebAssembly module has databases in memory only"))


@pytest.fixture
def kept(tmp_path):
    """The options of a database in a folder of this name, or in memory where there are no folders."""
    return lambda name: {} if IS_MODULE else {"path": str(tmp_path / name)}
