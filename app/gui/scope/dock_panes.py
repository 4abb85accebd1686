"""Actions on panes by menu, keys and palette: show, float, overlay, focus order, resize."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.gui.kit.controls import single_shot
from app.gui.kit.page import Action, Group
from app.gui.scope.dock_layout import Arrangement, ScopeLayout, read, write
from app.gui.scope.docks import Dock
from app.gui.scope.panels.panel import Place
from app.gui.scope.panels.registry import PANELS
from app.gui.scope.panels.selected import SECTIONS

_REMEMBER_MS = 400
STEP = 16.0
"""Step of resizing, in units."""

_RESIZES = (
    ("wider", "Right", STEP, True),
    ("narrower", "Left", -STEP, True),
    ("higher", "Up", STEP, False),
    ("lower", "Down", -STEP, False),
)


class Panes(QObject):
    """Actions on a layout. With a file the arrangement is stored."""

    notified = Signal(str)  # a sentence for the toast

    def __init__(self, layout: ScopeLayout) -> None:
        super().__init__(layout)
        self.layout = layout
        self._file: Path | None = None
        self._kept: Arrangement | None = None
        self._previous_page: QWidget | None = None
        self._soon = single_shot(self, _REMEMBER_MS, self._remember)
        layout.arranged.connect(self._soon.start)
        for dock in layout.docks.values():
            dock.menu_requested.connect(partial(self._open_menu, dock))
            dock.left.connect(partial(self._leave, dock))

    # ---- storing

    def persist_in(self, file: Path) -> None:
        """Apply the arrangement of a file, and store changes in it."""
        self._file = file
        remembered = read(file)
        if remembered is not None:
            self.layout.arrange(remembered)
            self.layout.selected.show_sections(remembered.sections)
        self._kept = self.layout.arrangement()
        if (app := QCoreApplication.instance()) is not None:
            app.aboutToQuit.connect(self.remember_now)

    def remember_now(self) -> None:
        self._soon.stop()
        QThreadPool.globalInstance().waitForDone()
        self._write(lambda store: store())

    def _remember(self) -> None:
        self._write(QThreadPool.globalInstance().start)

    def _write(self, run: Callable[[Callable[[], None]], object]) -> None:
        now = self.layout.arrangement()
        if self._file is not None and now != self._kept:
            self._kept = now
            run(partial(write, now, self._file))

    # ---- actions

    def reset(self) -> None:
        """Arrange the panes as designed for this width."""
        self.layout.reset()
        self._soon.start()

    def actions(self) -> tuple[Action, ...]:
        over = ", ".join(dock.panel.accessibleName() for dock in self.layout.docks.values() if dock.row.yields)
        rows = [
            Action("pane_selected", f"Pane {over}: step in or out", Group.PANES, self.toggle_over, ("F4",), "columns"),
            Action(
                "panes_below",
                "Open or fold the panes of time: this query and this session",
                Group.PANES,
                self.toggle_below,
                ("F3",),
                "stopwatch",
                also=("timing", "latency", "histogram", "how long"),
            ),
            Action("panes_reset", "Reset the layout of the panes", Group.PANES, self.reset, (), "columns"),
        ]
        for row in PANELS:
            if row.key in self.layout.docks or not row.stretch:
                rows += self._pane_actions(row.key)
        rows += [
            Action(
                f"selected_{key}",
                f"Selected: open or fold “{title}”",
                Group.PANES,
                partial(self.layout.selected.flip, key),
            )
            for key, title in SECTIONS.items()
        ]
        rows += [
            Action(
                f"pane_{key}",
                f"Make this pane {key}",
                Group.PANES,
                partial(self._resize, by, across),
                (f"Alt+Shift+{arrow}",),
                refusal=self._resize_refusal,
            )
            for key, arrow, by, across in _RESIZES
        ]
        return tuple(rows)

    def _pane_actions(self, key: str) -> list[Action]:
        name = self.layout.panels[key].accessibleName()

        def made(verb: str, text: str, act: Callable[[], object]) -> Action:
            return Action(f"pane_{key}_{verb}", text.format(pane=name), Group.PANES, act)

        rows = [made("show", "Pane {pane}: open or fold", partial(self.toggle, key))]
        if key in self.layout.docks:
            rows += [made(at, f"Pane {{pane}}: move {at}", partial(self.layout.put, key, at)) for at in Place]
            rows.append(made("float", "Pane {pane}: float or dock", partial(self.toggle_float, key)))
        return rows

    def toggle(self, key: str) -> None:
        self.layout.show_pane(key, not self.layout.is_shown(key))

    def toggle_below(self) -> None:
        keys = [row.key for row in PANELS if row.place is Place.BELOW]
        opened = any(map(self.layout.is_shown, keys))
        for key in keys:
            self.layout.show_pane(key, not opened)

    def toggle_float(self, key: str) -> None:
        dock = self.layout.docks[key]
        if dock.isFloating():
            self.layout.put(key, dock.place)
        else:
            self.layout.float_(key)

    # ---- keyboard

    def focus_stops(self) -> list[QWidget]:
        """Return the stops of F6: left, centre, right, below, then floating panes."""
        layout = self.layout
        docks = {place: layout.at(place) for place in Place}
        center = [row for row in PANELS if row.place is None]
        floating = [dock for dock in layout.docks.values() if dock.isFloating()]
        rows = [dock.row for dock in docks[Place.LEFT]] + center
        rows += [dock.row for dock in (*docks[Place.RIGHT], *docks[Place.BELOW], *floating)]
        return [*(layout.panels[row.key].focus_target() for row in rows if row.stop), *layout.strip.buttons[:1]]

    def enter(self, key: str) -> None:
        """Focus a pane; a hidden one is shown first, over the centre if there is no other space."""
        dock = self.layout.docks.get(key)
        if dock is not None and not dock.isVisible():
            if not dock.is_wanted:
                self.layout.show_pane(key)
            if dock.is_over:
                dock.show()
                dock.raise_()
        target = self.layout.panels[key].focus_target()
        if not self._holds_focus(target):
            self._previous_page = QApplication.focusWidget()
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_over(self) -> None:
        """Open the overlaid pane, or close it again."""
        for dock in self.layout.docks.values():
            if dock.row.yields:
                if dock.isVisible() and (dock.is_over or self._holds_focus(dock)):
                    self._leave(dock)
                else:
                    self.enter(dock.row.key)

    def _leave(self, dock: Dock) -> None:
        """Close the overlaid pane, and return the focus."""
        had_focus = self._holds_focus(dock)
        if dock.is_over:
            dock.hide()
        if had_focus:
            back = self._previous_page
            self.layout.activateWindow()
            target = back if back is not None and back.isVisible() else self.focus_stops()[0]
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._previous_page = None

    def _holds_focus(self, widget: QWidget) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and (focus is widget or widget.isAncestorOf(focus))

    # ---- menu of a pane

    def _open_menu(self, dock: Dock, at: QWidget) -> None:
        menu = self.menu(dock)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at.mapToGlobal(QPoint(0, at.height())))

    def menu(self, dock: Dock) -> QMenu:
        """Return the menu of a pane; actions without effect are disabled."""
        menu, key, layout = QMenu(dock), dock.row.key, self.layout
        if dock.is_over:
            self._offer(menu, "Close", partial(self._leave, dock))
        for place in Place:
            offered = self._offer(menu, f"Move {place}", partial(layout.put, key, place))
            offered.setEnabled(dock.isFloating() or dock.place is not place)
        floats = "Dock" if dock.isFloating() else "Float"
        self._offer(menu, floats, partial(self.toggle_float, key))
        self._offer(menu, "Fold", partial(layout.show_pane, key, False))
        menu.addSeparator()
        self._offer(menu, "Reset layout", self.reset)
        return menu

    def _offer(self, menu: QMenu, text: str, act: Callable[[], object]) -> QAction:
        offered = menu.addAction(text)
        offered.triggered.connect(lambda _checked=False: act())
        return offered

    # ---- resizing the focused pane by keys

    def _resize(self, by: float, across: bool) -> None:
        dock = self._focused()
        if dock is not None and not resize(self.layout, dock, by, across=across):
            self.notified.emit("This edge of the pane cannot move further.")

    def _focused(self) -> Dock | None:
        return next((dock for dock in self.layout.docks.values() if self._holds_focus(dock)), None)

    def _resize_refusal(self) -> str:
        if (dock := self._focused()) is None:
            return "Go to a pane at the side or below first (F6), then resize it."
        return "This pane has no own area now." if dock.is_over else ""


def resize(layout: ScopeLayout, dock: Dock, by: float, *, across: bool) -> bool:
    """Resize a dock by `by` units, as dragging its edge does; False if it cannot move."""
    if dock.isFloating():
        pixels = layout.theme.px(by)
        dock.resize(dock.size() + (QSize(pixels, 0) if across else QSize(0, pixels)))
        return True
    name = dock.row.key if across is (dock.place is Place.BELOW) else str(dock.place)
    before = layout.measured()
    if name not in before:
        return False
    layout.sizes[name] = before[name] + by
    layout.fit()
    layout.sizes[name] = layout.measured()[name]  # the size that was possible
    layout.arranged.emit()
    return abs(layout.sizes[name] - before[name]) >= 1
