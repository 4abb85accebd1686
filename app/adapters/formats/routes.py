"""Routes of semantic-router, JSON or YAML, and lists of intents: each utterance becomes a memory under its intent."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.adapters.formats.documents import Found, TreeReader, text_in
from app.adapters.formats.records import ItemKind, RefusedError, memory_of
from app.adapters.formats.syntax.trees import Node
from app.domain.library import THRESHOLD, Line, Problem

LISTS = ("routes", "intents")
NAMES = ("name", "tag", "intent")
UTTERANCES = ("utterances", "patterns", "examples", "phrases")
"""In the words of semantic-router, and of others that keep intents with what people say for them."""


def _first(node: Node, names: Iterable[str]) -> Node | None:
    return next((found for name in names if (found := node.get(name)) is not None), None)


def _routes(root: Node) -> Node | None:
    return root if isinstance(root.value, list) else _first(root, LISTS)


def _fits(root: Node) -> bool:
    """Whether it holds routes; a list of intents must stand under a name, as powers have names and examples, too."""
    routes = _routes(root)
    words = UTTERANCES[:1] if routes is root else UTTERANCES
    return routes is not None and any(_first(route, words) is not None for route in routes.items())


def _items(root: Node, _: str) -> Found:
    routes = _routes(root)
    for route in () if routes is None else routes.items():
        name, utterances = text_in(_first(route, NAMES)), _first(route, UTTERANCES)
        if name is None:
            yield Problem(route.line, "The route has no “name”.")
        elif utterances is None or not isinstance(utterances.value, list):
            yield Problem(route.line, f"The route “{name[:60]}” has no list of “utterances”.")
        else:
            more = {"response": _response(route), "tags": _tags(route)}
            yield from _utterances(name, utterances, more)


def _utterances(name: str, utterances: Node, more: Mapping[str, Any]) -> Found:
    for utterance in utterances.items():
        try:
            yield Line(utterance.line, memory_of({"text": utterance.plain(), "intent": name, **more}))
        except RefusedError as refused:
            yield Problem(utterance.line, f"An utterance of “{name[:60]}”: {refused}")


def _tags(route: Node) -> list[str]:
    """The route's threshold as a tag, which counts as one of the label where it lies in [0, 1]; what a person has tuned
    is not thrown away elsewhere."""
    node = route.get(THRESHOLD)
    told = None if node is None else node.plain()
    try:
        value = float(told) if isinstance(told, str | int | float) and not isinstance(told, bool) else math.nan
    except (ValueError, OverflowError):
        value = math.nan
    return [f"{THRESHOLD}={value:g}"] if math.isfinite(value) else []


def _response(route: Node) -> str | None:
    """The first of the responses, where it has some."""
    responses = route.get("responses")
    return None if responses is None else next((text_in(one) for one in responses.items()), None)


ROUTES = TreeReader(
    "Routes", ItemKind.MEMORIES, "a list “routes” of objects with “name” and “utterances”", _fits, _items
)


# --------------------------------------------------------------------------------------------------------------------
# Training data of Rasa (YAML): each example becomes a memory under its intent, without the markup of entities

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
