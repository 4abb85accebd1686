"""Folders of sentence-transformers: checks without loading, and installation by child processes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
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

from app.domain.encoder import FetchStep
from app.domain.errors import EncoderError, KnownError

USUAL = "all-MiniLM-L6-v2"
"""Default model."""

DESCRIPTIONS = ("modules.json", "config.json")
WEIGHTS = (".safetensors", ".bin")
PARTS = {".json", ".txt", ".model", *WEIGHTS}
"""Files that determine the vectors: weights, tokenizer, configuration."""

REVISION = 12
"""Number of hexadecimal digits of a revision."""

MODEL_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


def folder_of(model: str) -> Path:
    """Return the folder of a model, given or downloaded; raises EncoderError."""
    model = model or USUAL
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or model.startswith((".", "~")) or not MODEL_NAME.fullmatch(model):
        raise EncoderError(f"Folder not found: {model}. Choose another on the Settings page.")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    repository = model if "/" in model else f"sentence-transformers/{model}"
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, HfHubHTTPError, OSError, ValueError) as error:
        raise EncoderError(
            f"The model {model} is not on this computer. Download it on the Settings page, or choose a folder."
        ) from error


def is_here(model: str) -> bool:
    """Return whether a model needs no download."""
    try:
        folder_of(model)
    except EncoderError:
        return False
    return True


def is_name(model: str) -> bool:
    """Return whether this may be a model's name rather than a folder."""
    model = model or USUAL
    return bool(MODEL_NAME.fullmatch(model)) and not model.startswith((".", "~")) and not Path(model).is_dir()


def revision_of(folder: Path) -> str:
    """Return a downloaded folder's commit, or a digest of its files; raises EncoderError."""
    if folder.parent.name == "snapshots":
        return folder.name[:REVISION]
    whole = hashlib.sha256()
    try:
        for path in _parts(folder):
            with path.open("rb") as file:
                own = hashlib.file_digest(file, "sha256").digest()
            whole.update(path.relative_to(folder).as_posix().encode() + b"\0" + own)
    except OSError as error:
        raise EncoderError(f"{error.filename} cannot be read: {error.strerror or error}.") from error
    return whole.hexdigest()[:REVISION]


def bytes_of(folder: Path) -> int:
    """Return the size on disk of the files that determine the vectors."""
    return sum(path.stat().st_size for path in _parts(folder))


def check_folder(folder: Path) -> None:
    """Check a folder without loading it; raises EncoderError if it is no complete model."""
    if not any((folder / name).is_file() for name in DESCRIPTIONS):
        raise EncoderError(f"{folder} holds no sentence-transformers model: {' and '.join(DESCRIPTIONS)} are missing.")
    parts = _parts(folder)
    weights = [path for path in parts if path.suffix in WEIGHTS]
    if not weights:
        raise EncoderError(f"{folder} holds no weights, such as model.safetensors.")
    for path in weights:
        if path.suffix == ".safetensors":
            _check_length(path)
    if not any(path.name.startswith(("tokenizer", "vocab", "spiece", "sentencepiece")) for path in parts):
        raise EncoderError(f"{folder} holds no tokenizer, such as tokenizer.json.")


def _parts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in PARTS and path.is_file())


def _check_length(path: Path) -> None:
    """Check that a file is as long as its table says."""
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            table = json.loads(file.read(length)) if length < size else {}
        end = max(row["data_offsets"][1] for name, row in table.items() if name != "__metadata__")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EncoderError(f"{path} is damaged and cannot be read. Fetch it again.") from error
    if size != 8 + length + end:
        whole = 8 + length + end
        raise EncoderError(f"{path} is damaged: it has {size:,} of {whole:,} bytes. Fetch it again.")


# ---- Messages for errors of model runtimes, none of which is loaded here.


OUT_OF_MEMORY = ("alloc", "out of memory", "memory exhausted")
"""Words of runtimes for a lack of memory, beside MemoryError."""


def encoder_error(what: str, error: Exception, remedy: str) -> EncoderError:
    """Format “What: why. Remedy.”; a lack of memory is named as such."""
    reason = " ".join(str(error).split())[:300].rstrip(". ") or type(error).__name__
    if isinstance(error, MemoryError) or any(word in reason.lower() for word in OUT_OF_MEMORY):
        reason, remedy = "there is not enough memory for it", "Close other programs, or choose a smaller one."
    return EncoderError(f"{what}: {reason}. {remedy}")


# ---- Installation of missing packages and models by child processes, read line by line.


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
