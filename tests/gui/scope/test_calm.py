"""Tests that the scope initially shows few numbers, whatever was found."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from app.display.scope.timing import ON_SCREEN
from app.domain.scope.inspection import Inspection
from app.gui.kit.document import DocumentView
from app.gui.kit.drawing.canvas import LEFT, Canvas
from app.gui.kit.theme.fonts import Face
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.shell.main_window import MainWindow
from tests.build import of_type
from tests.gui import inspections
from tests.gui.conftest import Opener
from tests.gui.dock_windows import asked
from tests.gui.inspections import FakeWorkbench, led, match

MOST_NUMBERS = 25
MOST_TERMS = 15
TERMS = (
    *("scope", "route|routing|vector_similarity", "teach|taught", "type", "overruled|held back", "memory|memories"),
    *("power|powers", "inject|injected", "approve|approved|unapproved", "learned", "centroid", "fuzzy|spelling"),
    *("semantic|meaning", "token|shared words", "rare words", "keyword|keywords", "exact", "confidence", "threshold"),
    *("offered", "activated", "high|medium|low", "intent", "trigger|triggers", "llm", "encoder", "recommended"),
    *("settled", "profile", "combination", "tier", "band", "namespace", "label", "success", "p95", "case|cases"),
)
"""Words with a meaning of their own here; alternatives are one term."""
SCORERS = {"exact", "fuzzy|spelling", "token|shared words", "rare words", "semantic|meaning", "centroid", "learned"}
SCORERS |= {"keyword|keywords"}
_NUMBER = re.compile(r"(?<![\w.-])\d[\d.,:]*")


def painted(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return all initially visible texts.

    These are texts drawn on canvases, and those of labels, buttons, documents and tabs.
    """
    texts: list[str] = []
    line, paragraph = Canvas.text, Canvas.paragraph

    def text(self: Canvas, rect: QRectF, text: str, font: Face, token: str = "text", align: int = LEFT) -> float:
        if self.shows(rect.y(), rect.height()):
            texts.append(text)
        return line(self, rect, text, font, token, align)

    def wrapped(self: Canvas, rect: QRectF, text: str, font: Face, token: str = "text", lines: int = 3) -> float:
        if self.shows(rect.y(), 1.0):
            texts.append(text)
        return paragraph(self, rect, text, font, token, lines)

    with monkeypatch.context() as patch:
        patch.setattr(Canvas, "text", text)
        patch.setattr(Canvas, "paragraph", wrapped)
        window.grab()
    for widget in window.findChildren(QWidget):
        seen = widget.viewport() if isinstance(widget, DocumentView) else widget  # which covers all of the document
        if widget.isVisible() and not seen.visibleRegion().isEmpty():
            if isinstance(widget, QLabel | QAbstractButton):
                texts.append(widget.text())
            elif isinstance(widget, DocumentView):
                texts += widget.read.splitlines()
            elif isinstance(widget, QTabBar):
                texts += [widget.tabText(place) for place in range(widget.count())]
    return texts


def numbers_in(texts: list[str]) -> list[str]:
    return [number for text in texts for number in _NUMBER.findall(text)]


def several_found(text: str) -> Inspection:
    """Make more found answers than the scope lists, with eight scorers each."""
    known = inspections.design(text)
    rows = [
        (answer, trigger, tuple(value and max(value, 0.52) for value in values))
        for answer, trigger, values in inspections.ROWS
    ]
    found = led([match(*row) for row in rows])
    more = {"bm25": 0.5, "regression": 0.4}
    return replace(known, matches=tuple(replace(one, scores={**one.scores, **more}) for one in found))


def with_history(window: MainWindow) -> None:
    """Add some hundred generated times, so that the histogram has a shape."""
    dice = random.Random(7)
    panel = of_type(window.panels["session"], SessionPanel)
    for _ in range(410):
        slow = dice.random() < 0.035
        shown = dice.uniform(10.1, 14) if slow else min(9.95, dice.gauss(8.3, 0.8))
        panel.note(
            {"keywords": 0.2, "embed query": shown - 1.4, "lexical": abs(dice.gauss(0.4, 0.1)), ON_SCREEN: shown}
        )


@pytest.mark.parametrize("answers", [inspections.inspection_of, several_found, inspections.undetected])
def test_that_the_first_look_has_few_numbers(
    qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch, answers: object
) -> None:
    monkeypatch.setattr(inspections, "inspection_of", answers)
    window = open_window(FakeWorkbench())
    asked(qtbot, window)
    with_history(window)
    qtbot.waitUntil(lambda: window.scope.is_shown)
    found = numbers_in(painted(window, monkeypatch))
    assert any(len(number) > 1 for number in found), "texts are seen at all"
    assert len(found) <= MOST_NUMBERS, found


def test_that_a_high_window_lists_more(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspections, "inspection_of", several_found)
    window = open_window(FakeWorkbench())
    asked(qtbot, window)
    panel = of_type(window.panels["matches"], MatchesPanel)
    qtbot.waitUntil(lambda: len(panel.model.rows) == 8)
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: len(panel.model.rows) == len(inspections.ROWS))
    assert panel.view.currentIndex().row() == 0


def test_that_the_first_look_has_few_terms(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspections, "inspection_of", several_found)
    window = open_window(FakeWorkbench())
    asked(qtbot, window)
    qtbot.waitUntil(lambda: {"Ready", "Scores"} <= set(painted(window, monkeypatch)))
    text = "\n".join(painted(window, monkeypatch)).lower()
    found = {term for term in TERMS if re.search(rf"\b({term})\b", text)}
    assert found >= SCORERS, "all scores of the selected answer are named"
    assert len(found - SCORERS) <= MOST_TERMS, sorted(found - SCORERS)
    gone = {"encoder", "recommended", "settled", "profile", "overruled|held back", "band"}
    assert not found & gone, found & gone


def test_that_the_headline_and_first_reason_have_the_width_above_the_links(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    asked(qtbot, window)
    strip = window.scope.verdict
    qtbot.waitUntil(strip.links[0].isVisible)
    reason = strip.reasons[0]

    def is_placed() -> bool:
        right = strip.mapTo(window, strip.rect().topRight()).x()
        link = strip.links[0].mapTo(window, strip.links[0].rect().topLeft()).x()
        ends = [line.mapTo(window, line.rect().topRight()).x() for line in (strip.headline, *strip.reasons)]
        return min(ends[:2]) > right - 20 and ends[2] < link

    qtbot.waitUntil(is_placed)
    qtbot.waitUntil(lambda: reason.fontMetrics().horizontalAdvance(reason.text()) <= reason.width())
    said = "Provisional: Troubleshoot >99 % · build-fails-locally >99 %, would be injected"
    said += " · xcode-build >99 %, not approved"
    assert strip.headline.fontMetrics().horizontalAdvance(said) < strip.headline.width()
