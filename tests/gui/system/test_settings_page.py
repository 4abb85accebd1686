"""Tests of the settings page: search, changes, rejected values, reset, encoder (S2.15)."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.display.system.models import costs, encoder_change, size
from app.domain.case import Task
from app.domain.encoder import EncoderFacts, Provenance
from app.domain.errors import EncoderError
from app.domain.why_not import EditPreview, Effect
from app.evaluation.answers import Top, Tops
from app.gui.kit.fields import ChoiceBox, Switch, UnitSpin, ValueLine
from app.gui.kit.thresholds import STEPS
from app.gui.shell.main_window import MainWindow
from app.gui.system.encoder_section import EncoderSection
from app.gui.system.setting_line import SettingLine, TrialStrip
from app.gui.system.settings_page import SettingsPage
from app.services.evaluation import case_runs
from app.services.status import Status
from app.services.system.encoders import Measured
from app.settings.model import Settings, keys
from tests.build import of_type, some
from tests.gui.conftest import Opener, round_trip
from tests.gui.inspections import TEXT, FakeWorkbench
from tests.gui.pages import opened_page


@pytest.fixture
def bench() -> FakeWorkbench:
    return FakeWorkbench()


def page_of(window: MainWindow) -> SettingsPage:
    return opened_page(window, "settings", SettingsPage)


def shown(page: SettingsPage) -> list[str]:
    return [key for key, line in page.lines.items() if not line.isHidden()]


def type_into(line: SettingLine, text: str) -> None:
    assert isinstance(line.editor, ValueLine | UnitSpin)
    line.editor.setFocus()
    line.editor.selectAll()
    QTest.keyClicks(line.editor, text)
    QTest.keyClick(line.editor, Qt.Key.Key_Return)


def test_that_a_number_a_switch_and_a_choice_say_what_they_would_do_while_they_are_considered(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    bench.edit_previews.found = EditPreview(Effect(2, 1, ("a", "b"), ("c",), 12), (), 0, 3, 40)
    window = open_window(bench)
    window.activateWindow()
    page = page_of(window)
    page.go_to("weights.exact")
    line = page.lines["weights.exact"]
    qtbot.waitUntil(line.editor.hasFocus)
    assert isinstance(line.editor, ValueLine)
    line.editor.selectAll()
    QTest.keyClicks(line.editor, "0.2")
    qtbot.waitUntil(lambda: line.preview == "fixes 2, breaks 1, changes 3 recent tiers")
    assert bench.edit_previews.asked[-1] == ("weights.exact", "0.2")
    assert "Breaks “c”." in line.editor.toolTip()
    line.grab()
    assert "fixes 2, breaks 1, changes 3 recent tiers" in line.read
    QTest.keyClicks(line.editor, "5")
    assert line.preview == ""
    QTest.keyClick(line.editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: line.row.raw == "0.25")
    assert line.preview == ""
    switch, choice, looks = (page.lines[key] for key in ("name_counts", "combination", "theme"))
    QApplication.sendEvent(switch.editor, QFocusEvent(QEvent.Type.FocusIn))
    of_type(switch.editor, Switch).previewed.emit("true")
    qtbot.waitUntil(lambda: switch.preview == "On: fixes 2, breaks 1, changes 3 recent tiers")
    assert bench.edit_previews.asked[-1] == ("name_counts", "true")
    QApplication.sendEvent(switch.editor, QFocusEvent(QEvent.Type.FocusOut))
    assert switch.preview == ""
    considered, theme = of_type(choice.editor, ChoiceBox), of_type(looks.editor, ChoiceBox)
    other = considered.findData("max")
    considered.highlighted.emit(other)
    qtbot.waitUntil(lambda: choice.preview.endswith(": fixes 2, breaks 1, changes 3 recent tiers"))
    assert choice.preview.startswith(considered.itemText(other))
    considered.hidePopup()
    assert choice.preview == ""
    theme.highlighted.emit(theme.findData("dark"))
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in page.findChildren(QTimer)))
    round_trip(qtbot, window.worker)
    assert bench.edit_previews.asked[-1][0] == "combination", "no answer depends on the theme"
    assert looks.preview == ""


def test_that_typing_finds_settings_and_nothing_found_says_so(open_window: Opener, bench: FakeWorkbench) -> None:
    window = open_window(bench)
    page = page_of(window)
    assert shown(page) == ["preset", "name_counts"]
    page.folds["answers"].click()
    assert "combination" in shown(page)
    page.go_to("encoder")
    assert page.encoder.isVisible()
    QTest.keyClicks(page.search, "ambiguity")
    assert shown(page) == ["tiers.ambiguity_margin"]
    assert [page.places.item(n).isHidden() for n in range(page.places.count())].count(False) == 1
    page.search.setText("import")  # no setting, but an action
    assert page.empty.isVisible()
    page.empty.findChildren(QPushButton)[0].click()
    assert window.palette_box.line.text() == "import"
    assert window.palette_box.model.rows[0].key == "import"
    window.palette_box.leave()
    page.search.clear()
    assert "thresholds.exact" not in shown(page), "no combination in force reads it"
    page.go_to("thresholds.exact")
    assert shown(page) == ["thresholds.exact"]
    assert page.head.more.text() == f"1 of {sum(len(section.rows) for section in page.sections)} settings"
    page.search.clear()
    QTest.keyClicks(page.search, "ambiguity")
    window.open_page("scope")
    window.open_page("settings")
    QTest.keyClicks(page.search, "top")
    assert page.search.text() == "top", "what was sought is typed over when the page is opened again"


def test_that_a_change_is_live_and_taken_back_and_a_refusal_is_a_line_at_the_field_until_it_is_mended(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    window = open_window(bench)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: bench.asked.count(TEXT) == 1)
    page = page_of(window)
    line = page.lines["tiers.high"]
    page.go_to("tiers.high")
    type_into(line, "0.95")
    qtbot.waitUntil(lambda: line.row.is_set_here)
    assert (line.row.raw, line.row.origin, line.reset.isVisible()) == ("0.95", "Set here", True)
    qtbot.waitUntil(lambda: bench.asked.count(TEXT) == 2)
    line.grab()
    assert f"default: {Settings().tiers.high}" in line.read
    line.reset.click()
    qtbot.waitUntil(lambda: not line.row.is_set_here)
    assert "tiers.high" not in bench.values
    assert isinstance(line.editor, UnitSpin)
    assert line.editor.text() == f"{Settings().tiers.high:g}"
    window.toast.hide()
    line = page.lines["search_intent.llm_timeout_ms"]
    page.go_to("search_intent.llm_timeout_ms")
    high = line.height()
    type_into(line, "0")
    qtbot.waitUntil(lambda: "is refused" in line.fault.sentence)
    assert line.height() > high
    assert not window.toast.isVisible()
    assert of_type(line.editor, ValueLine).text() == "0"
    type_into(line, "250")
    qtbot.waitUntil(lambda: line.row.raw == "250")
    assert line.fault.sentence == ""
    assert line.height() == high


def test_that_editors_follow_keys_and_no_wheel(qtbot: QtBot, open_window: Opener, bench: FakeWorkbench) -> None:
    page = page_of(open_window(bench))
    switch, choice = page.lines["search_intent.enabled"].editor, page.lines["combination"].editor
    assert isinstance(switch, Switch)
    assert isinstance(choice, ChoiceBox)
    QTest.keyClick(switch, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bench.values.get("search_intent.enabled") == "false")
    choice.changed.emit("max")
    qtbot.waitUntil(lambda: bench.values.get("combination") == "max")
    qtbot.waitUntil(lambda: choice.currentText() == "Max")
    number = page.lines["search_intent.llm_max_in_flight"].editor
    QTest.keyClick(number, Qt.Key.Key_Down)
    QTest.keyClick(number, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: bench.values.get("search_intent.llm_max_in_flight") == "1")
    middle = QPointF(choice.rect().center())
    turn = QWheelEvent(
        middle, choice.mapToGlobal(middle), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(choice, turn)
    assert choice.currentText() == "Max", "the wheel scrolls the page"


# ---- thresholds


def slid(line: SettingLine, value: float) -> TrialStrip:
    strip = some(line.strip)
    strip.slider.setSliderDown(True)
    strip.slider.setValue(round(value * STEPS))
    return strip


def with_cases(monkeypatch: pytest.MonkeyPatch, *tops: Top) -> None:
    async def answer(*_: object) -> AsyncGenerator[Tops, None]:
        yield Tops(0, len(tops), {})
        yield Tops(len(tops), len(tops), {Task.POWER: tops})

    monkeypatch.setattr(case_runs, "answer_cases", answer)


def test_that_a_slider_says_what_it_does_before_it_is_let_go(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cases(monkeypatch, Top(0.9, is_right=True), Top(0.62, is_right=False), Top(0.1, is_right=False))
    window = open_window(bench)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.worker.answer is not None)
    line = page_of(window).lines["tiers.medium"]
    qtbot.waitUntil(lambda: line.strip is not None and "3 labelled cases" in line.strip.read)
    strip = slid(line, 0.7)
    assert "would be: weak match. Now: offered." in strip.read
    assert "Offered: 1 → 0, 0 → 0 correct" in strip.read
    assert isinstance(line.editor, UnitSpin)
    assert line.editor.value() == 0.7
    assert "tiers.medium" not in bench.values
    strip.slider.setSliderDown(False)
    qtbot.waitUntil(lambda: bench.values.get("tiers.medium") == "0.7")
    qtbot.waitUntil(lambda: line.row.is_set_here)
    line.reset.click()
    qtbot.waitUntil(lambda: strip.slider.value() == 500)


def test_that_a_precision_is_asked_for_and_what_keeps_it_is_set(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cases(monkeypatch, *(Top(0.7 + place / 1000, is_right=place > 50) for place in range(100)))
    promise = some(page_of(open_window(bench)).lines["tiers.high"].promise)
    qtbot.waitUntil(lambda: promise.shown.value is not None)
    first = promise.shown.value
    promise.precision.setValue(0.5)
    assert promise.shown.value is not None
    assert first is not None
    assert promise.shown.value < first
    assert promise.set.isVisibleTo(promise)
    value = repr(promise.shown.value)
    promise.set.click()
    qtbot.waitUntil(lambda: bench.values.get("tiers.high") == value)
    promise.precision.setValue(1.0)
    promise.out_of_scope.setValue(0.2)
    assert "labelled case" in promise.message.text()


def test_that_a_slider_rests_before_it_sets_and_refuses_a_contradiction_and_the_environment_s_is_read_only(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    window = open_window(bench)
    page = page_of(window)
    line = page.lines["tiers.weak"]
    strip = slid(line, 0.9)
    assert strip.read == "“weak” 0.900 must not be above “medium” 0.500. Raise that one first."
    strip.slider.setSliderDown(False)
    assert line.fault.sentence == "“weak” 0.900 must not be above “medium” 0.500. Raise that one first."
    assert strip.slider.value() == 300
    assert of_type(line.editor, UnitSpin).value() == 0.3
    assert "tiers.weak" not in bench.values
    line = page.lines["bands.high"]
    assert line.strip is not None
    qtbot.waitUntil(lambda: line.strip is not None and "No cases with a labelled" in line.strip.read)
    QTest.keyClick(line.strip.slider, Qt.Key.Key_Right)
    QTest.keyClick(line.strip.slider, Qt.Key.Key_PageUp)
    assert "bands.high" not in bench.values
    qtbot.waitUntil(lambda: bench.values.get("bands.high") == "0.805")
    QTest.keyClick(line.editor, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: bench.values.get("bands.high") == "0.81")
    set_there = {"encoder.url": "environment", "search_intent.use_llm": "command line", "tiers.high": "environment"}
    state = some(window.core_state)
    page.show_core_state(replace(state, origins=dict(state.origins) | set_there))
    url, switch, line = (page.lines[key] for key in set_there)
    assert of_type(url.editor, ValueLine).isReadOnly()
    assert not switch.editor.isEnabled()
    url.grab()
    assert "INTENTSCOPE_ENCODER_URL" in url.read
    assert "--set" in switch.editor.toolTip()
    assert not some(line.strip).slider.isEnabled()
    assert of_type(line.editor, UnitSpin).isReadOnly()


def test_that_a_value_of_more_digits_is_not_set_by_looking_and_only_what_differs_is_shown_on_demand(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    bench.values |= {"preset": "as_documented", "matches": "20", "tiers.high": "0.85125"}
    page = page_of(open_window(bench))
    page.only_changed.click()
    assert shown(page) == ["preset", "tiers.high", "matches"]
    line = page.lines["tiers.high"]
    assert of_type(line.editor, UnitSpin).text() == "0.85125"
    line.editor.setFocus()
    line.editor.clearFocus()
    assert bench.values["tiers.high"] == "0.85125"


def test_that_counting_cases_can_be_stopped_begun_again_and_fail(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(*_: object) -> AsyncGenerator[Tops, None]:
        yield Tops(8, 240, {})
        await asyncio.sleep(60)

    monkeypatch.setattr(case_runs, "answer_cases", endless)
    page = page_of(open_window(bench))
    offered = page.threshold_trials.button
    qtbot.waitUntil(lambda: offered.text() == "Stop checking thresholds (8 / 240 cases)")
    strip = some(page.lines["tiers.high"].strip)
    assert "8 of 240" in strip.read
    offered.click()
    assert offered.text() == "Check thresholds"
    assert "was stopped" in strip.read

    async def failing(*_: object) -> AsyncGenerator[Tops, None]:
        yield Tops(0, 1, {})
        raise EncoderError("The encoder failed.")

    monkeypatch.setattr(case_runs, "answer_cases", failing)
    qtbot.waitUntil(lambda: offered.width() == offered.sizeHint().width())
    offered.click()
    assert offered.width() == offered.sizeHint().width(), "before it is painted"
    qtbot.waitUntil(lambda: "The encoder failed." in strip.read)
    with_cases(monkeypatch, Top(0.9, is_right=True))
    page.threshold_trials.button.click()
    qtbot.waitUntil(lambda: "1 labelled case" in strip.read)
    assert not page.threshold_trials.button.isVisible()


def test_that_a_setting_is_gone_to_while_the_page_is_still_made(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    qtbot.waitUntil(lambda: window.core_state is not None)
    page = page_of(window)
    qtbot.waitUntil(lambda: "thresholds" in page.titles)
    assert not page.area.verticalScrollBar().isVisible(), "the first section fits"
    window.open_place("settings", "tiers.high")
    line = page.lines["tiers.high"]
    assert line.isAncestorOf(some(QApplication.focusWidget()))
    assert not line.visibleRegion().isEmpty()


def test_that_every_setting_has_a_line_with_room_for_its_words_and_sections_are_jumped_to_at_any_width(
    qtbot: QtBot, open_window: Opener, bench: FakeWorkbench
) -> None:
    window = open_window(bench)
    window.resize(1920, 1080)
    page = page_of(window)
    assert sorted([*page.lines, *page.llm.server.fields]) == sorted(keys())
    stops: list[QWidget] = [page.area]
    while (stop := some(stops[-1].nextInFocusChain())) is not page.area:
        stops.append(stop)
    assert stops.index(page.lines["preset"]) < stops.index(page.llm) < stops.index(page.encoder)
    line = page.lines["search_intent.llm_timeout_ms"]
    line.grab()
    assert all(part in line.read for part in ("LLM time-out (ms)", "from its dispatch", "1 to 60,000"))
    assert "INTENTSCOPE" not in line.read
    assert "INTENTSCOPE_SEARCH_INTENT_LLM_TIMEOUT_MS" in line.toolTip()
    assert all(line.editor.accessibleName() and line.editor.accessibleDescription() for line in page.lines.values())
    for width in (1280, 1024, 640, 800):
        window.resize(width, 640)
        beside = width >= 1024
        qtbot.waitUntil(lambda: page.places.isVisible() is (window.width() >= 1024))
        assert page.jump.isVisible() is not beside
        for line in page.lines.values():
            room = line.text_width(line.width() / line.theme.scale)
            assert room >= 240
            assert line.editor.geometry().right() <= line.width()
            assert line.theme.face(13, 600).width(line.row.title) <= room, line.row.title
        if beside:
            qtbot.wait(20)
            page.places.setCurrentRow(0)
            page.places.setCurrentRow(list(page.titles).index("privacy"))
        else:
            page.jump.activated.emit(page.jump.count() - 1)
        wanted = "privacy" if beside else [*page.titles][-1]
        assert [key for key, title in page.titles.items() if title.isVisible()] == [wanted]
    page.search.setText("llm timeout")
    assert page.jump.count() < len(page.sections)
    assert page.folds["routing"].isChecked()


TORCH = "sentence-transformers"


@pytest.fixture
def section(qtbot: QtBot, open_window: Opener, bench: FakeWorkbench) -> EncoderSection:
    found = opened_page(open_window(bench), "settings", SettingsPage).encoder
    qtbot.waitUntil(lambda: all(choice.facts is not None for choice in found.choices.values()))
    qtbot.waitUntil(lambda: found.choices["intentscope-minilm"].measured is not None)
    return found


def test_that_each_encoder_says_what_it_costs_or_why_it_cannot_be_had(section: EncoderSection) -> None:
    told = {name: choice.costs.text() for name, choice in section.choices.items()}
    assert told["intentscope-minilm"] == "24 MB on disk, offline, 384 numbers a vector, 3.8 ms a query, 61 MB of memory"
    assert "not installed" in told[TORCH]
    assert "No address" in told["ollama"]
    assert section.choices["intentscope-minilm"].radio.isChecked()
    assert told[TORCH] in section.choices[TORCH].radio.accessibleDescription()
    assert section.use.isHidden()
    assert section.cancel.isHidden()


def test_that_a_library_is_installed_and_used(qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench) -> None:
    section.choices[TORCH].radio.click()
    assert not section.use.isEnabled()
    section.fetch.click()
    assert not section.bar.isHidden()
    assert not section.cancel.isHidden()
    qtbot.waitUntil(lambda: "It is there" in section.line.text())
    qtbot.waitUntil(section.use.isEnabled)
    assert section.bar.isHidden()
    section.use.click()
    qtbot.waitUntil(lambda: [chosen.name for chosen in bench.encoders.chosen] == [TORCH])


def test_that_an_encoder_says_what_is_fetched(qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench) -> None:
    section.choices[TORCH].radio.click()
    assert section.fetch.text() == "Install it, some 1.2 GB"
    bench.encoders.step = 60.0
    section.fetch.click()
    qtbot.waitUntil(lambda: section.bar.maximum() == 3)
    assert bench.encoders.calls[-1] == "install"
    section.cancel.click()
    bench.encoders.step = 0.0
    section.fetch.click()
    qtbot.waitUntil(lambda: "It is there" in section.line.text())
    qtbot.waitUntil(lambda: section.picked.costs.text().startswith("92 MB on disk"))


def test_that_one_is_tried_on_the_cases_before_it_is_used_or_says_that_its_gain_is_unknown(
    qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench
) -> None:
    choice = section.choices[TORCH]
    assert section.trial.isHidden()
    choice.radio.click()
    assert section.trial.isHidden()  # it is not available yet
    bench.encoders.known[TORCH, ""] = EncoderFacts(117_000_000)
    choice.request_inspection()
    qtbot.waitUntil(lambda: not section.trial.isHidden())
    section.trial.click()
    assert not section.cancel.isHidden()
    qtbot.waitUntil(lambda: not choice.gain.isHidden())
    assert choice.gain.text().startswith(
        "Intent: 100.0 % of the 8 cases have the expected answer first with it, 50.0 % as it is now. 4 cases fixed"
    )
    bench.encoders.fault = "There are no labelled cases to try it on, so what it gains here is unknown."
    section.trial.click()
    qtbot.waitUntil(lambda: "unknown" in section.fault.sentence)
    bench.encoders.fault, bench.encoders.step = "", 60.0
    section.trial.click()
    qtbot.waitUntil(lambda: (section.bar.value(), section.bar.maximum()) == (3, 8))
    section.cancel.click()
    qtbot.waitUntil(lambda: bench.encoders.under_way == 0)
    assert section.bar.isHidden()
    assert not section.trial.isHidden()


def test_that_installing_can_be_called_off(qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench) -> None:
    bench.encoders.step = 60.0
    section.choices[TORCH].radio.click()
    section.fetch.click()
    qtbot.waitUntil(lambda: "torch" in section.line.text())
    section.cancel.click()
    assert "Stopped" in section.line.text()
    qtbot.waitUntil(lambda: bench.encoders.under_way == 0)
    assert not section.fetch.isHidden()


def test_that_a_failed_installation_says_why(qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench) -> None:
    bench.encoders.fault = "The disk is full."
    section.choices[TORCH].radio.click()
    section.fetch.click()
    qtbot.waitUntil(lambda: section.fault.sentence == "The disk is full.")
    assert section.bar.isHidden()


def test_that_a_folder_is_checked_before_use(qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench) -> None:
    choice = section.choices[TORCH]
    choice.take_folder("/models/none")
    qtbot.waitUntil(lambda: choice.costs.text() == "Folder not found: /models/none.")
    assert not section.use.isEnabled()
    bench.encoders.known[TORCH, "/models/mine"] = EncoderFacts(1_000_000_000)
    choice.model.clear()
    QTest.keyClicks(choice.model, "/models/mine")
    qtbot.waitUntil(section.use.isEnabled)
    assert choice.costs.text().startswith("1.0 GB on disk, offline")
    section.use.click()
    qtbot.waitUntil(lambda: [chosen.model for chosen in bench.encoders.chosen] == ["/models/mine"])


def test_that_a_missing_name_can_be_fetched(qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench) -> None:
    bench.encoders.known[TORCH, "bge-small"] = EncoderFacts(fault="It is not on this computer.", remedy="download")
    choice = section.choices[TORCH]
    choice.model.setText("bge-small")
    choice.request_inspection()
    choice.radio.click()
    qtbot.waitUntil(lambda: section.fetch.text() == "Download the model" and not section.fetch.isHidden())
    section.fetch.click()
    qtbot.waitUntil(lambda: "download bge-small" in bench.encoders.calls)


def test_that_re_embedding_can_be_called_off(qtbot: QtBot, section: EncoderSection, bench: FakeWorkbench) -> None:
    assert bench.status_changed.has_listeners
    bench.status_changed.notify(replace(bench.state, next_encoder=f"{TORCH} x", embedded=3_200, to_embed=14_972))
    qtbot.waitUntil(lambda: "3,200 done" in section.line.text())
    assert section.line.text().startswith(f"Re-embedding 14,972 triggers with {TORCH} x")
    assert (section.bar.value(), section.bar.maximum()) == (3_200, 14_972)
    section.cancel.click()
    qtbot.waitUntil(lambda: "cancel" in bench.encoders.calls)
    bench.status_changed.notify(bench.state)
    qtbot.waitUntil(section.bar.isHidden)


def test_that_sizes_and_costs_are_read_at_a_glance() -> None:
    assert [size(count) for count in (999, 23_026_053, 9_400_000, 999_600_000)] == [
        "999 B",
        "23 MB",
        "9.4 MB",
        "1.0 GB",
    ]
    measured = Measured(Provenance("ollama all-minilm", "1b226e2802db", 384), 12.34, 61_000_000)
    told = costs(EncoderFacts(45_960_996, is_offline=False), measured)
    assert told == "46 MB on disk, every text goes to the server, 384 numbers a vector, 12.3 ms a query"
    assert costs(EncoderFacts(), None) == "offline, speed and memory are measured once it answers"


def test_that_a_change_is_told_in_plain_words() -> None:
    assert encoder_change(Status("default")) is None
    loading = some(encoder_change(Status("default", next_encoder="ollama all-minilm")))
    assert loading.sentence == "Loading ollama all-minilm; intentscope-minilm answers until then."
    first = some(encoder_change(Status("default", embedded=16, to_embed=210)))
    assert first.sentence == "Embedding 210 triggers with intentscope-minilm, 16 done."
