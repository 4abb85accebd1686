"""Tests of score bars drawn from cached pictures, equal to direct drawing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter, QTransform

from app.display.scope.matches.rows import MatchRow, match_rows
from app.gui.kit.drawing.canvas import Canvas
from app.gui.kit.theme.theme import Appearance, Mode, Theme
from app.gui.scope.panels.matches_delegate import CELL, ROW_HEIGHT, MatchDelegate
from tests.gui.inspections import SCORERS, design

FUZZY = SCORERS.index("fuzzy") + 1


@pytest.fixture
def row(qapp: object) -> MatchRow:
    return match_rows(design(), None)[0]


@pytest.fixture
def painter(qapp: object) -> MatchDelegate:
    return MatchDelegate(Theme(), SCORERS)


def place(painter: MatchDelegate) -> QRect:
    return QRect(0, 0, painter.theme.px(CELL), painter.theme.px(ROW_HEIGHT))


def blank(painter: MatchDelegate, ratio: float) -> QImage:
    image = QImage(place(painter).size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    return image


def drawn(painter: MatchDelegate, row: MatchRow, ratio: float = 1.0, *, on: bool = False) -> QImage:
    image = blank(painter, ratio)
    brush = QPainter(image)
    painter.paint_places(brush, [(row, FUZZY, place(painter), on)])
    brush.end()
    return image


def plain(painter: MatchDelegate, row: MatchRow, ratio: float, *, on: bool) -> QImage:
    """Draw the same piece by piece."""
    image, cell = blank(painter, ratio), row.cell("fuzzy")
    assert cell is not None
    brush = QPainter(image)
    painter.lay_ground(brush, place(painter), on)
    canvas = Canvas(brush, painter.theme, 0.0)
    scale = painter.theme.scale
    brush.setTransform(QTransform(scale, 0.0, 0.0, scale, 0.0, 0.0))
    canvas.width = place(painter).width() / scale
    painter.draw_bar(canvas, cell, on, 0.0)
    painter.draw_number(canvas, cell, 0.0)
    brush.end()
    return image


def of(row: MatchRow, value: float | None, *, decides: bool = False) -> MatchRow:
    cells = tuple(replace(cell, value=value, decides=decides) for cell in row.cells)
    return replace(row, cells=cells)


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("value", [None, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("on", [False, True])
def test_that_a_picture_shows_what_is_drawn(
    painter: MatchDelegate, row: MatchRow, ratio: float, value: float | None, on: bool
) -> None:
    told = of(row, value, decides=value is not None)
    assert drawn(painter, told, ratio, on=on) == plain(painter, told, ratio, on=on)


def test_that_scores_that_look_alike_share_a_picture(painter: MatchDelegate, row: MatchRow) -> None:
    for value in (0.5, 0.5001, 0.4999):
        drawn(painter, of(row, value))
    assert len(painter.pictures) == 1


def test_that_a_score_just_above_zero_has_a_bar(painter: MatchDelegate, row: MatchRow) -> None:
    assert drawn(painter, of(row, 0.0001)) != drawn(painter, of(row, 0.0))


def test_that_pictures_do_not_pile_up(painter: MatchDelegate, row: MatchRow, monkeypatch: pytest.MonkeyPatch) -> None:
    area = place(painter).width() * place(painter).height()
    monkeypatch.setattr("app.gui.scope.panels.matches_delegate._MOST_PIXELS", 3 * area)
    images = [drawn(painter, of(row, tenth / 10)) for tenth in range(10)]
    assert len(painter.pictures) == 3
    assert [drawn(painter, of(row, tenth / 10)) for tenth in range(10)] == images


def test_that_other_looks_have_other_pictures(painter: MatchDelegate, row: MatchRow) -> None:
    painter.theme.set_appearance(Appearance(mode=Mode.LIGHT))
    light = drawn(painter, of(row, 0.5))
    painter.theme.set_appearance(Appearance(mode=Mode.DARK))
    assert drawn(painter, of(row, 0.5)) != light
    painter.theme.set_appearance(Appearance(mode=Mode.LIGHT))
    assert drawn(painter, of(row, 0.5)) == light
