"""Graphs of MCP's memory server (memory.jsonl, or JSON): each observation is a memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import orjson

from app.adapters.formats.documents import Found, TextReader, numbered_texts, text_in, trees
from app.adapters.formats.records import FileKind, item_at, memory_of
from app.adapters.formats.syntax.json_documents import parse
from app.adapters.formats.syntax.trees import Node
from app.domain.errors import FormatError
from app.domain.library import Problem

ENTITY, RELATION = "entity", "relation"


def fits(root: Node) -> bool:
    """Return whether a document is such a graph, or one of its entities or relations."""
    entities = root.get("entities")
    if entities is not None:
        return any(entity.get("observations") is not None for entity in entities.items())
    return _type_of(root) is not None


def fits_lines(lines: list[str]) -> bool:
    """Return whether most of the first lines are entities or relations."""
    found = sum(line.startswith("{") and _type_of(_parsed(line)) is not None for line in lines)
    return bool(lines) and 2 * found > len(lines)


def _parsed(line: str) -> Node:
    """Parse the object on a line; an empty one if it is none."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = None
    record = value if isinstance(value, dict) else {}
    return Node({name: Node(held, 1) for name, held in record.items()}, 1)


def _type_of(node: Node) -> str | None:
    kind = text_in(node.get("type"))
    if kind == ENTITY and node.get("observations") is not None and node.get("name") is not None:
        return ENTITY
    return RELATION if kind == RELATION and node.get("relationType") is not None else None


def _memories(source: Path | BinaryIO) -> Found:
    """Yield the observations tagged with their entity and its type, and one problem for all relations."""
    relations: list[int] = []
    for node in _nodes(source):
        if isinstance(node, Problem):
            yield node
        elif node.get("observations") is not None:
            yield from _observations(node)
        elif node.get("relationType") is not None:
            relations.append(node.line)
        else:
            yield Problem(node.line, "An entity with “name” and “observations” was expected.")
    if relations:
        more = f", and so are {len(relations) - 1:,} more" if len(relations) > 1 else ""
        yield Problem(relations[0], f"A relation between entities is left out{more}: a memory has no links to others.")


def _nodes(source: Path | BinaryIO) -> Iterator[Node | Problem]:
    """Yield the entities and relations of a document, or of the lines of a file."""
    texts = numbered_texts(source) if isinstance(source, Path) else ()
    lines = (text for _, text in texts if isinstance(text, str) and text.strip())
    if isinstance(source, Path) and not fits_lines(list(islice(lines, 50))):
        for root in trees(source):
            if not fits(root):
                raise FormatError(
                    f"A graph was expected: an object with “entities”, not what line {root.line:,} begins."
                )
            for name in ("entities", "relations"):
                held = root.get(name)
                yield from () if held is None else held.items()
        return
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif text.strip():
            try:
                node = parse(text)
            except FormatError as error:
                yield Problem(number, str(error).replace("Line 1 is", "The line is", 1).replace("Line 1:", "In it", 1))
                continue
            node.line = number
            yield node


def _observations(entity: Node) -> Found:
    name, kind, held = text_in(entity.get("name")), text_in(entity.get("entityType")), entity.get("observations")
    if name is None or held is None or not isinstance(held.value, list):
        yield Problem(entity.line, "The entity has no “name”, or its “observations” are not a list.")
        return
    if not held.value:
        yield Problem(
            entity.line, f"The entity “{name[:60]}” has no observations, so there is nothing to remember of it."
        )
    for observation in held.items():
        text = text_in(observation) or text_in(observation.get("content"))
        line = max(entity.line, observation.line)
        sentence = text if text is None or name.casefold() in text.casefold() else f"{name}: {text}"
        record = {"text": sentence, "tags": list(dict.fromkeys(filter(None, (name, kind))))}
        yield item_at(line, partial(memory_of, record), f"An observation of “{name[:60]}”: ")


GRAPHS = TextReader("Graphs of MCP's memory server", _memories, (FileKind.MEMORIES,))
