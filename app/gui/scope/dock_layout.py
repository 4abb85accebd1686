"""Layout of the scope: space of each part, the user's arrangement of panes, and their docks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from app.files import write_state
from app.gui.kit.controls import single_shot
from app.gui.kit.layouts import UNBOUNDED, spaced
from app.gui.kit.theme import Theme, Themed
from app.gui.scope.docks import DOCK_AREAS, Dock, FoldedStrip, Grips, dock_area
from app.gui.scope.panels.panel import HEAD, Panel, Place
from app.gui.scope.panels.registry import PANELS, PanelRow
from app.gui.scope.panels.selected import SelectedPanel

# ---- Space of each part: the design's table, and what shrinks if there is less.


LEFT = (280.0, 440.0)
RIGHT = (288.0, 620.0)
BELOW = (160.0, 360.0)
CENTER = 540.0
LEAST_SIDE = 200.0
"""Minimum width of a side pane, to which it shrinks before the centre loses columns."""

SCORES_CENTER, LEAST_LEFT = 520.0, 240.0
"""Centre width that shows all scores, and the left width that it may force."""

LEAST_CENTER = 320.0
LEAST_ABOVE = 400.0
"""Minimum height above the lower panes, which shrink for it."""

_NARROW, _WIDE = 1112.0, 1752.0
"""Widths, without the rail, of the two windows for which the design has sizes."""


@dataclass(frozen=True, slots=True)
class Room:
    """Widths of columns and heights of rows, in units.

    `is_overlaid`: the pane without space lies over the centre when opened.
    """

    left: float
    right: float
    above: float
    below: float
    is_overlaid: bool


def room(
    width: float,
    height: float,
    wished: Mapping[str, float],
    *,
    left: bool = True,
    right: bool = True,
    below: bool = True,
    yields: bool = True,
) -> Room:
    """Return the space in a page of this size, in units; `wished` has dragged sizes by side.

    `left`, `right` and `below` have open panes; `yields`: the right side may be overlaid.
    """
    share = _within((width - _NARROW) / (_WIDE - _NARROW), (0.0, 1.0))
    at_left = _within(wished.get("left", 296 + 88 * share), LEFT) if left else 0.0
    at_right = _within(wished.get("right", 440 + 140 * share), RIGHT) if right else 0.0
    overlaid = right and yields and width - min(at_left, LEFT[0]) - RIGHT[0] - 2 < CENTER
    at_left, beside = _narrowed(at_left, 0.0 if overlaid else at_right, width - 2)
    high = _within(wished.get("below", 200 + 44 * share), BELOW)
    high = max(BELOW[0], min(high, height - LEAST_ABOVE)) if below else 0.0
    return Room(at_left, at_right if overlaid else beside, height - high, high, overlaid)


def _narrowed(left: float, right: float, width: float) -> tuple[float, float]:
    """Return the side widths that the centre leaves: the design's minimum, then `LEAST_SIDE`."""
    for center, least_left, least_right in (
        (CENTER, LEFT[0], RIGHT[0]),
        (SCORES_CENTER, LEAST_LEFT, RIGHT[0]),
        (LEAST_CENTER, LEAST_SIDE, LEAST_SIDE),
    ):
        missing = center - (width - left - right)
        taken = _within(missing, (0.0, max(0.0, left - least_left)))
        left, missing = left - taken, missing - taken
        right -= _within(missing, (0.0, max(0.0, right - least_right)))
    return left, right


def _within(value: float, bounds: tuple[float, float]) -> float:
    return max(bounds[0], min(bounds[1], value))


# ---- The user's arrangement of panes, stored in the profile.


FORMAT = 2
"""Version of the file format; files of other versions are ignored."""

FILE = "panes.json"
_LARGEST = 100_000


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane; `floats` is its floating rectangle (x, y, width, height in pixels), if any."""

    place: Place
    shown: bool = True
    floats: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Panes in order, dragged sizes in units, and open sections of *Selected*.

    Sizes are stored by place ("left": the width of that column) and by pane (its share of its column).
    """

    panes: Mapping[str, Pane]
    sizes: Mapping[str, float]
    sections: frozenset[str] = frozenset()


def read(file: Path) -> Arrangement | None:
    """Read the stored arrangement; None without one, or if damaged or of another format."""
    try:
        found = json.loads(file.read_bytes())
        if found["format"] != FORMAT:
            return None
        panes = {key: _pane(stored) for key, stored in found["panes"].items()}
        sizes = {key: _size(stored) for key, stored in found["sizes"].items()}
        return Arrangement(panes, sizes, frozenset(map(str, found.get("sections", ()))))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _pane(stored: Any) -> Pane:
    """Read one pane; raises ValueError, KeyError or TypeError for a damaged one."""
    floats = stored["floats"]
    if floats is not None:
        x, y, width, height = (int(_size(abs(side))) * (-1 if side < 0 else 1) for side in floats)
        if width <= 0 or height <= 0:
            raise ValueError
        floats = (x, y, width, height)
    if not isinstance(stored["shown"], bool):
        raise TypeError
    return Pane(Place(stored["place"]), stored["shown"], floats)


def _size(stored: Any) -> float:
    if isinstance(stored, bool) or not 0 <= stored <= _LARGEST:
        raise ValueError
    return float(stored)


def write(arrangement: Arrangement, file: Path) -> None:
    """Store the arrangement atomically; a read-only profile keeps its file."""
    write_state(file, asdict(arrangement) | {"format": FORMAT, "sections": sorted(arrangement.sections)})


# ---- Layout: docks around the matches, and the strip of folded panes


WIDE_FROM = 1500.0
"""Minimum width in units for which the design opens the left panes."""


def _designed(open_at: Place | None) -> Arrangement:
    """Return the design's arrangement, with the folded panes of one place open."""
    panes = {row.key: Pane(row.place, not row.folded or row.place is open_at) for row in PANELS if row.place}
    return Arrangement(panes, {})


DEFAULT, DEFAULT_WIDE = _designed(None), _designed(Place.LEFT)
_DRAG_MS = 60
"""Interval of checking whether a drag has ended; sizes are not fitted before."""


class ScopeLayout(Themed):
    """Body of the scope, made from `PANELS`: fixed panels in the centre, all others as docks."""

    arranged = Signal()
    overlaid = Signal(str)  # names of the shown panes without space beside the centre; "" for none

    def __init__(self, theme: Theme, panels: Mapping[str, Panel], selected: SelectedPanel) -> None:
        super().__init__(theme)
        self.panels, self.selected = panels, selected
        self.sizes: dict[str, float] = {}
        self._designed: Arrangement | None = DEFAULT
        self.room: Room | None = None
        self._order: list[str] = []
        self._busy = False
        self._before: dict[str, float] = {}
        self.over = ""
        self.center = self._make_center()
        self.main = dock_area(self, self.center)
        beside, below = (
            {row.key: panels[row.key] for row in PANELS if row.place in places}
            for places in ((Place.LEFT, Place.RIGHT), (Place.BELOW,))
        )
        self.strip = FoldedStrip(theme, self, beside, below)
        self.strip.opened.connect(self.show_pane)
        self.grips = Grips(self.main, self._on_drag)
        self.docks = {row.key: self._make_dock(row, row.place) for row in PANELS if row.place}
        self._settle = single_shot(self, 0, self._on_settled)
        for panel in panels.values():
            panel.size_wish_changed.connect(self._on_size_request)
        selected.sections_changed.connect(self.arranged)
        self.arrange(DEFAULT)

    # ---- widgets

    def _make_center(self) -> QWidget:
        center = QWidget()
        center.setMinimumSize(1, 1)
        column = spaced(QVBoxLayout(center))
        for row in PANELS:
            if row.place is None:
                column.addWidget(self.panels[row.key], 1 if row.stretch else 0)
        return center

    def _make_dock(self, row: PanelRow, place: Place) -> Dock:
        self.panels[row.key].setMinimumSize(1, 1)
        dock = Dock(self.theme, row, self.panels[row.key], place)
        dock.setParent(self.main)
        dock.moved.connect(self._on_moved)
        return dock

    # ---- arrangement

    def arrange(self, wanted: Arrangement) -> None:
        """Apply an arrangement; panes that it lacks are placed as in the design.

        The design's arrangements follow the width of the page.
        """
        self._designed = wanted if wanted in (DEFAULT, DEFAULT_WIDE) else None
        panes = {key: pane for key, pane in wanted.panes.items() if key in self.docks}
        panes |= {key: pane for key, pane in DEFAULT.panes.items() if key not in panes}
        self.sizes = {key: size for key, size in wanted.sizes.items() if key in (*Place, *self.docks)}
        with self._quietly():
            self._order = list(panes)
            for dock in self.docks.values():
                dock.setFloating(False)
                dock.set_overlaid(False)
                dock.setMaximumSize(UNBOUNDED, UNBOUNDED)
                self.main.removeDockWidget(dock)
            for key, pane in panes.items():
                dock = self.docks[key]
                dock.place, dock.is_wanted = pane.place, pane.shown
                self.main.addDockWidget(DOCK_AREAS[pane.place], dock)
                if pane.floats is not None:
                    where = QRect(*pane.floats)
                    if QGuiApplication.screenAt(where.center()) is None:  # its screen is gone
                        where.moveCenter(QGuiApplication.primaryScreen().availableGeometry().center())
                    dock.setFloating(True)
                    dock.setGeometry(where)
                dock.setVisible(pane.shown)
        self.fit()

    def reset(self) -> None:
        self.arrange(DEFAULT_WIDE if self.width() >= self.theme.px(WIDE_FROM) else DEFAULT)

    def arrangement(self) -> Arrangement:
        panes = {}
        for key in self._order:
            dock = self.docks[key]
            place = dock.geometry()
            floats = (place.x(), place.y(), place.width(), place.height()) if dock.isFloating() else None
            panes[key] = Pane(dock.place, dock.is_wanted, floats)
        return Arrangement(panes, dict(self.sizes), self.selected.sections)

    def put(self, key: str, place: Place) -> None:
        """Dock a pane at the end of a place, and show it."""
        dock = self.docks[key]
        with self._quietly():
            dock.set_overlaid(False)
            dock.setFloating(False)
            dock.place, dock.is_wanted = place, True
            self.main.addDockWidget(DOCK_AREAS[place], dock)
            dock.show()
            self._order.remove(key)
            self._order.append(key)
        self._changed()

    def float_(self, key: str) -> None:
        """Float a pane above the window, from its position."""
        dock = self.docks[key]
        with self._quietly():
            if dock.is_over:
                dock.set_overlaid(False)
                self.main.addDockWidget(DOCK_AREAS[dock.place], dock)
            corner = self.mapToGlobal(self.main.geometry().center())
            dock.is_wanted = True
            dock.setFloating(True)
            least, most = QSize(320, 280) * self.theme.scale, QSize(480, 480) * self.theme.scale
            dock.resize(dock.size().boundedTo(most).expandedTo(least))
            dock.move(corner.x() - dock.width() // 2, corner.y() - dock.height() // 2)
            dock.show()
        self._changed()

    def show_pane(self, key: str, on: bool = True) -> None:
        """Show a pane at its last place, or hide it."""
        if key in self.docks:
            self.docks[key].is_wanted = on
            with self._quietly():
                self.docks[key].setVisible(on)
            self._changed()
        else:
            self.panels[key].setVisible(on)

    def is_shown(self, key: str) -> bool:
        """Check if the user wants to see a pane; an overlaid one may still be closed."""
        return self.docks[key].is_wanted if key in self.docks else not self.panels[key].isHidden()

    def at(self, place: Place) -> list[Dock]:
        """Return the wanted docks of a place in order, including overlaid ones."""
        docks = [self.docks[key] for key in self._order]
        return [dock for dock in docks if dock.place is place and dock.is_wanted and not dock.isFloating()]

    # ---- fitting

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(2 * LEAST_SIDE), self.theme.px(200))

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.theme.px(WIDE_FROM)
        if self._designed is (DEFAULT if wide else DEFAULT_WIDE):
            self.reset()
        else:
            self.fit()

    def showEvent(self, event: QShowEvent) -> None:
        self.fit()

    def fit(self) -> None:
        """Fit all panes to the present size."""
        if self._busy:
            return
        scale = self.theme.scale
        there = {place: self.at(place) for place in Place}
        folded = [key for key, dock in self.docks.items() if not dock.is_wanted]
        self.strip.show_folded(folded)
        high = self.theme.px(HEAD) if folded else 0
        got = self.room = room(
            self.width() / scale,
            (self.height() - high) / scale,
            self.sizes,
            yields=all(dock.row.yields for dock in there[Place.RIGHT]),
            **{str(place): bool(docks) for place, docks in there.items()},
        )
        with self._quietly():
            for dock in self.docks.values():
                over = got.is_overlaid and dock in there[Place.RIGHT]
                if over is not dock.is_over:
                    self._lay(dock, over=over)
                bound(dock, got, there[dock.place], self.theme)
            for row in PANELS:
                height = self.panels[row.key].height_in(got.above)
                if row.place is None and height is not None:
                    self.panels[row.key].setFixedHeight(self.theme.px(height))
            self.main.setGeometry(self.rect().adjusted(0, 0, 0, -high))
            self.strip.setGeometry(0, self.height() - high, self.width(), high)
            self._settle_docks()
            share(self.main, there, got, self.sizes, self.theme)
            self._settle_docks()
        self._place_over(got)
        QTimer.singleShot(0, self, self._place_grips)

    def _lay(self, dock: Dock, *, over: bool) -> None:
        """Take a dock out of the layout to lie over the page, or put it back."""
        dock.set_overlaid(over)
        if over:
            self.main.removeDockWidget(dock)
        else:
            self.main.addDockWidget(DOCK_AREAS[dock.place], dock)
            dock.setVisible(dock.is_wanted)

    def _settle_docks(self) -> None:
        """Make Qt lay out the docks now; sizes set before are lost."""
        layout = self.main.layout()
        if layout is not None:
            layout.activate()

    def _place_over(self, got: Room) -> None:
        """Place the overlaid docks at the right edge of the centre."""
        center = self.center.geometry()
        for dock in self.docks.values():
            if dock.is_over:
                width = min(self.theme.px(got.right), center.width())
                dock.setGeometry(center.right() + 1 - width, center.top(), width, center.height())
                dock.raise_()
        over = ", ".join(dock.panel.accessibleName() for dock in self.docks.values() if dock.is_over and dock.is_wanted)
        if over != self.over:
            self.over = over
            self.overlaid.emit(over)

    def _place_grips(self) -> None:
        docks = self.docks.values()
        self.grips.place(one for one in docks if one.isVisible() and not (one.isFloating() or one.is_over))
        for dock in docks:
            if dock.is_over:
                dock.raise_()

    # ---- mouse

    def _on_drag(self, begins: bool) -> None:
        if begins:
            self._before = self.measured()
        else:
            QTimer.singleShot(0, self, self._on_dragged)

    def _on_dragged(self) -> None:
        """Store the sizes that the drag changed; the others stay the design's."""
        now, before = self.measured(), self._before
        if changed := {key: size for key, size in now.items() if abs(size - before.get(key, size)) > 1}:
            self.sizes |= changed
            self._changed()

    def measured(self) -> dict[str, float]:
        """Return the sizes of places and docks now, in units, by the keys of `sizes`."""
        found = {}
        for place in Place:
            shown = [dock for dock in self.at(place) if not dock.is_over]
            for dock in shown:
                width, height = dock.width() / self.theme.scale, dock.height() / self.theme.scale
                found[str(place)] = height if place is Place.BELOW else width
                if len(shown) > 1 and dock.panel.height_in(0.0) is None:
                    found[dock.row.key] = width if place is Place.BELOW else height
        return found

    def _on_moved(self) -> None:
        if not self._busy:
            self._settle.start(0)

    def _on_settled(self) -> None:
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._settle.start(_DRAG_MS)
        else:
            places = list(Place)
            self._order.sort(key=lambda key: (places.index(self.docks[key].place), *self.docks[key].pos().toTuple()))
            self._changed()

    def _on_size_request(self) -> None:
        if (got := self.room) is None:
            return
        self.strip.update_summaries()
        for dock in self.docks.values():
            if dock.place is not Place.BELOW and not dock.is_over and dock.maximumHeight() != UNBOUNDED:
                wanted = dock.panel.height_in(got.above)
                if wanted is not None and dock.maximumHeight() != self.theme.px(wanted):
                    self.fit()
                    return

    def _changed(self) -> None:
        self._designed = None
        self.fit()
        self.arranged.emit()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Ignore signals of docks while the layout itself moves them."""
        before, self._busy = self._busy, True
        try:
            yield
        finally:
            self._busy = before


# ---- Fitting docks: bounds, shared sizes, dragged sizes


_WIDTHS = {Place.LEFT: LEFT, Place.RIGHT: RIGHT}

There = Mapping[Place, Sequence[Dock]]
"""Docks in each place, in order."""


def bound(dock: Dock, got: Room, beside: Sequence[Dock], theme: Theme) -> None:
    """Set the bounds of a dock's size by its place; `beside` are all docks of that place."""
    px = theme.px
    least, most = QSize(px(LEAST_SIDE), px(HEAD)), QSize(UNBOUNDED, UNBOUNDED)
    if dock in beside and dock.place is Place.BELOW:
        least.setHeight(px(BELOW[0]))
        most.setHeight(px(BELOW[1]))
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
    """Resize all docks to their designed or dragged sizes."""
    px, across, down = theme.px, Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    for place, width in ((Place.LEFT, got.left), (Place.RIGHT, got.right)):
        docks = [dock for dock in there[place] if not dock.is_over]
        if docks:
            main.resizeDocks(docks[:1], [px(width)], across)
            fixed = [(dock.row.key, dock.panel.height_in(got.above)) for dock in docks]
            equal = got.above / len(docks)
            heights = [px(sizes.get(key, equal) if height is None else height) for key, height in fixed]
            main.resizeDocks(docks, heights, down)
    below = there[Place.BELOW]
    if below:
        main.resizeDocks(below[:1], [px(got.below)], down)
        main.resizeDocks(below, [px(width) for width in _widths(below, main.width() / theme.scale, sizes)], across)


def _widths(docks: Sequence[Dock], width: float, sizes: Mapping[str, float]) -> list[float]:
    """Return the dragged widths; the other docks share the rest equally."""
    known = {dock.row.key: sizes[dock.row.key] for dock in docks if dock.row.key in sizes}
    rest = width - sum(known.values())
    equal = max(LEAST_SIDE, rest / max(1, len(docks) - len(known)))
    return [known.get(dock.row.key, equal) for dock in docks]
