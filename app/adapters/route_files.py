"""Routes of semantic-router, JSON or YAML, and lists of intents: each utterance becomes a memory under its intent."""

from __future__ import annotations

from collections.abc import Iterable

from app.adapters.documents import Found, TreeReader, text_in
from app.adapters.json_fields import RefusedError
from app.adapters.json_records import ItemKind, memory_of
from app.adapters.trees import Node
from app.ports.store import Line, Problem

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
            yield from _utterances(name, utterances, _response(route))


def _utterances(name: str, utterances: Node, response: str | None) -> Found:
    for utterance in utterances.items():
        try:
            yield Line(utterance.line, memory_of({"text": utterance.plain(), "intent": name, "response": response}))
        except RefusedError as refused:
            yield Problem(utterance.line, f"An utterance of “{name[:60]}”: {refused}")


def _response(route: Node) -> str | None:
    """The first of the responses, where it has some."""
    responses = route.get("responses")
    return None if responses is None else next((text_in(one) for one in responses.items()), None)


ROUTES = TreeReader(
    "Routes", ItemKind.MEMORIES, "a list “routes” of objects with “name” and “utterances”", _fits, _items
)
