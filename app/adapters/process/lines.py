"""Child programs with line-by-line output, ended with their reader."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Sequence

from app.domain.errors import KnownError

STOP_SECONDS = 10.0
LONGEST_LINE = 1 << 22
"""Maximum length of a line; pip's report holds READMEs in one line."""


async def output_lines(command: Sequence[str], **environment: str) -> AsyncGenerator[str, None]:
    """Yield a program's output by line; raises KnownError with its last lines. Closing ends it."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        limit=LONGEST_LINE,
        env={"PIP_RETRIES": "2", **os.environ, "PIP_USER": "0", **environment},
    )
    assert process.stdout is not None, "it was asked for"
    last: list[str] = []
    try:
        while line := await process.stdout.readline():
            said = line.decode(errors="replace").strip()
            if said:
                last = [*last[-4:], said]
                yield said
        if await process.wait():
            errors = [line.removeprefix("ERROR: ") for line in last if line.startswith("ERROR: ")] or last[-1:]
            raise KnownError(f"It could not be fetched: {' '.join(errors)[:300].rstrip('.')}.")
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Interrupt a program so that it can clean up; kill it after a time-out."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
