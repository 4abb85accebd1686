"""Tests of the verdict above the panes: current, of constant height, with links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.display.scope.verdict import Help, verdict
from app.domain.scope.inspection import Decision, Phase, Stage, Trace
from app.gui.bridge.scope_state import ScopeState
from app.gui.scope.panels import registry
from app.gui.shell.main_window import MainWindow
from app.services.core import EncoderState
from tests.build import some
from tests.gui import inspections
from tests.gui.inspections import TEXT, FakeWorkbench, lexical_only

Opener = Callable[[FakeWorkbench], MainWindow]


def asked(qtbot: QtBot, open_window: Opener, **chosen: object) -> MainWindow:
    workbench = FakeWorkbench()
    workbench.values |= {f"search_intent.{key}": value for key, value in chosen.items()}
    window = open_window(workbench)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: window.scope_state.settings is not None)
    window.ask("why does the build keep failing on my mac")
    qtbot.waitUntil(lambda: window.scope.verdict.shown is not None and not window.scope_state.awaits_vector)
    return window


def test_that_the_first_line_of_an_answer_is_its_verdict(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
    strip = window.scope.verdict
    assert strip.headline.text() == some(strip.shown).headline
    assert strip.headline.text().startswith("Troubleshoot 55 % · build-fails-locally 86 %")
    assert strip.accessibleDescription().startswith(strip.headline.text())
    assert strip.geometry().bottom() < window.scope.below.geometry().top() + 1


def test_that_a_verdict_goes_with_its_query_and_nothing_moves(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
    strip, before = window.scope.verdict, window.scope.below.geometry()
    window.ask("")
    assert strip.shown is None
    assert strip.headline.text() == "No query yet"
    assert not [link for link in strip.links if link.isVisible()]
    assert window.scope.below.geometry() == before


def test_that_a_verdict_follows_where_encoding_its_query_has_failed(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
    before, settings = window.scope.verdict.shown, some(window.scope_state.settings)
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
    window, phases = asked(qtbot, open_window), list[Phase]()
    qtbot.waitUntil(lambda: window.scope.is_shown)
    final, session = some(window.scope_state.inspection), list[bool]()
    show, rest = window.panels["intent"].show_state, window.panels["session"].show_state

    def note_phase(state: ScopeState) -> None:
        phases.append(some(state.inspection).phase)
        show(state)

    def note_turn(state: ScopeState) -> None:
        session.append(True)
        rest(state)

    monkeypatch.setattr(window.panels["intent"], "show_state", note_phase)
    monkeypatch.setattr(window.panels["session"], "show_state", note_turn)
    window.scope.show_inspection(window.worker.generation, lexical_only())
    qtbot.waitUntil(lambda: bool(session))
    window.scope.show_inspection(window.worker.generation, final)
    qtbot.waitUntil(lambda: window.scope.is_shown)
    assert phases == [final.phase]


def test_that_a_threshold_in_the_way_is_opened_among_the_settings(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window, certain_confidence=0.0)
    strip = window.scope.verdict
    strip.links[some(strip.shown).help.index(Help.LEAST_SURFACED)].click()
    assert window.stack.is_open("settings")


def test_that_what_was_expected_is_asked_from_the_verdict(qtbot: QtBot, open_window: Opener) -> None:
    window = asked(qtbot, open_window)
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
    qtbot.waitUntil(lambda: window.scope.is_shown and window.scope_state.inspection is not None)
    verdict, view = window.scope.verdict, window.panels["matches"].focus_target()
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


def test_that_links_stand_beside_a_line_that_stays_whole(qtbot: QtBot, open_window: Opener) -> None:
    strip = asked(qtbot, open_window).scope.verdict
    lines = (strip.headline, *strip.reasons)
    links = [link for link in strip.links if not link.isHidden()]
    assert links
    for counts in ((5, 5, 5), (5, 5, 25), (25, 5, 5), (5, 25, 25), (25, 25, 5), (25, 25, 25), (5, 5, 0), (5, 0, 0)):
        for line, count in zip(lines, counts, strict=True):
            line.setText("word " * count)
        QCoreApplication.sendEvent(some(strip.headline.parentWidget()), QEvent(QEvent.Type.LayoutRequest))
        (beside,) = (line for line in lines if line.geometry().right() < links[0].x())
        assert counts[lines.index(beside)] == (25 if counts == (25, 25, 25) else 5)
