"""Tests of exports to a terminal: texts cannot control it; a file holds them unchanged."""

import contextlib
import io
import os
import re
import sys
import threading
from pathlib import Path

import pytest

from app.__main__ import main
from app.adapters.store.library import SqlLibrary
from app.domain.library import Memory, Power, Tool, Transport
from app.surfaces.cli.commands.library import WRITTEN
from app.surfaces.cli.terminal import VisibleStream
from tests.program import fed, streams
from tests.waiting import PATIENCE

STEERING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""All control characters except tab and the line ends that a terminal makes of a line feed."""

EVIL = "a\x1b[2J\x9b31m\u202eb\x07\x85\u200f\x7fc"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("profile")
    with contextlib.closing(SqlLibrary.open(made)) as library:
        library.add(
            "memories", [Memory((EVIL, "ß" * 9_000), id=EVIL, intent=EVIL, response=f"{EVIL}\r\n{EVIL}", tags=(EVIL,))]
        )
        library.add("powers", [Power(EVIL, EVIL, tools=(Tool(EVIL, EVIL),), transport=Transport(EVIL, (EVIL,)))])
    return made


def at_a_terminal(words: list[str]) -> tuple[int, str]:
    """Return a command's exit code, and its output on a terminal."""
    import pty

    reading, writing = pty.openpty()
    told: list[bytes] = []

    def read() -> None:
        with contextlib.suppress(OSError):  # the terminal was closed
            while part := os.read(reading, 65_536):
                told.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    terminal = io.TextIOWrapper(os.fdopen(writing, "wb"), encoding="utf-8")
    with terminal, fed(b"") as stdin, streams(stdin, terminal, terminal):
        code = main(words)
    reader.join(PATIENCE)
    os.close(reading)
    return code or 0, b"".join(told).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
@pytest.mark.parametrize("format_", WRITTEN)
@pytest.mark.parametrize("kind", ["memories", "powers"])
def test_that_an_export_does_not_steer_the_terminal(profile: Path, kind: str, format_: str) -> None:
    words = ["export", "--kind", kind, "--format", format_, "--profile", str(profile)]
    code, told = at_a_terminal(words)
    assert code == 0
    assert "[2J" in told
    assert not STEERING.findall(told.replace("\r\n", "\n"))


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_that_a_terminal_that_output_names_is_one_too(profile: Path) -> None:
    import pty

    reading, writing = pty.openpty()
    words = ["export", "--kind", "powers", "--format", "csv", "--profile", str(profile)]
    assert main([*words, "--output", os.ttyname(writing)]) == 0
    os.write(writing, b"the end")
    content = b""
    while not content.endswith(b"the end"):  # a read may return a part
        content += os.read(reading, 65_536)
    os.close(reading)
    os.close(writing)
    told = content.decode()
    assert "[2J" in told
    assert not STEERING.findall(told.replace("\r\n", "\n"))


def test_that_a_file_holds_what_was_taught(profile: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    assert main(["export", "--kind", "powers", "--output", str(file), "--profile", str(profile)]) == 0
    assert EVIL in file.read_text("utf-8")


def test_that_texts_are_whole_wherever_they_are_cut() -> None:
    content = "ä\t\u202eb\r\nc\rd\x1b".encode()
    for size in range(1, len(content) + 1):
        found = io.BytesIO()
        stream = VisibleStream(found)
        for start in range(0, len(content), size):
            stream.write(content[start : start + size])
        assert found.getvalue().decode().startswith("ä\t\\u202eb\nc\nd\u241b")
