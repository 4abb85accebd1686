"""What an answer costs the window: the matches first, the rest in turns, and nothing drawn that nobody would see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen
from pytestqt.qtbot import QtBot

from app.domain.inspection import Phase
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.drawing.pen import LINE, Pen, hatched
from app.gui.kit.theme.theme import Theme
from app.gui.scope.panels.selected import SelectedPanel
from app.gui.scope.panels.table import PANELS, TURNS
from tests.gui.conftest import Opener
from tests.gui.inspections import TEXT, FakeWorkbench

Show = Callable[[ScopeState], None]


def test_that_the_matches_lead_and_every_other_panel_has_its_turn_once() -> None:
    leading = [row.key for row in PANELS if row.leads]
    assert leading == ["matches"]
    assert sorted([*leading, *(row.key for turn in TURNS for row in turn)]) == sorted(row.key for row in PANELS)


def test_that_an_answer_is_shown_by_the_matches_before_the_panels_that_explain_it(
    qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(FakeWorkbench())
    shown: list[str] = []
    for key, panel in window.panels.items():

        def note(scope_state: ScopeState, key: str = key, show: Show = panel.show_state) -> None:
            shown.append(key)
            show(scope_state)

        monkeypatch.setattr(panel, "show_state", note)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: "this_query" in shown and window.scope.is_shown, timeout=5000)
    last = len(shown) - 1 - shown[::-1].index("matches")
    explaining = [row.key for row in PANELS if row.explains]
    assert [key for key in shown[last:] if key in explaining] == explaining


def test_that_the_window_tells_that_an_answer_is_on_screen_which_looks_as_the_one_before(
    qtbot: QtBot, open_window: Opener
) -> None:
    window = open_window(FakeWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.is_shown and window.scope_state.inspection is not None, timeout=5000)
    qtbot.wait(50)  # all is painted
    shown = window.scope_state.inspection
    assert shown is not None
    floor = replace(shown, phase=Phase.FLOOR)
    window.scope.show_inspection(window.worker.generation, floor)
    qtbot.wait(50)
    with qtbot.waitSignal(window.painted, timeout=2000):
        window.scope.show_inspection(window.worker.generation, replace(floor))


def test_that_a_query_is_not_asked_anew_where_only_counts_differ(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.is_shown and bench.answered == [TEXT], timeout=5000)
    counted = {**bench.state.counts, "memories": 7}
    bench.tell(replace(bench.state, counts=counted, is_counted_anew=True))
    qtbot.waitUntil(
        lambda: window.scope_state.status is not None and window.scope_state.status.counts == counted, timeout=2000
    )
    assert bench.asked == [TEXT]
    bench.tell(replace(bench.state, counts=counted, is_counted_anew=False))
    qtbot.waitUntil(lambda: bench.asked == [TEXT, TEXT], timeout=2000)


def test_that_what_is_drawn_in_part_is_read_whole(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.ask(TEXT)
    panel = window.panels["selected"]
    assert isinstance(panel, SelectedPanel)
    qtbot.waitUntil(lambda: window.scope.is_shown and "Taught triggers" in panel.sheet.read, timeout=5000)
    panel.sheet.repaint()  # in the room that is left beside a scroll bar
    whole = panel.sheet.read
    panel.sheet.repaint(QRect(0, 0, 20, 20))
    assert panel.sheet.read == whole


@pytest.mark.parametrize("corner", [QPointF(4, 6), QPointF(4.4, 6.3)])
def test_that_a_hatching_looks_the_same_as_a_picture_and_as_a_shape(qapp: object, corner: QPointF) -> None:
    theme = Theme()
    rect = QRectF(corner, corner + QPointF(38, 7))

    def drawn(*, plainly: bool) -> QImage:
        image = QImage(60, 20, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        pen = Pen(painter, theme, 60)
        if plainly:
            painter.setPen(QPen(theme.color("border_strong"), LINE))
            painter.translate(rect.topLeft())
            painter.drawPath(hatched(rect.width(), rect.height(), 2.0))
        else:
            pen.hatch(rect)
        painter.end()
        return image

    def darkness(image: QImage) -> list[int]:
        return [image.pixelColor(x, y).lightness() for y in range(20) for x in range(60)]

    pairs = zip(darkness(drawn(plainly=True)), darkness(drawn(plainly=False)), strict=True)
    assert max(abs(one - other) for one, other in pairs) <= 3
