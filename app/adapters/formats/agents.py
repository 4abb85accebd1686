"""Agents of bot platforms: Botpress, Dialogflow, and ZIP archives with a file per intent."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from app.adapters.formats.documents import (
    CX_PHRASES,
    Found,
    NothingToTakeError,
    TreeReader,
    first_of,
    in_one_language,
    left_out_languages,
    memories_of,
    memory_line,
    refuse_kind,
    said,
    text_in,
    trees,
    without_entities,
)
from app.adapters.formats.records import FileKind
from app.adapters.formats.syntax.text import MAX_WHOLE_BYTES, opened
from app.adapters.formats.syntax.trees import Node
from app.domain.case import Task
from app.domain.errors import FormatError
from app.domain.language import plural
from app.domain.library import Line, Memory, Problem


def _entries(root: Node) -> Iterator[Node]:
    """Yield intents, or questions with answers, alone or in a list."""
    held = first_of(root, ("qnas", "intents")) or root
    yield from held.items() if isinstance(held.value, list) else (held,)


def _has_utterances(entry: Node) -> bool:
    utterances = entry.get("utterances")
    return utterances is not None and isinstance(utterances.value, dict) and text_in(entry.get("name")) is not None


def _is_answered(entry: Node) -> bool:
    data = entry.get("data") or entry
    return data.get("questions") is not None and data.get("answers") is not None


def _botpress(root: Node, _: str) -> Found:
    languages: list[str] = []
    chosen = _first_language(root)
    for entry in _entries(root):
        if _has_utterances(entry):
            utterances, others = in_one_language(entry.get("utterances"), chosen)
            name = text_in(entry.get("name")) or ""
            yield from memories_of(name, utterances.items() if utterances else (), {}, without_entities)
        elif _is_answered(entry):
            data = entry.get("data") or entry
            questions, others = in_one_language(data.get("questions"), chosen)
            if questions is not None:
                yield from _answered(entry, data, questions, chosen)
        else:
            others = []
            yield Problem(entry.line, "The entry has neither “utterances” by language nor “questions” and “answers”.")
        languages += (language for language in others if language not in languages)
    yield from left_out_languages(root.line, languages)


def _first_language(root: Node) -> str | None:
    held = (entry.get("utterances") or (entry.get("data") or entry).get("questions") for entry in _entries(root))
    by_language = (node for node in held if node is not None and isinstance(node.value, dict))
    return next((name for node in by_language for name, texts in node.members() if texts.value), None)


def _answered(entry: Node, data: Node, questions: Node, language: str | None) -> Found:
    """Yield one memory for the questions with a common answer, paused if disabled."""
    answers, _ = in_one_language(data.get("answers"), language)
    texts = [text for one in questions.items() if isinstance(text := said(one), str) and text.strip()]
    spoken = [text for one in (answers.items() if answers else ()) if isinstance(text := said(one), str)]
    is_off = (enabled := data.get("enabled")) is not None and enabled.value in (False, "false")
    more = {"response": spoken[0] if spoken else None, "paused": is_off}
    yield memory_line(entry.line, tuple(map(without_entities, texts)), text_in(entry.get("id")) or "", more)


BOTPRESS = TreeReader(
    "Botpress's intents and questions",
    FileKind.MEMORIES,
    "“name” and “utterances” by language, or “qnas”",
    lambda root: any(_has_utterances(entry) or _is_answered(entry) for entry in _entries(root)),
    _botpress,
)


USER_SAYS = re.compile(r"_usersays_[A-Za-z-]+$")

INTENT = ("auto", "priority", "webhookUsed", "fallbackIntent", "responses")
ENTITY = ("isOverridable", "isEnum", "automatedExpansion", "allowFuzzyExtraction")
AGENT_FIELDS = ("defaultTimezone", "googleAssistant", "supportedLanguages", "enableOnePlatformApi")
"""Fields that identify Dialogflow's other files."""


def _data(phrase: Node) -> object:
    data = phrase.get("data")
    parts = [] if data is None else [*data.items()]
    return parts if parts and all(part.get("text") is not None for part in parts) else None


def _other(root: Node, name: str) -> str | None:
    """Return the message for a Dialogflow file without phrases; None for other files."""
    intent = USER_SAYS.sub("", name)
    if _is_intent(root):
        return (
            "This is a Dialogflow intent without training phrases: they stand beside it in "
            f"{intent}_usersays_en.json or the like. Import that file, or the whole agent as its ZIP file."
        )
    is_entity = root.get("name") is not None and any(root.get(sign) is not None for sign in ENTITY)
    if is_entity or any(one.get("value") is not None and one.get("synonyms") is not None for one in root.items()):
        return (
            "This is an entity of Dialogflow, which no label comes from. Import its intents, or the agent's ZIP file."
        )
    if any(root.get(sign) is not None for sign in AGENT_FIELDS) and root.get("intents") is None:
        return "These are the settings of a Dialogflow agent. Import its intents, or the whole agent as its ZIP file."
    return None


def _is_intent(root: Node) -> bool:
    responses = root.get("responses")
    is_answered = responses is not None and any(one.get("messages") is not None for one in responses.items())
    is_settled = sum(root.get(name) is not None for name in INTENT) > 2
    has_phrases = first_of(root, ("userSays", "trainingPhrases")) is not None
    return root.get("name") is not None and not has_phrases and (is_answered or is_settled)


def _fits_dialogflow(root: Node) -> bool:
    are_phrases = any(isinstance(_data(phrase), list) and phrase.get("intent") is None for phrase in root.items())
    return are_phrases or _other(root, "") is not None


def _dialogflow(root: Node, name: str) -> Found:
    if other := _other(root, name):
        raise NothingToTakeError(other)
    yield from memories_of(USER_SAYS.sub("", name), root.items(), {})


DIALOGFLOW = TreeReader(
    "Dialogflow's training phrases",
    FileKind.MEMORIES,
    "a list of objects with “data”, the pieces of a phrase",
    _fits_dialogflow,
    _dialogflow,
)


KINDS = (FileKind.MEMORIES, FileKind.CASES)
MOST_FILES = 10_000
MOST_BYTES = 4 * MAX_WHOLE_BYTES
"""Maximum unpacked size of all files of an archive in bytes."""

READ = (".json", ".yaml", ".yml")
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


def read(find: Find, source: Path | BinaryIO, kind: FileKind, task: Task | None = None) -> Found:
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


def _lines(find: Find, stream: BinaryIO, kind: FileKind, task: Task | None) -> Found:
    with zipfile.ZipFile(stream) as archive:
        files = (info for info in archive.infolist() if not info.is_dir() and not HIDDEN.search(info.filename))
        members = [info for info in files if PurePosixPath(info.filename).suffix.lower() in READ]
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
            first, *others = _replies(archive, info.filename) if kind is FileKind.MEMORIES else [""]
            for item in _of_member(find, content, info.filename, kind, task):
                if first and isinstance(item, Line) and isinstance(item.value, Memory):
                    yield replace(item, value=replace(item.value, response=first))
                else:
                    yield item
            if others:
                left = plural(len(others), "1 reply is", "{n} replies are")
                yield Problem(1, f"{info.filename[-100:]}: {left} left out; a memory has one response, a text.")


def _replies(archive: zipfile.ZipFile, name: str) -> list[str]:
    """Return the replies of the Dialogflow intent of a file of phrases: texts, then "" for others."""
    said = USER_SAYS.search(path := name.removesuffix(".json"))
    intent = f"{path[: said.start()]}.json" if said else ""
    with suppress(FormatError, KeyError):  # a damaged file is reported where it is read
        root = next(trees(io.BytesIO(_content(archive, archive.getinfo(intent)))), Node(None, 1))
        responses = root.get("responses") or root
        messages = [one for response in responses.items() for one in (response.get("messages") or root).items()]
        own = [one for one in messages if (text_in(one.get("lang")) or _language(name)) == _language(name)]
        speech = [one.get("speech") or one for one in own]
        texts = [text for one in speech for part in (one, *one.items()) if (text := text_in(part))]
        return [*(texts or [""]), *("" for one in own if not one.get("speech"))]
    return [""]


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as stream:
        content = stream.read(MAX_WHOLE_BYTES + 1)
    if len(content) > MAX_WHOLE_BYTES:
        raise FormatError(
            f"“{info.filename[:100]}” holds more than {MAX_WHOLE_BYTES // 2**20} MB; so much is not read."
        )
    return content


def _of_member(find: Find, content: bytes, name: str, kind: FileKind, task: Task | None) -> Found:
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
    if PurePosixPath(name).parent.name == CX_PHRASES:
        return PurePosixPath(name).stem
    said = USER_SAYS.search(PurePosixPath(name).stem)
    return said[0].rpartition("_")[2] if said else ""


def _other_languages(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> set[str]:
    """Return all languages except the agent's, or without one the first."""
    spoken = list(dict.fromkeys(filter(None, (_language(info.filename) for info in members))))
    agent = next((info for info in members if PurePosixPath(info.filename).name == "agent.json"), None)
    if len(spoken) < 2:
        return set()
    chosen = _agent_language(_content(archive, agent)) if agent is not None else None
    return set(spoken) - {chosen if chosen in spoken else spoken[0]}


def _agent_language(content: bytes) -> Any:
    try:
        names = ("language", "defaultLanguageCode")
        return next((text_in(first_of(root, names)) for root in trees(io.BytesIO(content))), None)
    except FormatError:
        return None
