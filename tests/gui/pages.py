"""Pages of a window by their type."""

from typing import TypeVar

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.gui.kit.tables.table import LibraryTable
from app.gui.shell.main_window import MainWindow
from tests.build import of_type, some

Kind = TypeVar("Kind", bound=QWidget)


def opened_page(window: MainWindow, name: str, kind: type[Kind]) -> Kind:
    window.open_page(name)
    return of_type(window.page, kind)


def open_dialog(parent: QWidget, kind: type[Kind]) -> Kind:
    (found,) = (one for one in parent.findChildren(kind) if one.isVisible())
    return found


def row_action(table: LibraryTable, text: str) -> QAction:
    menu = QMenu(table)
    some(table.fill_row_menu)(menu)
    return next(action for action in menu.actions() if action.text().partition("\t")[0] == text)
