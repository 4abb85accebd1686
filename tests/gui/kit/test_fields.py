"""Names that came from a file are never read as markup where a tooltip shows them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.display.library.namespaces import TYPES, NamespaceRow, WeightCell
from app.domain.journal import Step
from app.domain.library import Memory
from app.gui.kit.theme.theme import Theme
from app.gui.library.files.folder_dialog import NAME, DifferenceModel
from app.gui.library.memories.past import LastSteps
from app.gui.library.namespace_matrix import FIRST, NamespaceModel
from app.services.library.folder_plan import Difference, Side

MARKUP = '<b>bold</b><img src="file:///etc/hostname">'
TIP = int(Qt.ItemDataRole.ToolTipRole)


def as_read(tip: object) -> str:
    """What a tooltip shows; Qt takes one for markup where it looks like it."""
    assert str(tip).startswith("<p "), "else Qt guesses"
    document = QTextDocument()
    document.setHtml(str(tip))
    return document.toPlainText()


def test_that_a_name_in_a_folder_is_no_markup(qapp: QApplication) -> None:
    model = DifferenceModel(Theme(qapp))
    seen: Any = SimpleNamespace(
        plan=SimpleNamespace(differences=[Difference("one", Side.HERE, Memory((MARKUP,), id=MARKUP), None)])
    )
    model.show_seen(seen)
    assert as_read(model.data(model.index(0, NAME), TIP)) == MARKUP


def test_that_the_name_of_an_imported_file_is_no_markup(qtbot: QtBot, qapp: QApplication) -> None:
    steps = LastSteps(Theme(qapp))
    qtbot.addWidget(steps)
    steps.show_steps([Step(1, "2026-11-22 04:26:21", "imported", MARKUP, 2, MARKUP)])
    assert MARKUP in as_read(steps.undo.toolTip())


def test_that_the_name_of_a_namespace_is_no_markup(qapp: QApplication) -> None:
    model = NamespaceModel()
    cell = WeightCell(MARKUP, "1", True, False, False, "", MARKUP, MARKUP)
    model.show_rows((NamespaceRow(MARKUP, 1, False, (cell,) * len(TYPES)),))
    assert as_read(model.data(model.index(0, FIRST), TIP)) == MARKUP
