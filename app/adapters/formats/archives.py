"""Exported agents of bot platforms: ZIP archives with a file per intent, as Dialogflow's."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from app.adapters.formats.dialogflow import USER_SAYS
from app.adapters.formats.documents import Found, NothingToTakeError, refuse_kind, text_in, trees
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.text import MAX_WHOLE_BYTES, opened
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.library import Line, Problem

KINDS = (ItemKind.MEMORIES, ItemKind.CASES)
MOST_FILES = 10_000
MOST_BYTES = 4 * MAX_WHOLE_BYTES
"""Maximum unpacked size of all files of an archive in bytes."""

READ = (".json", ".yaml", ".yml")
AGENT = "agent.json"
HIDDEN = re.compile(r"(?:^|/)(?:__MACOSX|\.[^/]*)(?:/|$)")
BROKEN = (
    zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, lzma.LZMAError, struct.error, EOFError,
    ValueError,
)  # fmt: skip
"""Exceptions raised for a damaged, encrypted or unsupported archive."""

Find = Callable[[Node], Callable[..., Found] | None]


class _Member(io.BytesIO):
    """File of an archive with its name, from which some intents take theirs."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def read(find: Find, source: Path | BinaryIO, kind: ItemKind, task: Task | None = None) -> Found:
    """Read the files of an archive, lazily; `find` returns a document's reader, or None.

    Raises FormatError if it cannot be read, is too large, or holds no intents. Files without items are skipped.
    """
    refuse_kind("Exported agents", KINDS, kind, task)
    found = False
    with opened(source) as stream:
        try:
            for item in _lines(find, stream, kind, task):
                found = found or isinstance(item, Line)
                yield item
        except BROKEN as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"The archive cannot be unpacked ({error}): unpack it, and import its files.") from None
    if not found:
        raise FormatError("No file of the archive holds intents: unpack it, and import the files that you mean.")


def _lines(find: Find, stream: BinaryIO, kind: ItemKind, task: Task | None) -> Found:
    with zipfile.ZipFile(stream) as archive:
        members = [info for info in archive.infolist() if _is_read(info)]
        if len(members) > MOST_FILES:
            raise FormatError(f"The archive holds more than {MOST_FILES:,} files; so many are not read.")
        left_out = _other_languages(archive, members)
        if left_out:
            named = ", ".join(f"“{language}”" for language in sorted(left_out))
            yield Problem(1, f"What is said in {named} is left out: of several languages one is taken.")
        total = 0
        for info in members:
            if _language(info.filename) in left_out:
                continue
            content = _content(archive, info)
            total += len(content)
            if total > MOST_BYTES:
                raise FormatError(f"The archive holds more than {MOST_BYTES // 2**20} MB; so much is not read.")
            yield from _of_member(find, content, info.filename, kind, task)


def _is_read(info: zipfile.ZipInfo) -> bool:
    name = info.filename
    return not info.is_dir() and PurePosixPath(name).suffix.lower() in READ and not HIDDEN.search(name)


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as stream:
        content = stream.read(MAX_WHOLE_BYTES + 1)
    if len(content) > MAX_WHOLE_BYTES:
        raise FormatError(
            f"“{info.filename[:100]}” holds more than {MAX_WHOLE_BYTES // 2**20} MB; so much is not read."
        )
    return content


def _of_member(find: Find, content: bytes, name: str, kind: ItemKind, task: Task | None) -> Found:
    shown = name[-100:]
    try:
        root = next(trees(io.BytesIO(content)), None)
        reader = None if root is None else find(root)
        for item in () if reader is None else reader(_Member(content, name), kind, task):
            yield Problem(item.line, f"{shown}: {item.sentence}") if isinstance(item, Problem) else item
    except NothingToTakeError:
        return
    except FormatError as error:
        yield Problem(1, f"{shown}: {error}")


def _language(name: str) -> str:
    """Return the language in the name of a file of training phrases."""
    said = USER_SAYS.search(PurePosixPath(name).stem)
    return said[0].rpartition("_")[2] if said else ""


def _other_languages(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> set[str]:
    """Return all languages except the agent's, or without one the first."""
    spoken = list(dict.fromkeys(filter(None, (_language(info.filename) for info in members))))
    agent = next((info for info in members if PurePosixPath(info.filename).name == AGENT), None)
    if len(spoken) < 2:
        return set()
    chosen = _agent_language(_content(archive, agent)) if agent is not None else None
    return set(spoken) - {chosen if chosen in spoken else spoken[0]}


def _agent_language(content: bytes) -> Any:
    try:
        return next((text_in(root.get("language")) for root in _documents(content)), None)
    except FormatError:
        return None


def _documents(content: bytes) -> Iterator[Node]:
    yield from trees(io.BytesIO(content))


def detect_kind(path: Path) -> ItemKind:
    """Return memories: training phrases."""
    return ItemKind.MEMORIES
