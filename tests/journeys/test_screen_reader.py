"""Tests of a screen reader on a real X server: rows, cells and values over AT-SPI."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from app.gui.scope.dock_layout import FILE, Arrangement, Pane, write
from app.gui.scope.panels.panel import Place
from tests.waiting import PATIENCE

PROJECT = Path(__file__).parents[2]
PROGRAMS = ("dbus-run-session", "xvfb-run")
REGISTRY = Path("/usr/libexec/at-spi2-registryd")
QUERY = "the xcode build takes forever"


def missing() -> str:
    if sys.platform != "linux":
        return "AT-SPI is there on Linux alone"
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    lacking += [] if REGISTRY.exists() else [str(REGISTRY)]
    return f"not installed: {', '.join(lacking)}" if lacking else ""


@pytest.fixture(scope="module")
def told(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[int, str, str]]:
    """Return everything that a screen reader gets of the window, in order: depth, role, name."""
    if lacking := missing():
        pytest.skip(lacking)
    panes = {key: Pane(Place.LEFT) for key in ("intent", "llm", "powers")}
    write(Arrangement({**panes, "selected": Pane(Place.RIGHT)}, {}), seeded / FILE)
    screen = f"-an{1_000 + os.getpid() % 50_000}"  # its own first number: two that look for one may take the same
    command = ["dbus-run-session", "--", "xvfb-run", screen, sys.executable, __file__, str(seeded)]
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t", 2) for line in done.stdout.splitlines() if line.count("\t") >= 2]
    return [(int(depth), role, name) for depth, role, name in lines]


def below(told: list[tuple[int, str, str]], name: str) -> list[tuple[int, str, str]]:
    """Return the content of the last non-empty object of this name."""
    found: list[tuple[int, str, str]] = []
    for place, (depth, _, said) in enumerate(told):
        if said == name:
            end = next((n for n in range(place + 1, len(told)) if told[n][0] <= depth), len(told))
            found = told[place + 1 : end] or found
    return found


def has_answers(cells: list[tuple[int, str, str]]) -> bool:
    """Return whether a cell of matches tells a confidence."""
    return any(role == "cell" and re.search(r", [<>]?\d+ %, ", said) is not None for _, role, said in cells)


def test_that_the_type_is_read_with_its_confidence(told: list[tuple[int, str, str]]) -> None:
    lines = [said for _, role, said in below(told, "Type of the query") if role == "line"]
    assert re.fullmatch(r"\W*Troubleshoot\W*\d+ %\W*", lines[0])


def test_that_matches_are_a_table_with_heads_and_values(told: list[tuple[int, str, str]]) -> None:
    cells = below(told, "Matches, best first")
    assert any(role == "column header" and said == "Answer" for _, role, said in cells)
    assert has_answers(cells)


@pytest.mark.parametrize("pane", ["Selected match", "Powers and route"])
def test_that_each_document_is_read(told: list[tuple[int, str, str]], pane: str) -> None:
    assert [said for _, role, said in below(told, pane) if role == "line" and said]


def test_that_a_folded_pane_is_a_button_with_its_name(told: list[tuple[int, str, str]]) -> None:
    assert "Open This query" in [said for _, role, said in below(told, "Folded panes")]


def test_that_every_button_on_the_scope_has_a_name(told: list[tuple[int, str, str]]) -> None:
    assert "Teach the query as a memory" in [said for _, role, said in told if role == "push button"]


# ---- the screen reader itself, in its own session


def read_window(profile: str) -> None:
    """Start the window, wait until a query is answered, and record what is exposed."""
    from jeepney import DBusAddress, new_method_call  # type: ignore[import-untyped]
    from jeepney.io.blocking import open_dbus_connection  # type: ignore[import-untyped]

    session = open_dbus_connection("SESSION")
    ask = new_method_call(DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress")
    bus = open_dbus_connection(bus=session.send_and_get_reply(ask).body[0])

    def call(name: str, path: str, interface: str, member: str, *given: str | int) -> object:
        signature = "".join("s" if isinstance(value, str) else "i" for value in given) or None
        message = new_method_call(DBusAddress(path, name, interface), member, signature, given)
        reply = bus.send_and_get_reply(message)
        return reply.body[0] if reply.header.message_type.name == "method_return" else None

    def walk(name: str, path: str, depth: int = 0) -> Iterator[tuple[int, str, str]]:
        here = "org.a11y.atspi.Accessible"
        role = call(name, path, here, "GetRoleName")
        said = call(name, path, "org.freedesktop.DBus.Properties", "Get", here, "Name")
        yield depth, str(role), str(said[1] if isinstance(said, tuple) else "")
        text = call(name, path, "org.a11y.atspi.Text", "GetText", 0, -1)
        for line in text.splitlines() if isinstance(text, str) else ():
            yield depth + 1, "line", line
        children = call(name, path, here, "GetChildren")
        for owner, place in children if isinstance(children, list) else ():
            if not place.endswith("/null"):
                yield from walk(owner, place, depth + 1)

    root = "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"
    found = list(walk(*root))  # starts the registry: a window that comes before it may never be listed
    words = [sys.executable, "-m", "app", "--profile", profile, "--query", QUERY]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    window = subprocess.Popen(words, env=environment)
    try:
        ends = monotonic() + PATIENCE
        while monotonic() < ends:
            before, found = found, list(walk(*root))
            is_read = all(len(below(found, name)) > 3 for name in ("Selected match", "Type of the query"))
            is_final = found == before and not any(said.startswith("Provisional:") for _, _, said in found)
            if is_read and is_final and has_answers(below(found, "Matches, best first")):
                break
            sleep(0.5)
        assert (code := window.poll()) is None, f"the window has ended by itself with {code}"
        for depth, role, said in found:
            print(depth, role, " ".join(said.split()), sep="\t")
    finally:
        window.terminate()
        window.wait(PATIENCE)


if __name__ == "__main__":
    read_window(sys.argv[1])
