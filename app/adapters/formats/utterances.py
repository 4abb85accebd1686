"""Common code of intent formats: labelled utterances in various forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from app.adapters.formats.documents import Found, text_in
from app.adapters.formats.records import RefusedError, memory_of
from app.adapters.formats.syntax.trees import Node
from app.domain.library import Line, Problem

TEXT_NAMES = ("text", "utterance", "sentence", "phrase")
"""Names of an object's text."""

PART_NAMES = ("data", "parts", "segments")
"""Names of an object's pieces of text, words and entities in order."""

ENTITY = re.compile(r"\[([^\[\]]++)\](?:\([^()\n]++\)|\{[^{}\n]++\}|\[\s*+\{[^\[\]\n]*\}\s*+\])")
"""Marked entity: [words](entity), [words](entity:value), or [words] with JSON after it.

The JSON is {"entity": "name"}, or a list of such objects.
"""

NESTED = 4
"""Maximum depth of nested entities."""


def first_of(node: Node, names: Iterable[str]) -> Node | None:
    """Return the first of these members that an object has."""
    return next((found for name in names if (found := node.get(name)) is not None), None)


def without_entities(text: str) -> str:
    """Remove the markup of entities, keeping their words."""
    for _ in range(NESTED):
        bare = ENTITY.sub(r"\1", text)
        if bare == text:
            break
        text = bare
    return text.strip()


LABELLED = ("intent", "label", "intentName", "intent_name", "taskName", "topIntent", "category")
"""Names of a label within an utterance."""


def is_utterance(node: Node) -> bool:
    """Return whether a node is a text, or an object with a text and no label."""
    return isinstance(said(node), str) and not any(node.get(name) for name in LABELLED)


def said(node: Node) -> Any:
    """Return the text of a node, plain, in an object or in pieces; other values unchanged."""
    if node.value is None and node.word:
        return node.word
    if not isinstance(node.value, dict):
        return node.plain()
    if (parts := first_of(node, PART_NAMES)) is not None and isinstance(parts.value, list):
        pieces = [text_in_part(part) for part in parts.items()]
        return None if None in pieces else "".join(map(str, pieces))
    return next((text for name in TEXT_NAMES if (text := text_in(node.get(name))) is not None), None)


def text_in_part(part: Node) -> str | None:
    """Return the words of one piece, including blanks."""
    text = part if isinstance(part.value, str) else part.get("text")
    return text.value if text is not None and isinstance(text.value, str) else None


def in_one_language(node: Node | None, wanted: str | None = None) -> tuple[Node | None, list[str]]:
    """Return the list in one language, the wanted or the first, and the names of the others."""
    if node is None or not isinstance(node.value, dict):
        return node, []
    lists = {name: held for name, held in node.members() if isinstance(held.value, list) and held.value}
    chosen = wanted or next(iter(lists), "")
    return lists.get(chosen), [name for name in lists if name != chosen]


def memories_of(
    label: str, utterances: Iterable[Node], more: Mapping[str, Any], bare: Callable[[str], str] = str
) -> Found:
    """Yield a memory per utterance; `more` are further fields, `bare` removes markup."""
    for utterance in utterances:
        text = said(utterance)
        yield memory_line(utterance.line, bare(text) if isinstance(text, str) else text, label, more)


def memory_line(line: int, text: Any, label: str, more: Mapping[str, Any]) -> Line[Any] | Problem:
    """Return a memory or a problem; a tuple of texts are alternatives of one memory."""
    texts = {"triggers": list(text)} if isinstance(text, tuple) else {"text": text}
    try:
        return Line(line, memory_of({**texts, "intent": label, **more}))
    except RefusedError as refused:
        return Problem(line, f"An example of “{label[:60]}”: {refused}")


def left_out_languages(line: int, languages: Iterable[str]) -> Iterator[Problem]:
    """Report the languages left out."""
    if named := ", ".join(f"“{language[:20]}”" for language in languages):
        sentence = f"What is said in {named} is left out: of several languages the first is taken."
        yield Problem(line, f"{sentence} Import the others from files of their own.")
