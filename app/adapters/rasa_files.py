"""Training data of Rasa (YAML): each example becomes a memory under its intent, without the markup of entities."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.adapters.documents import Found, TreeReader, text_in
from app.adapters.json_fields import RefusedError
from app.adapters.json_records import ItemKind, memory_of
from app.adapters.trees import Node
from app.ports.store import Line, Problem

ENTITY = re.compile(r"\[([^\[\]]++)\](?:\([^()\n]++\)|\{[^{}\n]++\})")
"""[words](entity), [words](entity:value) or [words]{"entity": "name"}."""

DASH = re.compile(r"\s*[-*+]\s+")
OTHERS = ("synonym", "regex", "lookup")
"""What such a list holds besides, which is no example of anything to be told."""


def _fits_rasa(root: Node) -> bool:
    data = root.get("nlu")
    return data is not None and isinstance(data.value, list)


def _rasa_items(root: Node, _: str) -> Found:
    data = root.get("nlu")
    for entry in () if data is None else data.items():
        intent = text_in(entry.get("intent"))
        if intent is None:
            if not any(entry.get(name) for name in OTHERS):
                yield Problem(entry.line, "The entry has no “intent”.")
            continue
        examples = entry.get("examples")
        if examples is None or isinstance(examples.value, dict) or examples.value is None:
            yield Problem(entry.line, f"The intent “{intent[:60]}” has no “examples”.")
            continue
        for line, text in _examples(examples):
            try:
                yield Line(line, memory_of({"text": text, "intent": intent}))
            except RefusedError as refused:
                yield Problem(line, f"An example of “{intent[:60]}”: {refused}")


def _examples(examples: Node) -> Iterator[tuple[int, str | None]]:
    """The examples of one block of lines, each after a dash, or of a list of texts or objects with “text”."""
    if isinstance(examples.value, str):
        for number, line in enumerate(examples.value.split("\n")):
            if line.strip():
                yield examples.line + number, _bare(DASH.sub("", line, count=1))
    for example in examples.items():
        text = example.get("text") if isinstance(example.value, dict) else example
        found = text_in(text)
        yield example.line, None if found is None else _bare(found)


def _bare(text: str) -> str:
    return ENTITY.sub(r"\1", text).strip()


RASA = TreeReader(
    "Rasa's NLU data",
    ItemKind.MEMORIES,
    "a list “nlu” of objects with “intent” and “examples”",
    _fits_rasa,
    _rasa_items,
)
