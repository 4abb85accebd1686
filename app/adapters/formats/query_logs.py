"""Logs of real queries: plain text, JSON Lines, hooks' logs, and the user's part of chats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from app.adapters.formats.records import MAX_CHARACTERS
from app.adapters.formats.syntax.text import byte_lines, opened, text_of, too_long, whole_text
from app.domain.errors import FormatError
from app.domain.library import Line, Problem

PEOPLE = frozenset({"user", "human"})
"""Speakers of a chat whose messages are queries."""


def is_messages(value: Any) -> bool:
    """Return whether a value is a list of messages with speakers."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and _speaker(one) for one in value)


def is_conversation(record: Any) -> bool:
    return isinstance(record, dict) and any(isinstance(record.get(name), list | dict) for name in CONVERSATIONS)


def said(conversation: Any) -> Iterator[str]:
    """Yield the user's messages in order, of any shape in CONVERSATIONS or a bare list."""
    if isinstance(conversation, list):
        yield from _of_messages(conversation)
    elif isinstance(conversation, dict):
        for name, read in CONVERSATIONS.items():
            if isinstance(conversation.get(name), list | dict):
                yield from read(conversation[name])
                return


def _of_messages(messages: Any) -> Iterator[str]:
    """Yield the user's messages: role and content, from and value, or sender and text."""
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and _speaker(message) in PEOPLE:
            held = next((message[name] for name in ("content", "value", "text", "message") if message.get(name)), None)
            text = _plain(held)
            if text.strip():
                yield text


def _of_mapping(mapping: Any) -> Iterator[str]:
    """Yield the user's messages of a tree with author and parts, by time."""
    nodes = list(mapping.values()) if isinstance(mapping, dict) else []
    messages = [node["message"] for node in nodes if isinstance(node, dict) and isinstance(node.get("message"), dict)]
    yield from _of_messages(sorted(messages, key=_time))


def _time(message: Mapping[str, Any]) -> float:
    at = message.get("create_time")
    return float(at) if isinstance(at, int | float) else 0.0


def _speaker(message: Mapping[str, Any]) -> str:
    author = message.get("author")
    named = author.get("role") if isinstance(author, dict) else None
    for held in (named, message.get("role"), message.get("from"), message.get("sender")):
        if isinstance(held, str) and held:
            return held.lower()
    return ""


def _plain(content: Any) -> str:
    """Return the text of a content, which may have parts such as pictures."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _plain(content.get("parts") or content.get("text") or "")
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := _plain(part)))
    return ""


CONVERSATIONS: Mapping[str, Callable[[Any], Iterator[str]]] = {
    "messages": _of_messages,
    "conversations": _of_messages,
    "conversation": _of_messages,
    "chat_messages": _of_messages,
    "mapping": _of_mapping,
    "message": lambda message: _of_messages([message]),
}
"""Readers of conversations by the name of their messages."""


# ---- Logs of real queries: plain text, JSON Lines, hooks' logs, and the user's part of chats

FIELDS = ("query", "text", "prompt", "message", "user_prompt", "input")
"""Names of the query in a line of JSON, in order of precedence."""

PROMPTED = "UserPromptSubmit"
"""Hook event with a query; others are skipped."""

TELLING = re.compile(r"""\b(?:query|prompt)=("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
"""Query in a line of a plain log: query="how do I …"."""

MARKUP = re.compile(r"\x1b\[[0-9;]*m")
"""Colour codes in a log."""

NO_QUERY = f"The line holds no text under {', '.join(FIELDS[:-1])} or {FIELDS[-1]}."
NO_JSON = "The line is not valid JSON ({why})."
NO_CHAT = "No conversation was found here: a list of messages with role and content, or a chat export, was expected."
TOO_LONG = f"The query is longer than {MAX_CHARACTERS:,} characters."

Found = Iterator["Line[str] | Problem"]


def read_log(source: Path | BinaryIO, format_name: str = "auto") -> Found:
    """Read the queries of a log with lines from 1, and problems for lines that lack one.

    Blank lines and other speakers are skipped. Raises FormatError if the log cannot be read.
    """
    if format_name == "auto":
        return _read_auto(source)
    if format_name not in LOGS:
        raise FormatError(f"Unknown log format “{format_name}”; choose one of auto, {', '.join(LOGS)}.")
    return _checked(LOGS[format_name](source))


def _checked(found: Found) -> Found:
    for one in found:
        if isinstance(one, Line) and len(one.value) > MAX_CHARACTERS:
            yield Problem(one.number, TOO_LONG)
        elif isinstance(one, Problem) or one.value.strip():
            yield one


Lines = Iterable[tuple[int, bytes | None]]
"""Line numbers from 1 and lines; None for a line that is too long."""

# ---- Detection


def _read_auto(source: Path | BinaryIO) -> Found:
    """Read by the format of the first non-blank line: JSON, hook's log, or plain text."""
    with opened(source) as stream:
        lines = byte_lines(stream)
        first = next(((number, line) for number, line in lines if line is None or line.strip()), None)
        if first is None:
            return
        name = _name_of(first[1])
        if name != "document":
            yield from _checked(LINED[name](chain([first], lines)))
            return
        content = b"" if isinstance(source, Path) else _joined(chain([first], lines))
    yield from _checked(_document(whole_text(source).encode() if isinstance(source, Path) else content, first[0]))


def _joined(lines: Lines) -> bytes:
    """Join all lines to one document; raises FormatError if one was too long."""
    pieces: list[bytes] = []
    for _, line in lines:
        if line is None:
            raise FormatError(f"{too_long()} Take the file in from the window instead.")
        pieces.append(line)
    return b"".join(pieces)


def _name_of(line: bytes | None) -> str:
    """Return the name of the reader for such a first line; "document" if it may span lines."""
    if line is None:
        return "document"
    begin = line.strip()
    if begin[:1] not in b"{[" or not begin:
        return "subcog" if TELLING.search(begin.decode("utf-8", "replace")) else "text"
    try:
        record = orjson.loads(begin)
    except ValueError:
        return "jsonl" if begin.startswith(b"{") and begin.endswith(b"}") else "document"
    if isinstance(record, list):
        return "document"
    if is_conversation(record):
        return "chat"
    return "subcog" if "hook_event_name" in record or isinstance(record.get("fields"), dict) else "jsonl"


# ---- Line by line


def _lined(reader: Callable[[Lines], Found]) -> Callable[[Path | BinaryIO], Found]:
    def read(source: Path | BinaryIO) -> Found:
        with opened(source) as stream:
            yield from reader(byte_lines(stream))

    return read


def _texts(lines: Lines) -> Iterator[Line[str] | Problem]:
    for number, line in lines:
        if line is None:
            yield Problem(number, too_long())
            continue
        try:
            text = text_of(line).strip()
        except FormatError as error:
            yield Problem(number, str(error))
            continue
        if text:
            yield Line(number, text)


def _records(lines: Lines) -> Iterator[Line[Any] | Problem]:
    """Yield every line that is not blank, parsed as JSON."""
    for found in _texts(lines):
        if isinstance(found, Problem):
            yield found
            continue
        try:
            yield Line(found.number, orjson.loads(found.value))
        except ValueError as error:
            yield Problem(found.number, NO_JSON.format(why=str(error).partition(":")[0]))


def _json_lines(lines: Lines) -> Found:
    """Yield the queries of lines: a text, an object with one of FIELDS, or a conversation."""
    for found in _records(lines):
        if isinstance(found, Problem):
            yield found
        elif isinstance(found.value, dict) and is_conversation(found.value):
            yield from (Line(found.number, text) for text in said(found.value))
        elif (query := _query_of(found.value)) is not None:
            yield Line(found.number, query)
        else:
            yield Problem(found.number, NO_QUERY)


def _hook_lines(lines: Lines) -> Found:
    """Yield the queries of a hook's input or log: JSON with a prompt, or lines with query="…"."""
    for found in _texts(lines):
        if isinstance(found, Problem):
            yield found
        elif found.value.startswith("{"):
            yield from _hook_record(found)
        elif telling := TELLING.search(MARKUP.sub("", found.value)):
            shown = re.sub(r"\\(.)", lambda sign: {"n": "\n", "t": "\t"}.get(sign[1], sign[1]), telling.group(1)[1:-1])
            yield Line(found.number, shown)


def _hook_record(found: Line[str]) -> Found:
    try:
        record = orjson.loads(found.value)
    except ValueError as error:
        yield Problem(found.number, NO_JSON.format(why=str(error).partition(":")[0]))
        return
    if record.get("hook_event_name", PROMPTED) != PROMPTED:
        return
    for held in (record.get("fields"), record.get("input"), record.get("span"), record):
        if isinstance(held, dict):
            query = _first_text(held, ("query", "prompt", "user_prompt"))
            if query is not None:
                yield Line(found.number, query)
                return
    if "hook_event_name" in record:
        yield Problem(found.number, "The event holds no prompt.")


def _chat_lines(lines: Lines) -> Found:
    for found in _records(lines):
        if isinstance(found, Problem):
            yield found
        elif texts := list(said(found.value)):
            yield from (Line(found.number, text) for text in texts)
        elif not is_conversation(found.value):
            yield Problem(found.number, NO_CHAT)


def _query_of(record: Any) -> str | None:
    if isinstance(record, str):
        return record
    return _first_text(record, FIELDS) if isinstance(record, dict) else None


def _first_text(record: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((held for name in names if isinstance(held := record.get(name), str) and held.strip()), None)


# ---- Conversations


def _chat(source: Path | BinaryIO) -> Found:
    """Read a document of conversations, or one conversation per line."""
    content = whole_text(source)
    stripped = content.lstrip()
    first_line = stripped.partition("\n")[0]
    try:
        json.loads(first_line)
        is_lined = first_line.startswith("{") and "\n{" in stripped
    except ValueError:
        is_lined = False
    if is_lined:
        yield from _chat_lines(enumerate((line.encode() for line in content.split("\n")), 1))
    else:
        yield from _document(content.encode(), 1)


def _document(content: bytes, line: int) -> Found:
    """Yield the user's messages of a JSON document, all reported with `line`."""
    try:
        document = orjson.loads(content)
    except ValueError as error:
        raise FormatError(f"The file is not valid JSON ({error}).") from error
    known = 0
    for part in document if isinstance(document, list) and not is_messages(document) else [document]:
        if is_conversation(part) or is_messages(part):
            known += 1
            yield from (Line(line, text) for text in said(part))
        elif (query := _query_of(part)) is not None:
            known += 1
            yield Line(line, query)
    if not known:
        raise FormatError(NO_CHAT)


LINED: Mapping[str, Callable[[Lines], Found]] = {
    "text": _texts,
    "jsonl": _json_lines,
    "subcog": _hook_lines,
    "chat": _chat_lines,
}

LOGS: Mapping[str, Callable[[Path | BinaryIO], Found]] = {
    **{name: _lined(reader) for name, reader in LINED.items()},
    "chat": _chat,
}
"""Lazy readers of the logs that can be read, by format: plain text, JSON Lines, a hook's log, chats."""
