"""Datasets of Snips in YAML: a document per intent or entity, slots as [slot](words)."""

from __future__ import annotations

import re

from app.adapters.formats.documents import Found, TreeReader, text_in
from app.adapters.formats.records import ItemKind
from app.adapters.formats.syntax.trees import Node
from app.adapters.formats.utterances import memories_of
from app.domain.library import Problem

SLOT = re.compile(r"\[[^\[\]]+\]\(([^()]*)\)")
"""Slot as [slot](words) or [slot:entity](words), reversed from other formats."""

TYPES = ("intent", "entity")


def _fits(root: Node) -> bool:
    return text_in(root.get("type")) in TYPES and (root.get("utterances") or root.get("values")) is not None


def _items(root: Node, _: str) -> Found:
    name, utterances = text_in(root.get("name")), root.get("utterances")
    if text_in(root.get("type")) != TYPES[0]:
        return
    if name is None or utterances is None:
        yield Problem(root.line, "The intent has no “name”, or no “utterances”.")
        return
    yield from memories_of(name, utterances.items(), {}, lambda text: SLOT.sub(r"\1", text))


SNIPS = TreeReader(
    "Snips datasets", ItemKind.MEMORIES, "documents with “type: intent”, “name” and “utterances”", _fits, _items
)
