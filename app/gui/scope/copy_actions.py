"""Copying what is shown: as text, as Markdown or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.display.documents import inspection_document
from app.display.scope.text import as_markdown, as_text
from app.domain.inspection import Inspection
from app.domain.language import say
from app.gui.bridge.scope_state import ScopeState

if TYPE_CHECKING:
    from app.settings.model import Settings


def _as_json(inspection: Inspection, settings: Settings | None) -> str:
    return json.dumps(inspection_document(inspection), ensure_ascii=False, indent=2) + "\n"


FORMS: dict[str, tuple[str, Callable[[Inspection, Settings | None], str]]] = {
    "text": (say("Text"), as_text),
    "markdown": (say("Markdown"), as_markdown),
    "json": ("JSON", _as_json),
}
"""Key to name and writer; the JSON is the document of `inspect --json`."""


class CopyActions(QObject):
    """Writes the inspection that is shown to the clipboard; a menu asks in which form."""

    notified = Signal(str, bool, bool)  # as a page tells

    def __init__(self, page: QWidget, scope_state: Callable[[], ScopeState]) -> None:
        super().__init__(page)
        self._page, self._moment = page, scope_state
        self.menu: QMenu | None = None

    def refusal(self) -> str:
        """Why nothing can be copied; "" if it can."""
        return "" if self._moment().inspection is not None else self.tr("There is no answer to copy yet.")

    def ask_how(self) -> None:
        """Open the menu of forms below whatever the page offers for copying."""
        menu = QMenu(self._page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(self.tr("Copy the inspection as"))
        for key, (name, _) in FORMS.items():
            menu.addAction(f"&{name}", partial(self.copy, key))
        menu.aboutToHide.connect(self._forget)
        self.menu = menu
        menu.setActiveAction(menu.actions()[0])
        menu.popup(self._below())

    def copy(self, form: str) -> None:
        """Copy the inspection in one of FORMS."""
        scope_state = self._moment()
        if scope_state.inspection is None:
            self.notified.emit(self.refusal(), False, True)
            return
        name, write = FORMS[form]
        QGuiApplication.clipboard().setText(write(scope_state.inspection, scope_state.settings))
        said = name if form != "text" else name.lower()
        self.notified.emit(self.tr("Copied the inspection as {0}.").format(said), False, False)

    def _below(self) -> QPoint:
        anchor = self._page.findChild(QWidget, "copy")
        if anchor is None or not anchor.isVisible():
            window = self._page.window()
            return window.mapToGlobal(QPoint(window.width() // 2, window.height() // 4))
        return anchor.mapToGlobal(QPoint(0, anchor.height() + 2))

    def _forget(self) -> None:
        self.menu = None
