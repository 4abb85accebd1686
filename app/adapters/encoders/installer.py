"""What an encoder lacks, fetched by programs that run beside this one: pip, and the downloader of models."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
from collections.abc import AsyncGenerator, Sequence
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

from app.domain.errors import KnownError

DISTRIBUTION, EXTRA = "intentscope", "sentence-transformers"
LOCK = Path(__file__).parents[3] / "packaging" / "locks" / f"{EXTRA}.txt"
"""In a checkout: the versions that were tested, with the hashes of their files."""
CPU_ONLY = "https://download.pytorch.org/whl/cpu"
"""Where PyTorch offers builds without several GB for graphics cards; asked only where the usual index has none."""

STOP_SECONDS = 10.0
LONGEST_LINE = 1 << 22
"""A report of pip holds whole READMEs, each in a line."""

PIP = ("-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
NEWS = ("Collecting ", "Downloading ", "Processing ", "Using cached ", "Installing ", "Successfully ")
DOWNLOAD = "import sys; from huggingface_hub import snapshot_download as fetch; print(fetch(sys.argv[1]))"


class ProgramInstaller:
    """Each fetching is a process of this interpreter, which ends when nobody listens any more."""

    def hindrance(self) -> str:
        """Why nothing can be installed into this environment, with what to do instead; "" if it can."""
        packages = Path(sysconfig.get_path("purelib"))
        remedy = "Where the sources are, this does it: python packaging/develop.py run --with sentence-transformers"
        if getattr(sys, "frozen", False):
            return f"This bundle cannot take up packages. {remedy}"
        if find_spec("pip") is None:
            return f"This environment has no pip. {remedy}"
        managed = sys.prefix == sys.base_prefix and (Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED").exists()
        if managed or not os.access(packages, os.W_OK):
            return f"{packages} cannot be written to. {remedy}"
        return ""

    async def install(self) -> AsyncGenerator[str, None]:
        """Install the extra into this environment; KnownError with pip's own word if it fails."""
        if hindrance := self.hindrance():
            raise KnownError(hindrance)
        wanted = self._wanted()
        where = await self._where(wanted)
        async with contextlib.aclosing(_lines([sys.executable, *PIP, *wanted, *where])) as lines:
            async for line in lines:
                if line.startswith(NEWS):
                    yield line
        importlib.invalidate_caches()

    async def download(self, model: str) -> AsyncGenerator[str, None]:
        """Fetch a model by its name from the hub; this is the one time that an encoder reaches out."""
        repository = model if "/" in model else f"sentence-transformers/{model}"
        yield f"Fetching {repository}"
        command = [sys.executable, "-I", "-c", DOWNLOAD, repository]
        async with contextlib.aclosing(_lines(command, HF_HUB_OFFLINE="0", TRANSFORMERS_OFFLINE="0")) as lines:
            async for line in lines:
                yield line

    def _wanted(self) -> list[str]:
        """What the extra asks for, held to the versions that were tested."""
        try:
            asked = requires(DISTRIBUTION) or []
        except PackageNotFoundError as error:
            raise KnownError("The program was not installed as a package, so its extras are not known.") from error
        if LOCK.is_file():
            return ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement", str(LOCK)]
        return [word.partition(";")[0].strip() for word in asked if f"extra == '{EXTRA}'" in word.replace('"', "'")]

    async def _where(self, wanted: Sequence[str]) -> list[str]:
        """On Linux, where the usual index has no torch without CUDA: the index that has it."""
        if not sys.platform.startswith("linux"):
            return []
        torch = [word for word in wanted if word.startswith("torch")]
        if not torch and (locked := re.search(r"(?m)^torch==[\d.]+", LOCK.read_text("utf-8"))):
            torch = [locked[0]]
        command = [sys.executable, *PIP, "--quiet", "--dry-run", "--no-deps", "--ignore-installed", "--report", "-"]
        async with contextlib.aclosing(_lines([*command, *torch])) as lines:
            output = "\n".join([line async for line in lines])
        try:
            version = json.loads(output[output.index("{") :])["install"][0]["metadata"]["version"]
        except (ValueError, LookupError, TypeError):
            return []
        return [] if version.endswith("+cpu") else ["--extra-index-url", CPU_ONLY]


async def _lines(command: Sequence[str], **environment: str) -> AsyncGenerator[str, None]:
    """What a program prints, line by line; KnownError with its last words if it fails. Closing ends the program."""
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
        await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Have a program put back what it has begun, as on Ctrl-C, and do not wait for ever."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
