"""Tests of child programs: line-by-line output, their messages, and their end."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from app.adapters.encoders.installer import output_lines
from app.domain.errors import KnownError


def test_that_what_a_program_says_comes_line_by_line_and_its_failure_is_an_error() -> None:
    async def work() -> None:
        script = "print('Collecting torch'); print('ERROR: No space left on device.'); raise SystemExit(1)"
        lines = output_lines([sys.executable, "-u", "-c", script])
        assert [await anext(lines), await anext(lines)] == ["Collecting torch", "ERROR: No space left on device."]
        with pytest.raises(KnownError, match=r"It could not be fetched: No space left on device\."):
            await anext(lines)

    asyncio.run(work())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interrupt signal")
def test_that_a_program_ends_when_nobody_listens_any_more(tmp_path: Path) -> None:
    script = f"""
import os, time
try:
    print(os.getpid(), flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    open({str(tmp_path / "rolled-back")!r}, "w").close()
"""

    async def work() -> None:
        async with aclosing(output_lines([sys.executable, "-c", script])) as lines:
            process = int(await anext(lines))
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
        assert (tmp_path / "rolled-back").exists()

    asyncio.run(work())
