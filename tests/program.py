"""The program as somebody starts it: in this process, where that is the same, or in one of its own."""

from __future__ import annotations

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


def run(*words: str | Path, profile: Path, stdin: bytes = b"", folder: Path = PROJECT) -> Done:
    """Run a command in this process as `python -m app` would: streams of bytes behind it, started in this folder.

    What is heavy is imported and loaded once for all tests; what is about the process itself takes `run_alone`.
    """
    given = [*map(str, words), "--profile", str(profile)]
    told = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(content, encoding="utf-8", write_through=True) for content in told)
    with fed(stdin) as asked, contextlib.chdir(folder), streams(asked, out, err):
        try:
            code = main(given)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return subprocess.CompletedProcess(given, code, *(content.getvalue().decode() for content in told))


def run_alone(*words: str | Path, profile: Path, stdin: bytes = b"") -> Done:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "app", *map(str, words), "--profile", str(profile)]
    done = subprocess.run(command, cwd=PROJECT, input=stdin, capture_output=True, check=False, timeout=MOST_SECONDS)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def fed(content: bytes) -> Iterator[io.TextIOWrapper]:
    """A pipe that somebody writes this into, as a shell does."""
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
    """Have these stand for the standard streams meanwhile."""
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
