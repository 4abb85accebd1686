"""Actions of the scope: on the query, the answer, and overlays; copying the inspection."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.display.documents import full_inspection_document
from app.display.scope.text import as_markdown, as_text
from app.domain.inspection import Inspection
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.controls import button
from app.gui.kit.page import Action, Group

if TYPE_CHECKING:
    from app.settings.model import Settings


TEACH = Action("teach", "Teach the query as a memory", Group.TEACH, shortcuts=("Ctrl+T",), icon="plus", word="Teach")
ADD_TRIGGER = Action(
    "add_trigger",
    "Add the query as one more trigger of the selected answer",
    Group.TEACH,
    shortcuts=("Ctrl+Shift+T",),
    icon="add-trigger",
    word="Add trigger",
)
TEACH_TYPE = Action(
    "teach_type",
    "Teach the type of the query",
    Group.TEACH,
    shortcuts=("Ctrl+Shift+Y",),
    icon="label",
    also=("how-to", "troubleshoot", "location", "explanation", "comparison", "general", "intent"),
)
MARK_RIGHT = Action(
    "right", "Mark the selected answer right", Group.TEACH, shortcuts=("Ctrl+Up",), icon="check", word="Right"
)
MARK_WRONG = Action(
    "wrong", "Mark the selected answer wrong", Group.TEACH, shortcuts=("Ctrl+Down",), icon="cross", word="Wrong"
)
MARK_NONE = Action(
    "none_right",
    "Say that no answer is right for the query",
    Group.TEACH,
    shortcuts=("Ctrl+Shift+Down",),
    icon="off",
    also=("no match", "out of scope", "wrong"),
)
COPY = Action("copy", "Copy the inspection as…", Group.COPY, shortcuts=("Ctrl+Shift+C",), icon="copy", word="Copy")
PRESETS = Action(
    "beside_presets",
    "Set the two presets side by side, or go back",
    Group.QUERY,
    shortcuts=("Ctrl+B",),
    icon="columns",
    word="Compare",
)
PIN = Action(
    "beside_pinned",
    "Pin the query and set the next one beside it, or go back",
    Group.QUERY,
    shortcuts=("Ctrl+P",),
    icon="pin",
    word="Pin",
)
COMBINATIONS = Action("beside_combinations", "Set two combinations side by side", Group.QUERY, icon="columns")
WHY_NOT = Action(
    "why_not",
    "Explain why the expected answer did not come, or go back",
    Group.QUERY,
    shortcuts=("Ctrl+E",),
    icon="why",
    also=("why not", "expected", "explain", "lost"),
)
POLICIES = Action(
    "policies",
    "Set the merge policies side by side, or go back",
    Group.QUERY,
    icon="columns",
    also=("compare policies", "merge", "keywords and LLM"),
)
ASK_ALL = Action(
    "ask_all",
    "Ask each line of the query, and list the answers",
    Group.QUERY,
    shortcuts=("Ctrl+Shift+Return",),
    icon="columns",
    also=("batch", "list", "many queries", "paste"),
)
LETTERS = Action(
    "scorer_letters",
    "Explain the letters of the scorers",
    Group.PANES,
    shortcuts=("F7",),
    icon="help",
    also=("legend", "exact", "fuzzy", "token", "semantic", "centroid", "learned", "keyword"),
)
GROUPING = Action("group_matches", "List the matches by intent, or each memory again", Group.QUERY, icon="label")

BAR: tuple[Action, ...] = (PRESETS, PIN, COPY, TEACH)
"""Buttons beside the query, from left to right."""

UNDER_ANSWER: tuple[Action, ...] = (MARK_RIGHT, MARK_WRONG, ADD_TRIGGER)
"""Buttons under the selected answer; the last is set apart."""


def action_button(row: Action, request: Callable[[str], object], *, primary: bool = False) -> QPushButton:
    """Make a button without a word that requests an action by its key."""
    made = button("", primary=primary, tip=row.tip, name=row.text, press=partial(request, row.key))
    made.setObjectName(row.key)
    return made


# ---- Copying the inspection as text, Markdown or JSON.


FORMS: dict[str, tuple[str, Callable[[Inspection, Settings | None], str]]] = {
    "text": ("Text", as_text),
    "markdown": ("Markdown", as_markdown),
    "json": ("JSON", lambda *of: json.dumps(full_inspection_document(*of), ensure_ascii=False, indent=2) + "\n"),
}
"""Name and writer by key; the JSON is the document of `inspect --json`."""


class CopyActions(QObject):
    """Copies the shown inspection to the clipboard; a menu asks for the format."""

    notified = Signal(str, bool, bool)  # as in Page

    def __init__(self, page: QWidget, scope_state: Callable[[], ScopeState]) -> None:
        super().__init__(page)
        self._page, self._moment = page, scope_state

    def refusal(self) -> str:
        """Return why nothing can be copied; "" if it can."""
        return "" if self._moment().inspection is not None else "There is no answer to copy yet."

    def ask_how(self) -> None:
        """Open the menu of formats below the page's copy button."""
        menu = QMenu(self._page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("Copy the inspection as")
        for key, (name, _) in FORMS.items():
            menu.addAction(f"&{name}", partial(self.copy, key))
        menu.setActiveAction(menu.actions()[0])
        menu.popup(self._below())

    def copy(self, form: str) -> None:
        scope_state = self._moment()
        if scope_state.inspection is None:
            self.notified.emit(self.refusal(), False, True)
            return
        name, write = FORMS[form]
        QGuiApplication.clipboard().setText(write(scope_state.inspection, scope_state.settings))
        text = name if form != "text" else name.lower()
        self.notified.emit(f"Copied the inspection as {text}.", False, False)

    def _below(self) -> QPoint:
        anchor = self._page.findChild(QWidget, "copy")
        if anchor is None or not anchor.isVisible():
            window = self._page.window()
            return window.mapToGlobal(QPoint(window.width() // 2, window.height() // 4))
        return anchor.mapToGlobal(QPoint(0, anchor.height() + 2))
