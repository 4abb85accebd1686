"""Sentences of Home Assistant (YAML), and their tests: expanded templates under intents."""

from __future__ import annotations

from collections.abc import Iterator

from app.adapters.formats.documents import Found, NothingToTakeError, TreeReader, text_in
from app.adapters.formats.records import ItemKind
from app.adapters.formats.sentence_templates import written_out
from app.adapters.formats.syntax.trees import Node
from app.adapters.formats.utterances import memory_line, said


def _blocks(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield labels with their blocks of sentences."""
    intents, tests = root.get("intents"), root.get("tests")
    for name, intent in () if intents is None else intents.members():
        data = intent.get("data")
        yield from ((name, block) for block in (() if data is None else data.items()))
    for test in () if tests is None else tests.items():
        expected = test.get("intent")
        label = None if expected is None else text_in(expected.get("name")) or text_in(expected)
        if label is not None:
            yield label, test


def _is_common(root: Node) -> bool:
    """Return whether a file holds only what sentences share."""
    return root.get("language") is not None and any(root.get(name) for name in ("expansion_rules", "lists"))


def _fits(root: Node) -> bool:
    return any(block.get("sentences") is not None for _, block in _blocks(root)) or _is_common(root)


def _items(root: Node, _: str) -> Found:
    rules = root.get("expansion_rules")
    known = {name: text for name, rule in (rules.members() if rules else ()) if (text := text_in(rule)) is not None}
    found = False
    for label, block in _blocks(root):
        found = True
        sentences = block.get("sentences")
        alone = [sentences] if sentences is not None and isinstance(sentences.value, str) else []
        for sentence in (*alone, *(() if sentences is None else sentences.items())):
            text = said(sentence)
            yield memory_line(sentence.line, written_out(text, known) if isinstance(text, str) else text, label, {})
    if not found:
        raise NothingToTakeError(
            "This file of Home Assistant holds lists and rules, but no sentences. Import the files that have “intents”."
        )


HOME_ASSISTANT = TreeReader(
    "Home Assistant's sentences",
    ItemKind.MEMORIES,
    "“intents” by name, each with “data” that has “sentences”",
    _fits,
    _items,
)
