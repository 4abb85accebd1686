"""Tests of the query line and the verdict, and of few numbers at first."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from app.display.scope.intent import Cue, RuleEffect
from app.display.scope.timing import ON_SCREEN
from app.display.scope.verdict import HELP_WORDS, Help, verdict
from app.domain.inspection import Decision, Inspection, Phase, Stage, Trace
from app.gui.bridge.scope_state import ScopeState
from app.gui.kit.canvas import LEFT, Canvas
from app.gui.kit.document import DocumentView
from app.gui.kit.fields import LONGEST
from app.gui.kit.theme import Face, Theme
from app.gui.scope import query_line
from app.gui.scope.panels import registry
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.scope.query_line import MOST_LINES, QueryBar, QueryLine
from app.gui.shell.main_window import MainWindow
from app.services.status import EncoderState
from tests.build import of_type, some
from tests.gui import inspections
from tests.gui.conftest import Opener
from tests.gui.dock_windows import asked
from tests.gui.inspections import TEXT, FakeWorkbench, led, lexical_only, match


def test_that_an_emptied_line_forgets_undo_after_many_changes(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_line, "MOST_CHANGES", 8)
    line = QueryLine()
    qtbot.addWidget(line)
    told: list[str] = []
    line.changed.connect(told.append)
    _type_and_empty(line, "build")
    assert line.document().isUndoAvailable(), "six changes are not many"
    _type_and_empty(line, "slow")
    assert not line.document().isUndoAvailable()
    assert told[-3:] == ["slo", "slow", ""], "forgetting is no change"
    _type_and_empty(line, "again")
    line.undo()
    assert line.text() == "again"


def _type_and_empty(line: QueryLine, text: str) -> None:
    QTest.keyClicks(line, text)
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)


@pytest.fixture
def bar(qtbot: QtBot) -> QueryBar:
    made = QueryBar(Theme())
    qtbot.addWidget(made)
    made.resize(900, made.height())
    made.show()
    qtbot.waitExposed(made)
    return made


def test_that_it_grows_to_three_whole_lines_and_shrinks_again(bar: QueryBar) -> None:
    line, heights = bar.box.line, [bar.height()]
    for words in (12, 24, 80):
        line.setText("failing " * words)
        heights.append(bar.height())
        shown = min(line.lines, MOST_LINES)
        assert line.height() >= line.height_of(shown)
        assert line.geometry().bottom() < bar.box.height()
        assert (line.verticalScrollBar().maximum() > 0) is (line.lines > MOST_LINES)
    assert line.lines > MOST_LINES
    assert heights == sorted(heights)
    assert heights[-2] == heights[-1] > heights[1] > heights[0]
    line.setText("failing")
    assert bar.height() == heights[0]


def test_that_a_narrower_window_wraps_the_text_which_stays_in_view_in_a_low_one(qtbot: QtBot, bar: QueryBar) -> None:
    line, low = bar.box.line, bar.height()
    line.setText("why does the build keep failing on my mac")
    bar.resize(420, low)
    qtbot.waitUntil(lambda: bar.height() > low)
    bar.box.show_most_lines(2, is_low=False)
    bar.box.show_most_lines(1, is_low=True)
    qtbot.waitUntil(lambda: line.height() == line.height_of(1))
    assert line.firstVisibleBlock().isValid()
    assert line.verticalScrollBar().maximum() == 0
    assert line.cursorRect().right() <= line.viewport().width()


def test_that_enter_leads_on_and_adds_no_line(qtbot: QtBot, bar: QueryBar) -> None:
    line = bar.box.line
    line.setText("one")
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        with qtbot.waitSignal(line.entered):
            QTest.keyClick(line, Qt.Key.Key_Return, modifier)
    assert line.text() == "one"


def test_that_pasted_lines_stay_lines_and_are_undone_in_one_step(bar: QueryBar) -> None:
    line = bar.box.line
    QTest.keyClicks(line, "x")
    QGuiApplication.clipboard().setText("one\r\ntwo\nthree\u00a0four")
    line.selectAll()
    line.paste()
    assert line.text() == "one\ntwo\nthree\u00a0four"
    line.undo()
    assert line.text() == "x"


@pytest.mark.parametrize("typed", ["word " * 10_000, "\U0001f600" * 20_001], ids=["words", "beyond the first plane"])
def test_that_a_text_too_long_is_cut_however_it_comes(qtbot: QtBot, bar: QueryBar, typed: str) -> None:
    line = bar.box.line
    QGuiApplication.clipboard().setText(typed)
    with qtbot.waitSignal(line.rejected):
        line.paste()
    assert line.text() == typed[:LONGEST]
    line.moveCursor(line.textCursor().MoveOperation.End)
    with qtbot.waitSignal(line.rejected):
        QTest.keyClicks(line, "y")
    assert line.text() == typed[:LONGEST]


def test_that_a_span_over_two_lines_stands_on_both(bar: QueryBar) -> None:
    line = bar.box.line
    line.setText("failing " * 20)
    first, second = line.rects(0, len(line.text()))[:2]
    assert first.bottom() <= second.top()
    (word,) = line.rects(8, 15)
    assert first.left() == second.left() < word.left() < word.right() < first.right()
    bar.box.show_cues(tuple(Cue(at, at + 7, "failing", "Troubleshoot", RuleEffect.WON) for at in range(0, 160, 8)))
    line.viewport().setAutoFillBackground(False)  # as the style sheet says
    image, y = bar.box.grab().toImage(), round(line.y() + word.bottom() + 2)
    found = {image.pixelColor(line.x() + round(word.center().x()), y + off).name() for off in (-1, 0)}
    assert QColor(bar.theme.tokens.accent).name() in found, "the highlight of the second line covers no underline"


def asked_with(qtbot: QtBot, open_window: Opener, **chosen: object) -> MainWindow:
    workbench = FakeWorkbench()
    workbench.values |= {f"search_intent.{key}": value for key, value in chosen.items()}
    window = open_window(workbench)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: window.scope.state.settings is not None)
    window.ask("why does the build keep failing on my mac")
    qtbot.waitUntil(lambda: window.scope.verdict.shown is not None and not window.scope.state.awaits_vector)
    return window


def test_that_the_first_line_of_an_answer_is_its_verdict(qtbot: QtBot, open_window: Opener) -> None:
    window = asked_with(qtbot, open_window)
    strip = window.scope.verdict
    assert strip.headline.text() == some(strip.shown).headline
    assert strip.headline.text().startswith("Troubleshoot 55 % · build-fails-locally 86 %")
    assert strip.accessibleDescription().startswith(strip.headline.text())
    assert strip.geometry().bottom() < window.scope.below.geometry().top() + 1


def test_that_a_verdict_goes_with_its_query_and_nothing_moves(qtbot: QtBot, open_window: Opener) -> None:
    window = asked_with(qtbot, open_window)
    strip, before = window.scope.verdict, window.scope.below.geometry()
    window.ask("")
    assert strip.shown is None
    assert strip.headline.text() == "No query yet"
    assert not [link for link in strip.links if link.isVisible()]
    assert window.scope.below.geometry() == before


def test_that_a_verdict_follows_where_encoding_its_query_has_failed(qtbot: QtBot, open_window: Opener) -> None:
    window = asked_with(qtbot, open_window)
    before, settings = window.scope.verdict.shown, some(window.scope.state.settings)
    coming = lexical_only()
    window.scope.show_inspection(window.worker.generation, coming)
    assert window.scope.verdict.shown is before, "a better one follows within ms"
    failed = replace(coming, trace=Trace((Stage("embed query", 1.0, "failed"),)))
    window.scope.show_inspection(window.worker.generation, failed)
    assert window.scope.verdict.shown == verdict(failed, settings) != before


def test_that_panes_explain_an_answer_once_where_its_vector_follows(
    qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "VECTOR_MS", 60_000)
    window, phases = asked_with(qtbot, open_window), list[Phase]()
    qtbot.waitUntil(lambda: window.scope.is_shown)
    final, session = some(window.scope.state.inspection), list[bool]()
    show, rest = window.scope.panels["intent"].show_state, window.scope.panels["session"].show_state

    def note_phase(state: ScopeState) -> None:
        phases.append(some(state.inspection).phase)
        show(state)

    def note_turn(state: ScopeState) -> None:
        session.append(True)
        rest(state)

    monkeypatch.setattr(window.scope.panels["intent"], "show_state", note_phase)
    monkeypatch.setattr(window.scope.panels["session"], "show_state", note_turn)
    window.scope.show_inspection(window.worker.generation, lexical_only())
    qtbot.waitUntil(lambda: bool(session))
    window.scope.show_inspection(window.worker.generation, final)
    qtbot.waitUntil(lambda: window.scope.is_shown)
    assert phases == [final.phase]


def test_that_a_threshold_in_the_way_is_opened_among_the_settings(qtbot: QtBot, open_window: Opener) -> None:
    window = asked_with(qtbot, open_window, certain_confidence=0.0)
    window.resize(1920, 900)  # with less room than this the reasons come before the link
    strip = window.scope.verdict
    next(link for link in strip.links if link.text() == HELP_WORDS[Help.LEAST_SURFACED] and link.isVisible()).click()
    assert window.stack.is_open("settings")


def test_that_what_was_expected_is_asked_from_the_verdict(qtbot: QtBot, open_window: Opener) -> None:
    window = asked_with(qtbot, open_window)
    strip = window.scope.verdict
    [link for link in strip.links if link.isVisible()][-1].click()
    qtbot.waitUntil(lambda: window.scope.why_not_actions.is_open)


def test_that_a_provisional_answer_looks_so(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    why = "The encoder is loading; the best lexical score decides for now."
    provisional = {Decision.MEMORY: why}
    monkeypatch.setattr(inspections, "lexical_only", lambda text: replace(lexical_only(text), provisional=provisional))
    bench = FakeWorkbench(encoder=EncoderState.LOADING)
    window = open_window(bench)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.is_shown and window.scope.state.inspection is not None)
    verdict, view = window.scope.verdict, window.scope.panels["matches"].focus_target()
    quiet, strong = QColor(window.theme.tokens.text_2), QColor(window.theme.tokens.text)
    assert verdict.headline.text().startswith("Provisional: ")
    assert verdict.headline.palette().color(verdict.headline.foregroundRole()) == quiet
    assert why in verdict.accessibleDescription()
    pale = view.grab().toImage()
    bench.tell(replace(bench.state, encoder_state=EncoderState.READY))
    qtbot.waitUntil(lambda: not verdict.headline.text().startswith("Provisional: "))
    assert verdict.headline.palette().color(verdict.headline.foregroundRole()) == strong
    assert why not in verdict.accessibleDescription()
    accent = QColor(window.theme.tokens.accent).name()
    assert accent not in colours(pale)
    assert accent in colours(view.grab().toImage())


def colours(image: QImage) -> set[str]:
    """The colours in the area of the bars of the first row; the mark of the selected row is left of it."""
    return {image.pixelColor(x, 18).name() for x in range(image.width() // 2, image.width())}


def test_that_links_keep_their_place_whatever_the_lines_say(qtbot: QtBot, open_window: Opener) -> None:
    strip = asked_with(qtbot, open_window).scope.verdict
    link = next(link for link in strip.links if not link.isHidden())
    top = link.y()
    for counts in ((5, 5, 5), (5, 5, 25), (25, 5, 0)):
        for line, count in zip((strip.headline, *strip.reasons[:2]), counts, strict=True):
            line.setText("word " * count)
        QCoreApplication.sendEvent(some(strip.headline.parentWidget()), QEvent(QEvent.Type.LayoutRequest))
        assert (link.y(), strip.reasons[1].geometry().right() < link.x()) == (top, True)


MOST_NUMBERS = 25
MOST_TERMS = 15
TERMS = (
    *("scope", "route|routing|vector_similarity", "teach|taught", "type", "overruled|held back", "memory|memories"),
    *("power|powers", "inject|injected", "approve|approved|unapproved", "learned", "centroid", "fuzzy"),
    *("semantic", "token", "keyword|keywords", "exact", "confidence", "threshold"),
    *("offered", "activated", "high|medium|low", "intent", "trigger|triggers", "llm", "encoder", "recommended"),
    *("settled", "profile", "combination", "tier", "band", "namespace", "label", "success", "p95", "case|cases"),
)
"""Words with a meaning of their own here; alternatives are one term."""
SCORERS = {"exact", "fuzzy", "token", "semantic", "centroid", "learned", "keyword|keywords"}
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
    panel = of_type(window.scope.panels["session"], SessionPanel)
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
    found = [number for text in painted(window, monkeypatch) for number in _NUMBER.findall(text)]
    assert any(len(number) > 1 for number in found), "texts are seen at all"
    assert len(found) <= MOST_NUMBERS, found


def test_that_a_high_window_lists_more(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspections, "inspection_of", several_found)
    window = open_window(FakeWorkbench())
    asked(qtbot, window)
    panel = of_type(window.scope.panels["matches"], MatchesPanel)
    qtbot.waitUntil(lambda: len(panel.model.rows) == 8)
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: len(panel.model.rows) == len(inspections.ROWS))
    assert panel.view.currentIndex().row() == 0


def test_that_the_first_look_has_few_terms(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspections, "inspection_of", several_found)
    window = open_window(FakeWorkbench())
    asked(qtbot, window)
    found = set[str]()

    def names_scores() -> bool:
        text = "\n".join(painted(window, monkeypatch)).lower()
        found.clear()
        found.update(term for term in TERMS if re.search(rf"\b({term})\b", text))
        return "ready" in text and found >= SCORERS

    qtbot.waitUntil(names_scores)
    assert len(found - SCORERS) <= MOST_TERMS, sorted(found - SCORERS)
    assert not found & {"encoder", "recommended", "settled", "profile", "overruled|held back", "band"}


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
