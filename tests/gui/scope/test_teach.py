"""Tests of teaching: the dialog, its conflicts, the toast and undo."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.scope.guide import SILENT
from app.domain.errors import StoreError
from app.domain.intent import IntentType
from app.domain.library import NAMESPACES, Memory
from app.domain.why_not import EditPreview, Effect
from app.gui.kit.theme import Appearance, Theme
from app.gui.scope.panels.selected import AnswerFoot
from app.gui.scope.teach_actions import TeachDialog
from app.gui.shell.main_window import MainWindow
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.inspections import BUILD_FAILS, TEXT, FakeEditPreviews, FakeWorkbench
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary


def dialog_of(window: MainWindow, text: str) -> TeachDialog:
    window.bar.box.line.setText(text)
    window.act("teach")
    return some(window.scope.teach_actions.dialog)


def test_that_the_query_is_the_trigger_and_all_fields_are_taught_by_a_key(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    dialog = dialog_of(window, "  the printer is on fire ")
    assert [dialog.namespace.itemText(n) for n in range(dialog.namespace.count())] == list(NAMESPACES)
    dialog.response.setPlainText("Leave the room.")
    dialog.intent.setText("fire")
    dialog.namespace.setCurrentText("office")
    dialog.tags.setText("printer, fire,, printer")
    dialog.verb.click()
    qtbot.waitUntil(lambda: bool(bench.taught))
    made = Memory(("the printer is on fire",), response="Leave the room.", intent="fire", namespace="office")
    assert bench.taught == [replace(made, tags=("printer", "fire"))]
    qtbot.waitUntil(lambda: window.toast.sentence == "Taught as “the printer is on fire”.")
    assert window.toast.offers_undo
    assert window.bar.box.line.hasFocus() or not window.isActiveWindow()
    dialog = dialog_of(window, "the printer is on fire")
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.response.setFocus()
    QTest.keyClicks(dialog.response, "Leave the room.")
    QTest.keyClick(dialog.response, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(bench.taught) == 2)
    assert bench.taught[1].response == "Leave the room."


def test_that_results_are_asked_anew_after_teaching_and_undo_takes_it_back(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.ask("printer")
    qtbot.waitUntil(lambda: bench.answered == ["printer"])
    dialog_of(window, "printer").verb.click()
    qtbot.waitUntil(lambda: bench.asked.count("printer") == 2)
    qtbot.waitUntil(lambda: window.toast.offers_undo)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window.bar.box.line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.toast.sentence.startswith("Undone: "))
    assert bench.taught == []


def test_that_conflicts_are_told_while_typing_and_escape_teaches_nothing(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.act("undo")
    qtbot.waitUntil(lambda: window.toast.sentence == "Nothing to undo.")
    window.bar.box.line.clear()
    window.act("teach_type")
    assert window.scope.teach_actions.menu is None
    dialog = dialog_of(window, "")
    assert not dialog.verb.isEnabled()
    assert dialog.memory() is None
    qtbot.waitUntil(lambda: dialog.conflicts.text() == "A memory needs a trigger.")
    dialog.reject()
    dialog = dialog_of(window, "build fails on maco")
    dialog.trigger.setText(BUILD_FAILS.triggers[0])
    qtbot.waitUntil(lambda: "build-fails-locally" in dialog.conflicts.text())
    dialog.reject()
    dialog = dialog_of(window, "never mind")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.scope.teach_actions.dialog is None)
    assert bench.taught == []


def test_that_a_refused_teaching_keeps_its_text_or_is_told_afterwards(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    dialog = dialog_of(window, "printer")
    dialog.response.setPlainText("Leave the room.")
    bench.refuse = StoreError("The disk is full.")
    dialog.verb.click()
    assert not dialog.verb.isEnabled(), "it is being stored"
    qtbot.waitUntil(lambda: dialog.fault.sentence == "The disk is full.")
    assert dialog.isVisible()
    assert dialog.response.toPlainText() == "Leave the room."
    assert window.toast.sentence == "", "it is said once"
    bench.refuse = None
    dialog.verb.click()
    qtbot.waitUntil(lambda: [one.response for one in bench.taught] == ["Leave the room."])
    qtbot.waitUntil(lambda: window.scope.teach_actions.dialog is None)
    dialog = dialog_of(window, "printer")
    bench.refuse = StoreError("The disk is full.")
    dialog.verb.click()
    dialog.reject()
    qtbot.waitUntil(lambda: window.toast.sentence == "The disk is full.")
    assert not window.toast.offers_undo


def test_that_a_digit_gives_an_answer_the_query_as_a_trigger(qtbot: QtBot, open_window: Opener) -> None:
    library = MemoryLibrary()
    window = open_window(real_bench(library, (Memory(("will it rain",)), Memory(("will it snow",)))))
    window.ask("will it hail")
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and window.scope.is_shown)
    window.act("teach")
    dialog = some(window.scope.teach_actions.dialog)
    assert dialog.choices[1].line[0].startswith("2   ")
    second = dialog.choices[1].match.answer.key
    QTest.keyClicks(dialog.list, "2")
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.scope.teach_actions.dialog is None)
    qtbot.waitUntil(lambda: [one.key for one in library.memories() if "will it hail" in one.triggers] == [second])
    assert len(library.memories()) == 2


def test_that_enter_without_a_digit_and_letters_teach_a_memory(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and window.scope.is_shown)
    window.act("teach")
    dialog = some(window.scope.teach_actions.dialog)
    QTest.keyClicks(dialog.list, "L")
    assert dialog.response.toPlainText() == "L"
    QTest.keyClick(dialog.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [one.triggers for one in bench.taught] == [(TEXT,)])


def test_that_no_answer_is_right_is_said_kept_and_undone(qtbot: QtBot, open_window: Opener) -> None:
    library = MemoryLibrary()
    window = open_window(real_bench(library, (Memory(("will it rain",)),)))
    window.ask("will it hail")
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and window.scope.is_shown)
    window.act("none_right")
    qtbot.waitUntil(lambda: "No answer is right for “will it hail”" in window.toast.sentence)
    assert window.toast.offers_undo
    assert [(case.text, case.expected, case.unwanted) for case in library.cases()] == [("will it hail", (), ())]
    window.act("undo")
    qtbot.waitUntil(lambda: library.cases() == [])
    window.act("teach")
    some(window.scope.teach_actions.dialog).none_chosen.emit()
    qtbot.waitUntil(lambda: len(library.cases()) == 1)
    assert window.scope.teach_actions.dialog is None


def test_that_a_digit_teaches_the_type_of_the_query(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    window = open_window(bench)
    for digit, type_ in ((Qt.Key.Key_2, IntentType.TROUBLESHOOT), (Qt.Key.Key_7, None)):
        window.bar.box.line.setText("the printer is on fire")
        window.activateWindow()  # a closing popup returns the focus a little later
        qtbot.waitUntil(window.isActiveWindow)
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        QTest.keyClick(window, Qt.Key.Key_Y, both)
        menu = some(window.scope.teach_actions.menu)
        assert [action.text()[4:] for action in menu.actions()][::6] == ["How-to", "Asks for nothing"]
        QTest.keyClick(menu, digit)
        qtbot.waitUntil(partial(lambda type_: bench.types.taught == {"the printer is on fire": type_}, type_))
    changed = "Changed: the type of this query is none from now on."
    qtbot.waitUntil(lambda: window.toast.sentence == changed)
    assert window.toast.offers_undo


def test_that_the_dialog_says_what_teaching_would_do_until_the_next_letter(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    bench.edit_previews = edit_previews = FakeEditPreviews()
    edit_previews.found = EditPreview(Effect(2, 1, ("a flat white", "an espresso"), ("tea",), 12), (), 0, 3, 40)
    window = open_window(bench)
    dialog = dialog_of(window, "brew a coffee")
    qtbot.waitUntil(lambda: dialog.effect.text() == SILENT)
    assert not dialog.loss.isVisible(), "nothing was typed yet"
    dialog.intent.setText("coffee")
    qtbot.waitUntil(dialog.loss.isVisible)
    silent, *told = dialog.effect.text().splitlines()
    assert (silent, dialog.effect.property("shade")) == (SILENT, ""), "only a loss is red"
    assert (dialog.broken.text(), dialog.broken.property("shade")) == ("Breaks “tea”.", "danger")
    assert told[:2] == ["Fixes 2, breaks 1, changes 3 recent tiers.", "Fixes “a flat white”, “an espresso”."]
    assert told[2:] == ["Checked against 12 cases and 40 recent queries."]
    assert edit_previews.asked[-1] == ("brew a coffee", "brew a coffee")
    edit_previews.found = EditPreview(Effect(2, 0, ("a flat white", "an espresso"), (), 12))
    dialog.response.setPlainText("Press the button.")
    qtbot.waitUntil(lambda: dialog.effect.text().startswith("Fixes 2, breaks 0."))
    assert (dialog.loss.isVisible(), dialog.broken.isVisible()) == (False, False)
    dialog.trigger.setText("brew a coffee now")
    assert (dialog.verb.text(), dialog.effect.text()) == ("Teach", "")
    qtbot.waitUntil(lambda: "Fixes 2" in dialog.effect.text())
    assert edit_previews.asked[-1] == ("brew a coffee now", "brew a coffee now")
    dialog.reject()


def test_that_the_buttons_stay_on_the_screen_at_twice_the_text_size(qtbot: QtBot) -> None:
    theme = Theme()
    theme.set_appearance(Appearance(text_scale=2.0))
    dialog = TeachDialog(theme, "brew a coffee")
    dialog.conflicts.show_text("Another memory uses this trigger. " * 90)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.show_preview(EditPreview(Effect(2, 1, ("a flat white",) * 9, ("tea",) * 9, 12), (), 0, 3, 40))
    qtbot.waitUntil(lambda: dialog.area.verticalScrollBar().maximum() > 0)
    assert dialog.size().boundedTo(dialog.screen().availableGeometry().size()) == dialog.size()
    assert dialog.rect().contains(dialog.verb.geometry())


def test_that_the_button_below_an_answer_says_what_one_more_trigger_would_do(qtbot: QtBot) -> None:
    foot = AnswerFoot(Theme())
    qtbot.addWidget(foot)
    foot.resize(foot.theme.px(620), foot.height())
    button = foot.buttons["add_trigger"]
    before = button.text(), button.toolTip()
    foot.show_preview(EditPreview(Effect(1, 0, ("tea",), (), 3)))
    assert (button.text(), foot.effect.text()) == ("Add trigger", "fixes 1, breaks 0")
    assert "Fixes “tea”." in button.toolTip()
    foot.show_preview(EditPreview(Effect(0, 0, (), (), 4), query_count=3))
    assert foot.effect.text() == "", "it would read as if the query's own answer stayed"
    assert "Checked against 4 cases and 3 recent queries." in button.toolTip()
    foot.show_preview(None)
    assert (button.text(), button.toolTip()) == before
