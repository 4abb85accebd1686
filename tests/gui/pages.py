"""Pages of a window by their type."""

from __future__ import annotations

from typing import TypeVar

from app.gui.kit.page import Page
from app.gui.shell.main_window import MainWindow
from tests.build import of_type

Kind = TypeVar("Kind", bound=Page)


def opened_page(window: MainWindow, name: str, kind: type[Kind]) -> Kind:
    window.open_page(name)
    return of_type(window.page, kind)
