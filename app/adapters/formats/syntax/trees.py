"""Trees of structured files: nodes with lines, built within limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.domain.errors import FormatError

MAX_DEPTH = 64
"""Maximum depth of lists and objects."""

MAX_NODES = 2_000_000
"""Maximum number of values, with aliases counted each time."""


@dataclass(slots=True)
class Node:
    """Value and its first line, from 1: text, number, boolean, None, list or object of nodes.

    `size` counts the node and its descendants. `word` is the notation of a bare null, where a file may mean the
    word, or “>” for a folded text.
    """

    value: Any
    line: int
    size: int = 1
    word: str = ""

    def get(self, name: str) -> Node | None:
        """Return the member of an object; None if absent or no object."""
        return self.value.get(name) if isinstance(self.value, dict) else None

    def items(self) -> Iterator[Node]:
        """Yield the items of a list; nothing for others."""
        yield from self.value if isinstance(self.value, list) else ()

    def members(self) -> Iterator[tuple[str, Node]]:
        """Yield the members of an object; nothing for others."""
        yield from self.value.items() if isinstance(self.value, dict) else ()

    def fields(self) -> dict[str, Any]:
        """Return the members' values of an object, containers with nodes; empty for others."""
        return {name: node.value for name, node in self.members()}

    def plain(self) -> Any:
        """Return the value without lines."""
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        if isinstance(self.value, dict):
            return {name: node.plain() for name, node in self.value.items()}
        return self.value


def too_many(what: str) -> FormatError:
    most = f"{what} stands for more than {MAX_NODES:,} values, the most that are read of this format"
    return FormatError(f"{most}; JSON Lines and CSV may be of any size.")


class Builder:
    """Builder of nodes in file order; raises FormatError beyond a limit."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._open: list[Node] = []
        self._names: list[str] = []
        self._count = 0

    @property
    def inside(self) -> Node | None:
        """Open list or object, if any."""
        return self._open[-1] if self._open else None

    def name(self, name: str, line: int) -> None:
        """Set the name of the next value in an object."""
        if name in self._open[-1].value:
            raise FormatError(f"Line {line:,}: “{name[:60]}” stands there twice; give it once.")
        self._names.append(name)

    def open(self, value: list[Node] | dict[str, Node], line: int) -> Node:
        if len(self._open) == MAX_DEPTH:
            raise FormatError(f"Line {line:,}: lists and objects are nested more than {MAX_DEPTH} deep.")
        self._counted(1, line)
        node = Node(value, line)
        self._open.append(node)
        return node

    def close(self) -> None:
        self._put(self._open.pop())

    def cut(self) -> Node:
        """Close and return the incomplete value."""
        while self._open:
            self.close()
        assert self.root is not None, "a document begins with its first value"
        return self.root

    def add(self, value: Any, line: int) -> Node:
        self._counted(1, line)
        node = Node(value, line)
        self._put(node)
        return node

    def repeat(self, node: Node, line: int) -> None:
        """Add a value that was built before."""
        self._counted(node.size, line)
        self._put(node)

    def _put(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        inside = self._open[-1]
        inside.size += node.size
        if isinstance(inside.value, list):
            inside.value.append(node)
        else:
            inside.value[self._names.pop()] = node

    def _counted(self, more: int, line: int) -> None:
        self._count += more
        if self._count > MAX_NODES:
            raise too_many(f"Line {line:,}: up to here the file")
