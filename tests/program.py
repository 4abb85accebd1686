"""Starts of the program, in this process where that is equivalent, or in its own."""

import contextlib
import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.__main__ import main

PROJECT = Path(__file__).resolve().parent.parent
MOST_SECONDS = 120

Done = subprocess.CompletedProcess[str]


def run(*words: str | Path, profile: Path, stdin: bytes = b"", folder: Path = PROJECT, encoding: str = "utf-8") -> Done:
    """Run a command in this process as `python -m app` would, in this folder.

    Heavy modules are imported and loaded once for all tests; tests of the process itself use `run_alone`.
    """
    given = [*map(str, words), "--profile", str(profile)]
    told = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(content, encoding=encoding, write_through=True) for content in told)
    with fed(stdin) as asked, contextlib.chdir(folder), streams(asked, out, err):
        try:
            code = main(given)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return subprocess.CompletedProcess(given, code, *(content.getvalue().decode() for content in told))


def run_alone(*words: str | Path, profile: Path, stdin: bytes = b"") -> Done:
    command = [sys.executable, "-m", "app", *map(str, words), "--profile", str(profile)]
    done = subprocess.run(command, cwd=PROJECT, input=stdin, capture_output=True, check=False, timeout=MOST_SECONDS)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def fed(content: bytes) -> Iterator[io.TextIOWrapper]:
    """Return a pipe with this content, as a shell makes one."""
    source, target = os.pipe()

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), os.fdopen(target, "wb") as stream:
            stream.write(content)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with os.fdopen(source, encoding="utf-8") as stream:
            yield stream
    finally:
        writer.join(MOST_SECONDS)


@contextmanager
def streams(stdin: io.TextIOWrapper, stdout: io.TextIOWrapper, stderr: io.TextIOWrapper) -> Iterator[None]:
    """Replace the standard streams in this block."""
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def said(*words: str, profile: Path) -> str:
    done = run(*words, profile=profile)
    assert done.returncode == 0, done.stderr
    return done.stdout
