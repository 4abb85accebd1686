"""Folders that hold a sentence-transformers model, looked over unloaded; what model runtimes raise, in sentences."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from app.domain.errors import EncoderError

USUAL = "all-MiniLM-L6-v2"
"""The model that is meant where none is named."""

DESCRIPTIONS = ("modules.json", "config.json")
WEIGHTS = (".safetensors", ".bin")
PARTS = {".json", ".txt", ".model", *WEIGHTS}
"""What decides the vectors: weights, tokenizer and how they are put together."""

REVISION = 12
"""So many hexadecimal digits tell one content from another."""

MODEL_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


def folder_of(model: str) -> Path:
    """The folder of a model: the folder itself, or where a model of that name was downloaded to; EncoderError."""
    model = model or USUAL
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or model.startswith((".", "~")) or not MODEL_NAME.fullmatch(model):
        raise EncoderError(f"Folder not found: {model}. Choose another on the Settings page.")
    return _downloaded(model)


def is_here(model: str) -> bool:
    """Whether a model named so needs no download."""
    try:
        folder_of(model)
    except EncoderError:
        return False
    return True


def is_name(model: str) -> bool:
    """Whether this could be a model's name, rather than a folder."""
    model = model or USUAL
    return bool(MODEL_NAME.fullmatch(model)) and not model.startswith((".", "~")) and not Path(model).is_dir()


def revision_of(folder: Path) -> str:
    """The commit that a downloaded folder is of, else a digest of the files that decide its vectors; EncoderError."""
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
    """What the files that decide its vectors take on disk."""
    return sum(path.stat().st_size for path in _parts(folder))


def check_folder(folder: Path) -> None:
    """Look a folder over without loading it; EncoderError with a sentence if it can be no whole model."""
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
    """The file begins with the length of its table, and the table says where the last number ends."""
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


def _downloaded(model: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    repository = model if "/" in model else f"sentence-transformers/{model}"
    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, HfHubHTTPError, OSError, ValueError) as error:
        raise EncoderError(
            f"The model {model} is not on this computer. Download it on the Settings page, or choose a folder."
        ) from error


# ---- What model runtimes raise, in sentences for the user; it loads none of them.


OUT_OF_MEMORY = ("alloc", "out of memory", "memory exhausted")
"""What model runtimes say in errors of their own classes; Python's own is MemoryError."""


def encoder_error(what: str, error: Exception, remedy: str) -> EncoderError:
    """“What: why. Remedy.”; a lack of memory is called that, whatever the runtime calls it."""
    reason = " ".join(str(error).split())[:300].rstrip(". ") or type(error).__name__
    if isinstance(error, MemoryError) or any(word in reason.lower() for word in OUT_OF_MEMORY):
        reason, remedy = "there is not enough memory for it", "Close other programs, or choose a smaller one."
    return EncoderError(f"{what}: {reason}. {remedy}")
