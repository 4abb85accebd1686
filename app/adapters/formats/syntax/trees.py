"""What a structured file says, as nodes that know their line, built within limits that no file can exceed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.domain.errors import FormatError

MAX_DEPTH = 64
"""So deeply may lists and objects be nested."""

MAX_NODES = 2_000_000
"""So many values may a file hold, with what its aliases stand for counted as often as they are named."""


@dataclass(slots=True)
class Node:
    """A value (text, number, truth, None, a list of nodes, or nodes by name) and the line where it begins, from 1.

    `size` counts the node and all within it. `word` is how a bare null was written, where a file may mean the word.
    """

    value: Any
    line: int
    size: int = 1
    word: str = ""

    def get(self, name: str) -> Node | None:
        """What an object holds under a name; None if it holds nothing there, or is no object."""
        return self.value.get(name) if isinstance(self.value, dict) else None

    def items(self) -> Iterator[Node]:
        """What a list holds; nothing if it is none."""
        yield from self.value if isinstance(self.value, list) else ()

    def members(self) -> Iterator[tuple[str, Node]]:
        """What an object holds by name; nothing if it is none."""
        yield from self.value.items() if isinstance(self.value, dict) else ()

    def fields(self) -> dict[str, Any]:
        """What an object holds by name, its lists and objects with their lines; nothing if it is none."""
        return {name: node.value for name, node in self.members()}

    def plain(self) -> Any:
        """The value without lines."""
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        if isinstance(self.value, dict):
            return {name: node.plain() for name, node in self.value.items()}
        return self.value


class Builder:
    """Puts nodes together in the order in which a file names them; FormatError where a limit is passed."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._open: list[Node] = []
        self._names: list[str] = []
        self._count = 0

    @property
    def inside(self) -> Node | None:
        """The list or object that is open, if any."""
        return self._open[-1] if self._open else None

    def name(self, name: str, line: int) -> None:
        """The name of the next value in an object."""
        if name in self._open[-1].value:
            raise FormatError(f"Line {line:,}: “{name[:60]}” stands there twice; give it once.")
        self._names.append(name)

    def open(self, value: list[Node] | dict[str, Node], line: int) -> Node:
        """Begin a list or an object."""
        if len(self._open) == MAX_DEPTH:
            raise FormatError(f"Line {line:,}: lists and objects are nested more than {MAX_DEPTH} deep.")
        self._counted(1, line)
        node = Node(value, line)
        self._open.append(node)
        return node

    def close(self) -> None:
        """End the list or object that is open."""
        self._put(self._open.pop())

    def add(self, value: Any, line: int) -> Node:
        """A value that holds no others."""
        self._counted(1, line)
        node = Node(value, line)
        self._put(node)
        return node

    def repeat(self, node: Node, line: int) -> None:
        """A value that was built before."""
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
            raise FormatError(
                f"Line {line:,}: up to here the file stands for more than {MAX_NODES:,} values, the "
                "most that are read of this format; JSON Lines and CSV may be of any size."
            )
