"""Routes of semantic-router, JSON or YAML: each utterance becomes a memory under the route's name as its intent."""

from __future__ import annotations

from app.adapters.documents import Found, TreeReader, text_in
from app.adapters.json_records import ItemKind, RefusedError, memory_of
from app.adapters.trees import Node
from app.ports import Line, Problem


def _routes(root: Node) -> Node | None:
    return root if isinstance(root.value, list) else root.get("routes")


def _fits(root: Node) -> bool:
    routes = _routes(root)
    return routes is not None and any(route.get("utterances") is not None for route in routes.items())


def _items(root: Node, _: str) -> Found:
    routes = _routes(root)
    for route in () if routes is None else routes.items():
        name, utterances = text_in(route.get("name")), route.get("utterances")
        if name is None:
            yield Problem(route.line, "The route has no “name”.")
        elif utterances is None or not isinstance(utterances.value, list):
            yield Problem(route.line, f"The route “{name[:60]}” has no list of “utterances”.")
        else:
            for utterance in utterances.items():
                try:
                    yield Line(utterance.line, memory_of({"text": utterance.plain(), "intent": name}))
                except RefusedError as refused:
                    yield Problem(utterance.line, f"An utterance of “{name[:60]}”: {refused}")


ROUTES = TreeReader(
    "Routes", ItemKind.MEMORIES, "a list “routes” of objects with “name” and “utterances”", _fits, _items
)
