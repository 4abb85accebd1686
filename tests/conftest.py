"""Environment of every test: no screen, network or user profile, and no unexpected warning."""

import asyncio
import gc
import inspect
import ipaddress
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pydantic.fields  # noqa: F401 - whole before Qt is: a hook of Qt's reads the source of what is only half there
import pytest
from pytestqt.qtbot import QtBot

from tests.waiting import PATIENCE

pytest_plugins = ["tests.servers.real_model", "tests.profiles", "tests.team"]

# Before Qt chooses a platform. A test of a real window sets the variable for the process that it starts.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# As the program does before numpy is imported; here its entry point may come too late. On a busy machine two threads
# of the linear algebra were seen waiting for each other for half a minute.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests start the program hundreds of times: without bytecode each start compiles all of it again.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False

# A shell that starts the tests in the background makes them, and all programs that they start, ignore Ctrl+C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MEMORY = Path("/dev/shm")
NEEDED = 2**30
"""Number of free bytes required there.

Files of a test are deleted unless it failed.
"""


def holds_files(folder: Path) -> bool:
    """Return whether a file system in memory can hold the tests' files.

    A store waits for the disk hundreds of times.
    """
    try:
        found = os.statvfs(folder)
    except (AttributeError, OSError):
        return False
    can_start = not found.f_flag & (os.ST_NOEXEC | os.ST_RDONLY)
    return can_start and found.f_bavail * found.f_frsize > NEEDED and os.access(folder, os.W_OK)


if holds_files(MEMORY):
    for variable in ("PYTEST_DEBUG_TEMPROOT", "TMPDIR"):
        os.environ.setdefault(variable, str(MEMORY))
    tempfile.tempdir = None  # pytest has already used it

hypothesis.settings.register_profile(
    "intentscope",
    deadline=None,  # shared machines stall; speed has benchmarks
    max_examples=30,
    derandomize=True,  # the same examples in every run; `--hypothesis-profile wide` looks for others
)
hypothesis.settings.register_profile("wide", deadline=None, max_examples=200)
hypothesis.settings.load_profile("intentscope")

TESTS = Path(__file__).parent
QUICK = ("contracts", "gui", "unit")
"""Folders of many short files, which run last."""

OURS = ("app", "db")
"""Loggers whose warnings are checked."""
OWN_VARIABLES = ("INTENTSCOPE_", "SUBCOG_", "OLLAMA_HOST", "OLLAMA_API_KEY")


class NetworkRefusedError(RuntimeError):
    """A test tried to connect to another machine.

    It is no OSError, so that no code handles it like an ordinary fault.
    """


for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitCallback, QtBot.waitExposed):
    assert wait.__kwdefaults__ is not None
    wait.__kwdefaults__["timeout"] = int(1000 * PATIENCE)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "logs(*parts): warnings of ours that this test brings about; each must contain a part, and each part must come",
    )
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # largest groups first would leave the longest file to one process alone


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    gc.disable()  # collected objects are never freed


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow tests first, so that several processes end together."""
    items.sort(key=lambda item: item.path.relative_to(TESTS).parts[0] in QUICK)


def pytest_collection_finish() -> None:
    gc.freeze()  # seven thousand tests are no garbage: no collection needs to scan them again
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(autouse=True, scope="session")
def own_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Remove the settings, profile and language of the user who runs the tests.

    Programs that tests start inherit this environment.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
            patch.delenv(name)
        patch.setenv("INTENTSCOPE_SERVE_KEEP_ENGINE", "false")  # no hook leaves an engine running
        folder = tmp_path_factory.mktemp("home")
        for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(folder / kind.lower()))
        for name in ("LC_ALL", "LANGUAGE"):
            patch.delenv(name, raising=False)
        patch.setenv("LC_MESSAGES", "C")  # sentences are English, whatever the desktop's language
        yield


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restrict connections and look-ups to this machine.

    An attempt fails the test, even if it was caught.
    """
    refused: list[str] = []

    def guard(host: object) -> None:
        if not is_here(host):
            refused.append(str(host))
            raise NetworkRefusedError(f"A test may not reach {host}.")

    class GuardedServer(socket.socket):
        def connect(self, address: Any) -> None:
            guard(address[0] if self.family in (socket.AF_INET, socket.AF_INET6) else None)
            super().connect(address)

        def connect_ex(self, address: Any) -> int:
            guard(address[0] if self.family in (socket.AF_INET, socket.AF_INET6) else None)
            return super().connect_ex(address)

    look_up = socket.getaddrinfo

    def guarded_look_up(host: Any, *arguments: Any, **named: Any) -> Any:
        guard(host)
        return look_up(host, *arguments, **named)

    monkeypatch.setattr(socket, "socket", GuardedServer)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield
    assert not refused, f"The test reached for {', '.join(refused)}."


def is_here(host: object) -> bool:
    """Return whether an address is this machine's own; True for None and an empty host."""
    name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def no_unexpected_warning(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test for a warning in our log, unless its marker `logs` announces it."""
    parts: list[str] = [part for mark in request.node.iter_markers("logs") for part in mark.args]
    kept = Kept()
    for name in OURS:
        logging.getLogger(name).addHandler(kept)
    yield
    for name in OURS:
        logging.getLogger(name).removeHandler(kept)
    surprising = [message for message in kept.messages if not any(part in message for part in parts)]
    assert not surprising, "Nobody expected: " + "; ".join(surprising)
    absent = [part for part in parts if not any(part in message for message in kept.messages)]
    assert not absent, "Never logged: " + "; ".join(absent)
