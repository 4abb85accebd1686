"""Botpress: intents with utterances by language, and questions with answers."""

from __future__ import annotations

from collections.abc import Iterator

from app.adapters.formats.documents import Found, TreeReader, text_in
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.trees import Node
from app.adapters.formats.utterances import (
    first_of,
    in_one_language,
    left_out_languages,
    memories_of,
    memory_line,
    said,
    without_entities,
)
from app.domain.library import Problem


def _entries(root: Node) -> Iterator[Node]:
    """Yield intents, or questions with answers, alone or in a list."""
    held = first_of(root, ("qnas", "intents")) or root
    yield from held.items() if isinstance(held.value, list) else (held,)


def _is_intent(entry: Node) -> bool:
    utterances = entry.get("utterances")
    is_by_language = utterances is not None and isinstance(utterances.value, dict)
    return is_by_language and text_in(entry.get("name")) is not None


def _is_answered(entry: Node) -> bool:
    data = entry.get("data") or entry
    return data.get("questions") is not None and data.get("answers") is not None


def _fits(root: Node) -> bool:
    return any(_is_intent(entry) or _is_answered(entry) for entry in _entries(root))


def _items(root: Node, _: str) -> Found:
    languages: list[str] = []
    chosen = _language(root)
    for entry in _entries(root):
        if _is_intent(entry):
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


def _language(root: Node) -> str | None:
    """Return the first language with texts."""
    held = (_spoken(entry) for entry in _entries(root))
    by_language = (node for node in held if node is not None and isinstance(node.value, dict))
    return next((name for node in by_language for name, texts in node.members() if texts.value), None)


def _spoken(entry: Node) -> Node | None:
    return entry.get("utterances") or (entry.get("data") or entry).get("questions")


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
    ItemKind.MEMORIES,
    "“name” and “utterances” by language, or “qnas”",
    _fits,
    _items,
)
