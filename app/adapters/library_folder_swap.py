"""Many files of a folder changed as one: written beside, then put in place; what breaks off is finished by the next."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

import orjson

from app.ports import FormatError

BESIDE = ".intentscope-saving"
"""Where new files stand until all of them are written; only while a library is saved."""

ORDER = "order.json"
"""What is to be put where and what goes; once it is there, the new files are the library."""

OURS = re.compile(r"library\.toml|(?:memories|powers|rules)/[^\0\\:]+\.toml|cases/[^\0\\:]+\.jsonl")
"""The files that are ever written or taken away."""


def swap(folder: Path, put: Mapping[str, bytes], gone: Iterable[str]) -> None:
    """Write these files of a library's folder and take others away: all of it, or nothing; OSError, FormatError."""
    finish(folder)
    beside = folder / BESIDE
    try:
        beside.mkdir()
        for number, content in enumerate(put.values()):
            _write(beside / str(number), content)
        order = {"put": {name: str(number) for number, name in enumerate(put)}, "gone": sorted(gone)}
        for name in (*order["put"], *order["gone"]):
            _place(folder, name)
        _write(beside / "draft", orjson.dumps(order))
        (beside / "draft").replace(beside / ORDER)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    finish(folder)


def finish(folder: Path) -> None:
    """Put in place what was written but not put in place, as when the power went; forget what was half written."""
    beside = folder / BESIDE
    if not beside.is_dir():
        return
    try:
        order = orjson.loads((beside / ORDER).read_bytes())
        put, gone = dict(order["put"]), list(order["gone"])
    except FileNotFoundError:
        shutil.rmtree(beside)
        return
    except (ValueError, KeyError, TypeError):
        raise FormatError(f"{beside} is none that this program made: delete it, and try again.") from None
    for name, number in put.items():
        target = _place(folder, name)
        if re.fullmatch("[0-9]+", str(number)) and (beside / str(number)).is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            (beside / str(number)).replace(target)
    for name in gone:
        target = _place(folder, name)
        target.unlink(missing_ok=True)
        _forget_empty(folder, target.parent)
    shutil.rmtree(beside)


def _place(folder: Path, name: object) -> Path:
    """The file of this name; FormatError for one that would lie elsewhere, as through a link."""
    parts = PurePosixPath(str(name)).parts
    if not isinstance(name, str) or not OURS.fullmatch(name) or ".." in parts:
        raise FormatError(f"“{str(name)[:100]}” is no file of a library, so nothing was written.")
    for depth in range(1, len(parts)):
        if folder.joinpath(*parts[:depth]).is_symlink():
            raise FormatError(f"{folder.joinpath(*parts[:depth])} is a link to another folder, so nothing was written.")
    return folder.joinpath(*parts)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _forget_empty(folder: Path, place: Path) -> None:
    with suppress(OSError):  # it is not empty
        while place != folder:
            place.rmdir()
            place = place.parent
