"""Tests of the window: typing, keyboard, first frame, title, status notes, states and faults."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QThreadPool
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.display.documents import full_inspection_document
from app.display.scope.timing import ON_SCREEN
from app.domain.errors import StoreError
from app.domain.fits import FitSource, FitState, FitStatus
from app.domain.library import Membership, Role
from app.gui.kit.controls import primary_button, set_primary
from app.gui.kit.fields import LONGEST
from app.gui.kit.theme import LOOK_FILE, Appearance, Mode, Theme, read_appearance
from app.gui.kit.tokens import DARK, LIGHT
from app.gui.scope.actions import FORMS
from app.gui.scope.panels.matches import MatchesPanel
from app.gui.scope.panels.session import SessionPanel
from app.gui.scope.query_line import utf16
from app.gui.shell.application import make_window
from app.gui.shell.main_window import MainWindow
from app.gui.shell.remedy_actions import NOWHERE, Places
from app.gui.shell.report_box import catch_bugs
from app.gui.shell.status_line import StatusLine
from app.services.status import EncoderState, Status
from tests.build import of_type, some
from tests.gui.conftest import Opener, round_trip
from tests.gui.dock_windows import unfold
from tests.gui.inspections import TEXT, FakeWorkbench
from tests.waiting import PATIENCE


def matches(window: MainWindow) -> MatchesPanel:
    return of_type(window.scope.panels["matches"], MatchesPanel)


def answered(qtbot: QtBot, window: MainWindow, text: str) -> None:
    def done() -> bool:
        inspection = window.scope.state.inspection
        is_last = inspection is not None and inspection.query.text == text and inspection.phase == "embedded"
        return is_last and window.scope.is_shown

    qtbot.waitUntil(done)


def selected_name(window: MainWindow) -> str:
    return window.scope.state.selected.answer.name if window.scope.state.selected else ""


def test_that_a_query_typed_fast_shows_only_its_last_state(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    bench.pause = 0.005
    window = open_window(bench)
    seen: list[str] = []
    window.worker.inspected.connect(lambda _, inspection: seen.append(inspection.query.text))
    text = "why does a build fail"[:20]
    QTest.keyClicks(window.bar.box.line, text)
    answered(qtbot, window, text)
    assert bench.answered[-1] == text
    assert seen[-1] == text
    round_trip(qtbot, window.worker)
    assert some(window.scope.state.inspection).query.text == text


def test_that_an_answer_is_spread_over_all_panes_with_its_equation(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    unfold(window)
    window.act("selected_computed")
    window.ask(TEXT)
    answered(qtbot, window, TEXT)
    qtbot.waitUntil(lambda: "0.856" in _read(window, "selected"))
    assert [row.name for row in matches(window).model.rows][:2] == ["build-fails-locally", "slow-build"]
    assert "Troubleshoot" in _read(window, "intent")
    assert "xcode-build" in _read(window, "powers")
    assert "settled 8.6 ms" in _read(window, "this_query")
    assert selected_name(window) == "build-fails-locally"
    assert window.bar.box.labelled == ["Troubleshoot", "How-to", "Explanation"]
    window.act("selected_triggers")
    read = _read(window, "selected")
    for part in (
        "mean(",
        "Ahead of slow-build by 31 points",
        "mean of 3 triggers",
        "Clear the derived data",
        "= 0.856",
    ):
        assert part in read


def _read(window: MainWindow, key: str) -> str:
    sheet = window.scope.panels[key].sheet  # type: ignore[attr-defined]
    sheet.repaint()
    return str(sheet.read)


def test_that_the_time_until_it_is_on_screen_is_noted_once_a_key(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.act("panes_below")
    session = of_type(window.scope.panels["session"], SessionPanel)
    for text in ("a", "ab", "abc"):
        window.ask(text)
        answered(qtbot, window, text)
        qtbot.waitUntil(lambda: window.scope.clock.expected is None)  # the painting is done
    qtbot.waitUntil(lambda: len(session.durations[ON_SCREEN]) == 3)
    assert len(session.durations["embed query"]) == 3
    qtbot.waitUntil(lambda: session.fixed[ON_SCREEN].plot is not None)
    window.theme.set_appearance(Appearance(mode=Mode.DARK))
    session.forget()
    assert not session.body.isVisible()


def test_that_the_keyboard_reaches_everything_and_a_picked_answer_stays(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    unfold(window)
    line = window.bar.box.line
    window.ask(TEXT)
    answered(qtbot, window, TEXT)
    window.activateWindow()
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Down)
    assert selected_name(window) == "slow-build"
    assert line.hasFocus()
    QTest.keyClick(line, Qt.Key.Key_Up)
    assert selected_name(window) == "build-fails-locally"
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert window.focusWidget() is window.scope.panels["selected"].focus_target()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert line.hasFocus()
    visited: list[object] = []
    while line not in visited and len(visited) < 9:
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_F6)
        visited.append(window.focusWidget())
    assert visited[:4] == [window.scope.panels[key].focus_target() for key in ("intent", "llm", "matches", "selected")]
    assert visited[-1] is line
    QTest.keyClick(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert line.hasFocus()
    window.ask(TEXT)
    answered(qtbot, window, TEXT)
    matches(window).step(2)
    assert selected_name(window) == "signing"
    window.ask(f"{TEXT} now")
    answered(qtbot, window, f"{TEXT} now")
    assert selected_name(window) == "signing"
    assert matches(window).model.rows[matches(window).view.currentIndex().row()].key == "memory:3"
    window.ask("something else")
    answered(qtbot, window, "something else")
    assert selected_name(window) == "build-fails-locally"
    window.ask(TEXT)
    answered(qtbot, window, TEXT)
    panel = matches(window)
    panel.filter.setFocus()
    QTest.keyClick(panel.filter, Qt.Key.Key_Right)
    QTest.keyClick(panel.filter, Qt.Key.Key_Right)
    assert [row.name for row in panel.model.rows] == ["xcode-build", "sentry", "github-actions"]
    assert panel.filter.accessibleDescription() == "All, Memories, Powers (chosen)"
    assert selected_name(window) == "xcode-build"
    window.ask("   ")
    assert window.scope.state.inspection is None
    assert matches(window).model.rowCount() == 0
    assert "No query yet" in _read(window, "intent")
    assert "No answer selected" in _read(window, "selected")
    assert window.bar.box.cues == ()


def test_that_a_preset_is_chosen_and_the_query_asked_again(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.ask(TEXT)
    answered(qtbot, window, TEXT)
    presets = matches(window).view_menu.presets
    assert presets["recommended"].isChecked()
    presets["as_documented"].trigger()
    qtbot.waitUntil(lambda: bench.asked.count(TEXT) == 2)
    assert bench.values["preset"] == "as_documented"
    qtbot.waitUntil(presets["as_documented"].isChecked)
    assert not presets["recommended"].isChecked()


def copied_with(window: MainWindow, downs: int) -> str:
    """Return the clipboard's content after Ctrl+Shift+C, this many times Down, and Enter."""
    shifted = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_C, shifted)
    menu = of_type(QApplication.activePopupWidget(), QMenu)
    for _ in range(downs):
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    return QGuiApplication.clipboard().text()


def test_that_the_inspection_is_copied_in_each_form_and_looks_ask_nothing(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.act("copy")
    assert "no answer" in window.toast.sentence
    window.ask(TEXT)
    answered(qtbot, window, TEXT)
    inspection = some(window.scope.state.inspection)
    assert copied_with(window, 0).startswith(f"Query: {TEXT}\n")
    assert window.toast.sentence == "Copied the inspection as text."
    assert copied_with(window, 1).startswith(f"## {TEXT}\n")
    assert window.toast.sentence == "Copied the inspection as Markdown."
    assert json.loads(copied_with(window, 2)) == json.loads(
        json.dumps(full_inspection_document(inspection, window.scope.state.settings))
    )
    assert window.toast.sentence == "Copied the inspection as JSON."
    asked = window.worker.generation
    window.worker.choose("theme", "dark")
    window.worker.choose("log_axes", "total")
    qtbot.waitUntil(lambda: window.core_state is not None and window.core_state.settings.log_axes == "total")
    assert window.worker.generation == asked
    window.worker.choose("tiers.high", "0.9")
    qtbot.waitUntil(lambda: window.worker.generation > asked)


# ---- states


def test_that_an_empty_library_offers_the_seeds(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench(counts={"memories": 0, "powers": 0, "rules": 41})
    window = open_window(bench)
    panel = matches(window)
    window.ask("why does this fail")
    qtbot.waitUntil(panel.empty.isVisible)
    assert panel.empty.words[0] == "The library is empty"
    buttons = [made for made in panel.empty.findChildren(QPushButton) if made.isVisible()]
    assert [made.text() for made in buttons] == ["Try the sample library", "Import my file…"]
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    buttons[0].setFocus()
    buttons[0].click()
    qtbot.waitUntil(lambda: "sample library" in window.toast.sentence)
    assert window.bar.box.line.hasFocus()


def test_that_a_loading_encoder_is_told_in_words(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench(encoder=EncoderState.LOADING))
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    assert "Loading the encoder; until then only words are compared" in window.status_line.accessibleName()
    qtbot.waitUntil(lambda: "loading" in matches(window).foot.why)
    assert matches(window).model.rows[0].cells[3].text == "–"


def test_that_faults_are_lines_above_the_matches_and_typing_goes_on(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    sentence = "The settings file has an error in line 12. The last good settings stay in use."
    assert bench.status_changed.has_listeners
    for part in ("store", "settings", "rules"):
        fault = matches(window).fault if part == "store" else matches(window).settings_fault
        bench.status_changed.notify(replace(bench.state, faults={part: sentence}))
        qtbot.waitUntil(fault.isVisible)
        assert fault.sentence == sentence
        assert sentence in window.status_line.accessibleName()
        bench.status_changed.notify(bench.state)
        qtbot.waitUntil(fault.isHidden)
    bench.status_changed.notify(replace(bench.state, embedded=120, to_embed=210))
    qtbot.waitUntil(lambda: "120 of 210 triggers" in window.status_line.accessibleName())
    bench.status_changed.notify(replace(bench.state, embedded=210, to_embed=210))
    qtbot.waitUntil(lambda: "Encoder intentscope-minilm ready;" in window.status_line.accessibleName())
    bench.refuse = StoreError("The store is locked.")
    window.ask("one")
    qtbot.waitUntil(lambda: window.scope.notice.sentence == "The store is locked.")
    bench.refuse = None
    window.ask("two")
    answered(qtbot, window, "two")
    assert not window.scope.notice.isVisible()


@pytest.mark.logs("A bug in Intentscope")
def test_that_a_bug_is_logged_and_told_but_does_not_end_the_loop(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.worker.crashed.disconnect()
    restore = catch_bugs(window.bug_found.emit)
    try:
        sys.excepthook(ZeroDivisionError, ZeroDivisionError("a bug"), None)
    finally:
        restore()
    qtbot.waitUntil(lambda: "ZeroDivisionError" in window.status_line.accessibleName())


# ---- hostile texts


HOSTILE = (
    "nul \0 inside",
    "bell \a and \x1b[31m",
    "מה קורה עם הבנייה",
    "مرحبا build",
    "\U0001f469\u200d\U0001f469 build \U0001f1e9\U0001f1ea",
    "\ud800 alone",
    "a" * 5000,
    "<b>why</b> & <img src=x>",
    "%n %1 {0} {query}",
)


def test_that_any_text_is_shown_and_taught_without_harm(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    shown = [window.scope.state.inspection]
    for text in HOSTILE:
        window.ask(text)
        qtbot.waitUntil(lambda: window.scope.state.inspection not in (None, shown[-1]))
        shown.append(window.scope.state.inspection)
        window.grab()
        for form in FORMS:
            window.scope.copy_actions.copy(form)
        window.act("teach")
        some(window.scope.teach_actions.dialog).reject()


def test_that_places_are_counted_as_qt_counts() -> None:
    assert [utf16("a\U0001f600b", index) for index in (0, 1, 2, 3)] == [0, 1, 3, 4]


# ---- appearance and end


def test_that_nothing_starves_panes_have_names_and_a_huge_paste_is_cut(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    unfold(window)
    for size in ((1280, 800), (1920, 1080), (1280, 800)):
        window.resize(*size)
        qtbot.wait(1)
        assert (window.width(), window.height()) == size
        assert window.scope.panels["matches"].width() >= 520
        assert window.scope.panels["intent"].width() >= 280
        assert window.scope.panels["selected"].width() >= 288
        assert 160 <= window.scope.panels["this_query"].height() <= 360
    assert all(panel.accessibleName() for panel in window.scope.panels.values())
    assert all(
        made.accessibleName() or made.text() for made in window.findChildren(QPushButton) if made.isVisibleTo(window)
    )
    QGuiApplication.clipboard().setText("word " * 200_000)
    window.bar.box.line.paste()
    assert len(window.bar.box.line.text()) == LONGEST
    qtbot.waitUntil(lambda: "20,000 characters" in window.bar.box.note)
    window.grab()


def test_that_the_theme_follows_the_setting(qtbot: QtBot, open_window: Opener, qapp: QApplication) -> None:
    bench = FakeWorkbench()
    bench.values["theme"] = "dark"
    window = open_window(bench)
    qtbot.waitUntil(lambda: window.theme.is_dark)
    assert window.theme.color("surface").name().upper() in window.styleSheet().upper()


PROGRAM = """
import sys
before = set(sys.modules)
import app.gui.shell.application as application

OWN = {"app", "PySide6", "shiboken6", "shibokensupport", "signature_bootstrap", "__feature__", "__main__"}
LATE = {"app.gui.system." + name for name in ("connection", "metrics", "settings.page")}
SLOW = {"asyncio", "email", "importlib.metadata", "ssl", "platform", "subprocess", "urllib.request"}
early = []

def note_painted(window, *more):
    later = set(sys.modules) - before
    tops = {name.partition(".")[0] for name in later}
    early.append(sorted((tops - OWN - sys.stdlib_module_names) | (later & SLOW)))
    start_once(window, *more)

application.FETCH_AFTER_MS = 60_000
start_once, application._start_once = application._start_once, note_painted
made = []

def make():
    made.append(True)
    from tests.gui.inspections import FakeWorkbench
    return FakeWorkbench()

code = application.run(make, query="why does it fail", exit_after=1.5)
print(early, made, sorted(LATE.intersection(sys.modules)), code)
"""


def test_that_the_program_paints_before_anything_heavy_without_other_pages_and_ends_by_itself() -> None:
    # Until the first paint, only Qt, this package and fast modules of the standard library are imported.
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[[]] [True] [] 0"), done.stderr


Starter = Callable[[str], MainWindow]


@pytest.fixture
def started(qtbot: QtBot, tmp_path: Path) -> Iterator[Starter]:
    """Starts a window of a profile whose library has this theme; the worker is not started."""
    windows: list[MainWindow] = []

    def start(theme: str) -> MainWindow:
        bench = FakeWorkbench()
        bench.values["theme"] = theme
        window = make_window(lambda: bench, Places(profile=tmp_path))
        windows.append(window)
        window.resize(800, 600)
        window.show()
        return window

    yield start
    for window in windows:
        window.close()
        window.worker.close()
        window.deleteLater()
        qtbot.wait(1)


def open_library(qtbot: QtBot, window: MainWindow) -> None:
    window.worker.start()
    qtbot.waitUntil(lambda: window.core_state is not None)
    QThreadPool.globalInstance().waitForDone()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_that_the_first_frame_has_the_colours_of_the_last_run(qtbot: QtBot, started: Starter, theme: str) -> None:
    first = started(theme)
    open_library(qtbot, first)
    first.close()
    again = started(theme)
    assert again.core_state is None, "its library is not open yet"
    shade = (DARK if theme == "dark" else LIGHT).bg
    corner = again.grab().toImage().pixelColor(again.width() - 3, again.height() - 3)  # which holds nothing else
    assert corner == QColor(shade)


def test_that_the_library_has_the_last_word(qtbot: QtBot, started: Starter) -> None:
    open_library(qtbot, started("dark"))
    again = started("light")
    looks = [again.theme.is_dark]
    open_library(qtbot, again)
    looks.append(again.theme.is_dark)
    assert looks == [True, False]
    assert not started("light").theme.is_dark


@pytest.mark.parametrize("damaged", ["", "{", "[]", "{}", '{"theme": "pink"}', "1e999", "[" * 100_000])
def test_that_a_damaged_file_leaves_the_default(tmp_path: Path, damaged: str) -> None:
    file = tmp_path / LOOK_FILE
    file.write_text(damaged)
    assert read_appearance(file) == read_appearance(tmp_path / "none")


def test_that_a_profile_among_others_of_the_program_has_its_name_alone(tmp_path: Path) -> None:
    assert Places(tmp_path / "work", None, tmp_path / "profiles.json").profile_name("work") == "work"
    assert NOWHERE.profile_name("work") == "work"


def test_that_a_profile_elsewhere_is_told_by_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, known = tmp_path / "home", tmp_path / "data" / "profiles.json"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    assert Places(tmp_path / "p", None, known).profile_name("p") == str(tmp_path / "p")
    assert Places(home / "x" / "p", None, known).profile_name("p") == str(Path("~") / "x" / "p")


CONTROL = Qt.KeyboardModifier.ControlModifier


def test_that_ctrl_return_presses_the_one_primary_button(open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    teach = primary_button(window.page)
    assert teach is not None
    pressed: list[bool] = []
    teach.clicked.disconnect()
    teach.clicked.connect(lambda: pressed.append(True))
    QTest.keyClick(window, Qt.Key.Key_Return, CONTROL)
    assert len(pressed) == 1
    teach.setEnabled(False)
    assert primary_button(window.page) is not teach


def test_that_a_button_that_is_plain_now_is_not_pressed(open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    for one in window.page.findChildren(QPushButton):
        set_primary(one, False)
    assert primary_button(window.page) is None
    assert "No main button" in {row.key: row for row in window.action_rows}["primary"].refusal()


PLACE = "No keyring of the system can be used, so secrets are kept in /profile/secrets.json, which only you may read."
COUNTS = {"memories": 100_000, "powers": 12, "rules": 40}


def shown(qtbot: QtBot, width: int, *, notes: Mapping[str, str] = {}, faults: Mapping[str, str] = {}) -> StatusLine:
    line = StatusLine(Theme())
    qtbot.addWidget(line)
    line.resize(width, line.height())
    ready = EncoderState.READY
    line.show_status(Status("default", encoder_state=ready, counts=COUNTS, faults=faults, notes=notes, is_open=True))
    line.show()
    return line


def has(line: StatusLine, token: str) -> bool:
    """Return whether anything is drawn in the hue of this colour; edges are paler."""
    hue, image = QColor(line.theme.color(token)).hue(), line.grab().toImage()
    spots = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return any(location.saturation() > 120 and abs(location.hue() - hue) < 6 for location in spots)


def test_that_a_note_is_amber_and_no_fault(qtbot: QtBot) -> None:
    line = shown(qtbot, 1280, notes={"secrets": PLACE})
    assert (line.fault, line.aside, line.remedy) == ("", PLACE, "")
    assert has(line, "warning")
    assert not has(line, "danger")
    assert PLACE in line.accessibleName()
    assert PLACE in line.toolTip()


def test_that_a_fault_comes_before_a_note(qtbot: QtBot) -> None:
    line = shown(qtbot, 1280, notes={"secrets": PLACE}, faults={"store": "The library is locked."})
    assert (line.fault, line.aside) == ("The library is locked.", "")
    assert has(line, "danger")
    assert PLACE not in line.accessibleName()


def test_that_a_note_pushes_nothing_aside(qtbot: QtBot) -> None:
    for width in (1920, 1280, 800):
        with_note, without = (shown(qtbot, width, notes=notes) for notes in ({"secrets": PLACE}, {}))
        assert with_note.parts()[1] == without.parts()[1]
        assert with_note.parts()[0][: len(without.parts()[0])] == without.parts()[0]
        right = min((at for _, at in with_note.parts()[1]), default=float(width))
        assert sum(wide + 20 for _, wide in with_note.parts()[0]) <= right


def test_that_a_team_is_told_beside_the_profile(qtbot: QtBot) -> None:
    line = shown(qtbot, 1280)
    team = Membership("x", "postgresql://db/intents", "rita", 3, "2026-11-22 04:26", Role.READER)
    line.show_status(Status("default", team=team, is_open=True))
    assert line.who.text() == "Profile: default, shared as rita (reader)"
    assert "rita may only read it" in line.toolTip()


def test_that_the_line_says_what_was_learned_from_and_that_it_is_being_fitted(qtbot: QtBot) -> None:
    line = shown(qtbot, 1280)
    ready = Status("me", encoder_state=EncoderState.READY)
    source = FitSource(14, 0, 43, now := time.time())
    for state, words in (
        (FitState.CURRENT, f"Learned from 14 memories and 43 cases, {time.strftime('%H:%M', time.localtime(now))}"),
        (FitState.FITTING, "Learning from the library…"),
        (FitState.MISSING, "Not fitted yet"),
    ):
        line.show_status(replace(ready, fit=FitStatus(state, source)))
        assert words in line.accessibleName()
        shows_ready = "Ready" in [part[0][2] for part in line.parts()[0]]
        assert shows_ready is (state is FitState.CURRENT), "not ready while something is learned"
    line.show_status(replace(ready, fit=FitStatus(), encoder_state=EncoderState.LOADING))
    assert "earned" not in line.accessibleName()
