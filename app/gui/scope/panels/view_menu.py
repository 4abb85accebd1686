"""View menu of the matches: presets, grouping, and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton

from app.display.scope.side_by_side import preset_choices
from app.display.words import about
from app.gui.kit.action import Action
from app.gui.kit.theme.styles import styled
from app.gui.scope.actions import COMBINATIONS, GROUPING, LETTERS, POLICIES, PRESETS


class ViewMenu(QPushButton):
    """Menu of presets, grouping and comparisons; checks follow the settings."""

    preset_requested = Signal(str)
    grouping_requested = Signal()
    columns_requested = Signal()
    action_requested = Signal(str)  # key of an action

    def __init__(self) -> None:
        super().__init__("View")
        styled(self, link="true", menu="true")
        self.setAccessibleName("View of the matches")
        self.setToolTip("Preset, one row per intent, and comparisons side by side")
        menu = self._menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self.presets: dict[str, QAction] = {}
        self._side_by_side = self._offer(menu, "Presets side by side", PRESETS)
        menu.addSeparator()
        self.by_label = self._add(menu, "One row per intent", self.grouping_requested.emit)
        self.by_label.setCheckable(True)
        self.by_label.setToolTip(GROUPING.text)
        self.columns = self._add(menu, "All scorers", self.columns_requested.emit)
        self.columns.setCheckable(True)
        self.columns.setToolTip("A column for each scorer, instead of one bar for the confidence")
        menu.addSeparator()
        self._offer(menu, "Merge policies side by side", POLICIES)
        self._offer(menu, "Combinations side by side", COMBINATIONS)
        menu.addSeparator()
        self._offer(menu, "Letters of the scorers", LETTERS)
        self.setMenu(menu)

    def show_chosen(self, preset: str, *, by_label: bool, has_columns: bool) -> None:
        """Check the present choices."""
        if not self.presets:
            self._add_presets()  # the settings' module, which has them, is loaded after the first paint
        if preset in self.presets:
            self.presets[preset].setChecked(True)
        self.by_label.setChecked(by_label)
        self.columns.setChecked(has_columns)

    def _add_presets(self) -> None:
        one_of = QActionGroup(self)
        for name, word in preset_choices():
            made = QAction(f"Preset: {word}", self._menu)
            made.setCheckable(True)
            made.setToolTip(about(name))
            made.triggered.connect(partial(self._on_preset, name))
            one_of.addAction(made)
            self._menu.insertAction(self._side_by_side, made)
            self.presets[name] = made

    def _on_preset(self, name: str, _checked: bool = False) -> None:
        self.preset_requested.emit(name)

    def _offer(self, menu: QMenu, text: str, row: Action) -> QAction:
        keys = f"\t{row.keys[0]}" if row.keys else ""  # only as a hint: the window has the shortcut
        made = self._add(menu, text + keys, partial(self.action_requested.emit, row.key))
        made.setToolTip(row.name)
        return made

    def _add(self, menu: QMenu, text: str, act: Callable[[], object]) -> QAction:
        made = menu.addAction(text)
        made.triggered.connect(lambda _checked=False: act())
        return made
