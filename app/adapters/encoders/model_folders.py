"""Checks of sentence-transformers folders without loading, and messages for runtime errors."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from app.domain.errors import EncoderError

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
