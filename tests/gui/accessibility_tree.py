"""Text of the window's accessibility tree, page by page."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface

from app.gui.shell.main_window import MainWindow
from tests.build import some

ACTIVE = frozenset(
    {
        QAccessible.Role.Button,
        QAccessible.Role.ButtonMenu,
        QAccessible.Role.CheckBox,
        QAccessible.Role.RadioButton,
        QAccessible.Role.ComboBox,
        QAccessible.Role.EditableText,
        QAccessible.Role.Link,
        QAccessible.Role.List,
        QAccessible.Role.PageTab,
        QAccessible.Role.Slider,
        QAccessible.Role.SpinBox,
        QAccessible.Role.Table,
        QAccessible.Role.Tree,
    }
)
"""Roles of interactive elements, each of which must have a name."""
MOST_ITEMS, LONGEST = 12, 160
SHELL = "qt_"
"""Prefix of Qt's inner parts, which are named by their widget."""


@dataclass(frozen=True, slots=True)
class Node:
    """Element of the tree: depth, role, name."""

    depth: int
    role: QAccessible.Role
    name: str
    value: str
    description: str
    focusable: bool
    hidden: bool
    made_by: str

    @property
    def is_unnamed(self) -> bool:
        return not self.hidden and not self.name and (self.focusable or self.role in ACTIVE)

    def line(self) -> str:
        said = [self.role.name, f"“{_short(self.name)}”" if self.name else ""]
        if self.value and self.value != self.name:
            said.append(f"= {_short(self.value)}")
        if self.description:
            said.append(f"({_short(self.description)})")
        if self.focusable:
            said.append("[focus]")
        return "  " * self.depth + " ".join(filter(None, said)) + (f"   !! {self.made_by}" if self.is_unnamed else "")


def walk(interface: QAccessibleInterface, depth: int = 0) -> Iterator[Node]:
    """Yield everything visible below an interface, itself first; long lists are cut."""
    state = interface.state()
    thing: QObject | None = interface.object()
    name = thing.objectName() if thing is not None else ""
    if state.invisible:
        return
    text = QAccessible.Text
    yield Node(
        depth,
        interface.role(),
        interface.text(text.Name).strip(),
        interface.text(text.Value).strip(),
        interface.text(text.Description).strip(),
        bool(state.focusable) and not name.startswith(SHELL),
        name.startswith(SHELL),
        f"{type(thing).__module__}.{type(thing).__name__}" if thing is not None else "",
    )
    items = 0
    for place in range(interface.childCount()):
        child = interface.child(place)
        if not child.isValid():
            continue
        if child.object() is None:
            items += 1
            if items > MOST_ITEMS:
                continue
        yield from walk(child, depth + 1)


def tree_of(window: MainWindow) -> list[Node]:
    return list(walk(some(QAccessible.queryAccessibleInterface(window))))


def _short(text: str) -> str:
    text = " / ".join(text.split("\n"))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
