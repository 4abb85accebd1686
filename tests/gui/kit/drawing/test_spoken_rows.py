"""Tests of drawn rows for screen readers: cells and values, only while one is active."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.drawing.sheet import Sheet
from app.gui.kit.theme.theme import Theme

Lines = tuple[tuple[str, str], ...]


class Prices(Sheet):
    """Sheet with a name at the left and a number at the right."""

    lines: Lines = (("tea", "0.500"), ("milk", "–"))

    def compose(self, canvas: Canvas) -> float:
        for place, (name, price) in enumerate(self.lines):
            canvas.text(QRectF(10, 20 * place, 80, 18), name, self.theme.face(12))
            canvas.text(QRectF(100, 20 * place, 60, 18), price, self.theme.face(12, mono=True), align=RIGHT)
        return 20.0 * len(self.lines)


@pytest.fixture
def listening() -> Iterator[None]:
    was = QAccessible.isActive()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(was)


def shown(qtbot: QtBot) -> Prices:
    sheet = Prices(Theme(), "Prices")
    qtbot.addWidget(sheet)
    sheet.resize(200, 100)
    sheet.show()
    qtbot.waitUntil(lambda: bool(sheet.read))
    return sheet


def name(interface: QAccessibleInterface) -> str:
    return interface.text(QAccessible.Text.Name)


def rows(sheet: Sheet) -> list[list[str]]:
    """Return each row with its cells, as exposed to a screen reader."""
    found = QAccessible.queryAccessibleInterface(sheet)
    lines = [found.child(place) for place in range(found.childCount())]
    return [[name(line), *(name(line.child(n)) for n in range(line.childCount()))] for line in lines]


def test_that_rows_and_cells_are_read_with_their_values(qtbot: QtBot, listening: None) -> None:
    sheet = shown(qtbot)
    qtbot.waitUntil(lambda: rows(sheet) == [["tea 0.500", "tea", "0.500"], ["milk absent", "milk", "absent"]])
    found = QAccessible.queryAccessibleInterface(sheet)
    number = found.child(0).child(1)
    assert number.role() == QAccessible.Role.StaticText
    assert found.rect().contains(number.rect())
    assert number.rect().x() > found.child(0).child(0).rect().x()


def test_that_what_is_not_drawn_any_more_is_not_read(qtbot: QtBot, listening: None) -> None:
    sheet = shown(qtbot)
    qtbot.waitUntil(lambda: len(rows(sheet)) == 2)
    sheet.lines = (("tea", "0.250"),)
    sheet.update()
    qtbot.waitUntil(lambda: rows(sheet) == [["tea 0.250", "tea", "0.250"]])


def test_that_nothing_is_made_where_nobody_listens(qtbot: QtBot) -> None:
    was = QAccessible.isActive()
    QAccessible.setActive(False)
    sheet = shown(qtbot)
    sheet.repaint()
    assert sheet.findChildren(QLabel) == []
    QAccessible.setActive(was)
