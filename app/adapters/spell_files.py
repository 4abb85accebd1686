"""Grimoire's spells (*.spell.yaml): each document becomes a power with its keywords, steering and server."""

from __future__ import annotations

from app.adapters.documents import Found, TreeReader
from app.adapters.json_fields import RefusedError
from app.adapters.json_records import ItemKind, power_of
from app.adapters.server_files import transport_of
from app.adapters.trees import Node
from app.ports.store import Line, Problem


def _fits_spell(root: Node) -> bool:
    server = root.get("server")
    return root.get("name") is not None and server is not None and isinstance(server.value, dict)


def _spell_items(root: Node, _: str) -> Found:
    spell = root.plain()
    words = {name: spell.get(name) for name in ("name", "description", "keywords", "examples", "tools")}
    steering = spell.get("steering")
    words["steering"] = steering.strip() if isinstance(steering, str) else steering
    try:
        yield Line(root.line, power_of(words | transport_of(spell["server"])))
    except RefusedError as refused:
        yield Problem(root.line, f"The spell: {refused}")


SPELLS = TreeReader(
    "Spells", ItemKind.POWERS, "“name”, “description”, “keywords” and “server”", _fits_spell, _spell_items
)
