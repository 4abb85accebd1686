"""Layout of the panels: docks around the matches, folded panes, designed and dragged sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from app.gui.kit.controls import single_shot
from app.gui.kit.layouts import spaced
from app.gui.kit.theme.theme import Theme, Themed
from app.gui.scope.docks.arrangement import BELOW, LEAST_SIDE, LEFT, RIGHT, Arrangement, Pane, Place, Room, room
from app.gui.scope.docks.docks import DOCK_AREAS, Dock, FoldedStrip, Grips, dock_area
from app.gui.scope.panels.panel import HEAD, Panel
from app.gui.scope.panels.registry import PANELS, PanelArea, PanelRow
from app.gui.scope.panels.selected import SelectedPanel

_PLACES = {PanelArea.LEFT: Place.LEFT, PanelArea.RIGHT: Place.RIGHT, PanelArea.BELOW: Place.BELOW}
WIDE_FROM = 1500.0
"""Minimum width in units for which the design opens the left panes."""


def _designed(open_at: Place | None) -> Arrangement:
    """Return the design's arrangement, with the folded panes of one place open."""
    places = {row: _PLACES[row.area] for row in PANELS if row.area in _PLACES}
    return Arrangement({row.key: Pane(at, not row.folded or at is open_at) for row, at in places.items()}, {})


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
        movable = {row.key: row.area for row in PANELS if row.area in _PLACES}
        aside = {key: panels[key] for key, area in movable.items() if area is not PanelArea.BELOW}
        self.strip = FoldedStrip(theme, self, aside, {key: panels[key] for key in movable if key not in aside})
        self.strip.opened.connect(self.show_pane)
        self.grips = Grips(self.main, self._on_drag)
        self.docks = {row.key: self._make_dock(row) for row in PANELS if row.key in movable}
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
            if row.area is PanelArea.CENTER:
                column.addWidget(self.panels[row.key], 1 if row.stretch else 0)
        return center

    def _make_dock(self, row: PanelRow) -> Dock:
        self.panels[row.key].setMinimumSize(1, 1)
        dock = Dock(self.theme, row, self.panels[row.key], _PLACES[row.area])
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
                if row.area is PanelArea.CENTER and height is not None:
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


UNBOUNDED = 16_777_215
"""Maximum size of Qt, in pixels (QWIDGETSIZE_MAX)."""

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
