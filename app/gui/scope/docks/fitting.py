"""Fitting docks into their room: how large each may be, how large each is made, how large each was dragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from app.gui.kit.theme.theme import Theme
from app.gui.scope.docks.arrangement import Place
from app.gui.scope.docks.docks import Dock
from app.gui.scope.docks.room import BELOW, LEAST_SIDE, LEFT, RIGHT, Room
from app.gui.scope.panels.panel import HEAD
from app.gui.scope.panels.table import Area

UNBOUNDED = 16_777_215
"""Qt's own bound of a size, in pixels."""

_WIDTHS = {Place.LEFT: LEFT, Place.RIGHT: RIGHT}

There = Mapping[Place, Sequence[Dock]]
"""The docks in each place, in their order."""


def bound(dock: Dock, got: Room, beside: Sequence[Dock], theme: Theme) -> None:
    """Let a dock be as small and as large as its place allows; `beside` are those of its place, itself among them."""
    px = theme.px
    least, most = QSize(px(LEAST_SIDE), px(HEAD)), QSize(UNBOUNDED, UNBOUNDED)
    if dock in beside and dock.place is Place.BELOW:
        least.setHeight(px(HEAD if got.is_short else BELOW[0]))
        most.setHeight(px(HEAD) + 2 if got.is_short else px(BELOW[1]))  # Qt draws no edge at what cannot be dragged
    elif dock in beside and not dock.is_over:
        wanted = got.left if dock.place is Place.LEFT else got.right
        least.setWidth(px(min(_WIDTHS[dock.place][0], wanted)))
        most.setWidth(px(_WIDTHS[dock.place][1]))
        height = dock.panel.height_in(got.above)
        if height is not None and any(other.row.stretch for other in beside):
            least.setHeight(px(height))
            most.setHeight(px(height))
    dock.setMinimumSize(least)
    dock.setMaximumSize(most)


def share(main: QMainWindow, there: There, got: Room, sizes: Mapping[str, float], theme: Theme) -> None:
    """Make all docks as large as the design or a drag wants them."""
    px, across, down = theme.px, Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    for place, width in ((Place.LEFT, got.left), (Place.RIGHT, got.right)):
        docks = [dock for dock in there[place] if not dock.is_over]
        if docks:
            main.resizeDocks(docks[:1], [px(width)], across)
            main.resizeDocks(docks, [px(_height(dock, got, len(docks), sizes)) for dock in docks], down)
    below = there[Place.BELOW]
    if below:
        main.resizeDocks(below[:1], [px(got.below)], down)
        main.resizeDocks(below, [px(width) for width in _widths(below, got, main.width() / theme.scale, sizes)], across)


def extents(there: There, scale: float) -> dict[str, float]:
    """How large places and docks are, in units, by the names under which dragged sizes are kept."""
    found = {}
    for place, docks in there.items():
        shown = [dock for dock in docks if not (dock.is_over or dock.is_short)]
        for dock in shown:
            width, height = dock.width() / scale, dock.height() / scale
            found[str(place)] = height if place is Place.BELOW else width
            if len(shown) > 1 and dock.panel.height_in(0.0) is None:
                found[dock.row.key] = width if place is Place.BELOW else height
    return found


def on_screen(place: QRect) -> QRect:
    """The place, or one as large on the first screen where its screen is gone."""
    if QGuiApplication.screenAt(place.center()) is None:
        place.moveCenter(QGuiApplication.primaryScreen().availableGeometry().center())
    return place


def _height(dock: Dock, got: Room, among: int, sizes: Mapping[str, float]) -> float:
    fixed = dock.panel.height_in(got.above)
    return sizes.get(dock.row.key, got.above / among) if fixed is None else fixed


def _widths(docks: Sequence[Dock], got: Room, width: float, sizes: Mapping[str, float]) -> list[float]:
    """As dragged; else the first as designed and the others the rest, in equal parts; so too if shown in a line."""
    if got.is_short:
        return [width / len(docks)] * len(docks)
    known = {dock.row.key: got.below_left for dock in docks if dock.row.area is Area.BELOW_LEFT}
    known |= {dock.row.key: sizes[dock.row.key] for dock in docks if dock.row.key in sizes}
    rest = width - sum(known.values())
    equal = max(LEAST_SIDE, rest / max(1, len(docks) - len(known)))
    return [known.get(dock.row.key, equal) for dock in docks]
