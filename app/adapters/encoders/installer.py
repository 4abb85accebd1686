"""Installation of missing packages and models by child processes, read line by line."""

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

from app.adapters.encoders.model_folders import USUAL
from app.domain.encoder import FetchStep
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


DISTRIBUTION, EXTRA = "intentscope", "sentence-transformers"
LOCK = Path(__file__).parents[3] / "packaging" / "locks" / f"{EXTRA}.txt"
"""Lock file of a checkout: tested versions with hashes."""
CPU_ONLY = "https://download.pytorch.org/whl/cpu"
"""Index of PyTorch's CPU builds, used only if the usual index has none."""

FROM_THE_SOURCES = "Where the sources are, this does it: python packaging/develop.py run --with sentence-transformers"
PIP = ("-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
NEWS = ("Collecting ", "Downloading ", "Processing ", "Using cached ", "Installing ", "Successfully ")
DOWNLOAD = "import sys; from huggingface_hub import snapshot_download as fetch; print(fetch(sys.argv[1]))"


class ProgramInstaller:
    """Installer; each download is a process of this interpreter that ends with its reader."""

    def hindrance(self) -> str:
        """Return why the extra cannot be installed here, and what to do instead; "" if it can."""
        packages = Path(sysconfig.get_path("purelib"))
        if getattr(sys, "frozen", False):
            return f"This bundle cannot take up packages. {FROM_THE_SOURCES}"
        if find_spec("pip") is None:
            return f"This environment has no pip. {FROM_THE_SOURCES}"
        managed = sys.prefix == sys.base_prefix and (Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED").exists()
        if managed or not os.access(packages, os.W_OK):
            return f"{packages} cannot be written to. {FROM_THE_SOURCES}"
        return ""

    async def install(self) -> AsyncGenerator[FetchStep, None]:
        """Install sentence-transformers into this environment; raises KnownError with pip's message."""
        if hindrance := self.hindrance():
            raise KnownError(hindrance)
        wanted = self._wanted()
        where = await self._where(wanted)
        async with contextlib.aclosing(output_lines([sys.executable, *PIP, *wanted, *where])) as lines:
            async for line in lines:
                if line.startswith(NEWS):
                    yield FetchStep(line)
        importlib.invalidate_caches()

    async def download(self, model: str) -> AsyncGenerator[FetchStep, None]:
        """Download a model by its name from the hub, the only network access of this encoder."""
        model = model or USUAL
        repository = model if "/" in model else f"sentence-transformers/{model}"
        yield FetchStep(f"Fetching {repository}")
        command = [sys.executable, "-I", "-c", DOWNLOAD, repository]
        async with contextlib.aclosing(output_lines(command, HF_HUB_OFFLINE="0", TRANSFORMERS_OFFLINE="0")) as lines:
            async for line in lines:
                yield FetchStep(line)

    def _wanted(self) -> list[str]:
        """Return the extra's requirements, pinned to tested versions."""
        try:
            asked = requires(DISTRIBUTION) or []
        except PackageNotFoundError as error:
            raise KnownError("The program was not installed as a package, so its extras are not known.") from error
        if LOCK.is_file():
            return ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement", str(LOCK)]
        return [word.partition(";")[0].strip() for word in asked if f"extra == '{EXTRA}'" in word.replace('"', "'")]

    async def _where(self, wanted: Sequence[str]) -> list[str]:
        """Return options for an index of torch without CUDA, on Linux, if needed."""
        if not sys.platform.startswith("linux"):
            return []
        torch = [word for word in wanted if word.startswith("torch")]
        if not torch and (locked := re.search(r"(?m)^torch==[\d.]+", LOCK.read_text("utf-8"))):
            torch = [locked[0]]
        command = [sys.executable, *PIP, "--quiet", "--dry-run", "--no-deps", "--ignore-installed", "--report", "-"]
        async with contextlib.aclosing(output_lines([*command, *torch])) as lines:
            output = "\n".join([line async for line in lines])
        try:
            version = json.loads(output[output.index("{") :])["install"][0]["metadata"]["version"]
        except (ValueError, LookupError, TypeError):
            return []
        return [] if version.endswith("+cpu") else ["--extra-index-url", CPU_ONLY]
