"""Tests of the powers page on a real engine: filters, edits, saving, undo, conflicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.domain.journal import Edit
from app.domain.library import Memory, Power, Tool, Transport
from app.gui.kit.dialogs import ConfirmDialog
from app.gui.powers.fields import COMMAND, MASK, ListEditor
from app.gui.powers.page import PowersPage
from app.gui.powers.start_dialog import StartDialog
from app.gui.shell.main_window import MainWindow
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.pages import opened_page, row_action
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary

POWERS = (
    Power("postgres", "Ask PostgreSQL", ("postgres", "database"), tools=(Tool("query", "run a statement"),)),
    Power("mysql", "Ask MySQL", ("mysql", "database"), transport=Transport("npx", ("-y",)), approved=True),
    Power("sentry", "Errors", ("crash",), transport=Transport(url="https://example.org/mcp"), paused=True),
)


@pytest.fixture
def window(qtbot: QtBot, open_window: Opener, library: MemoryLibrary) -> MainWindow:
    made = open_window(real_bench(library, POWERS))
    made.activateWindow()
    return made


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> PowersPage:
    window.ask("run a postgres query")
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and not window.scope.state.inspection.absent)
    return opened(qtbot, window, 3)


def opened(qtbot: QtBot, window: MainWindow, rows: int) -> PowersPage:
    made = opened_page(window, "powers", PowersPage)
    qtbot.waitUntil(lambda: len(made.table.paged.keys) == rows)
    return made


def cells(page: PowersPage, place: int) -> list[str]:
    model = page.table.paged
    return [str(model.index(place, column).data()) for column in range(model.columnCount())]


def write(part: ListEditor, column: int, text: str) -> None:
    some(part.table.item(0, column)).setText(text)


def rename(page: PowersPage, name: str) -> None:
    page.editor.name.selectAll()
    QTest.keyClick(page.editor.name, Qt.Key.Key_Delete)
    QTest.keyClicks(page.editor.name, name)


def names(page: PowersPage) -> list[str]:
    return [cells(page, place)[0] for place in range(len(page.table.paged.keys))]


def test_that_powers_are_sought_sifted_and_sorted_and_a_listed_one_has_a_server(qtbot: QtBot, page: PowersPage) -> None:
    assert cells(page, 0)[:5] == ["postgres", "Ask PostgreSQL", "2", "1", ""]
    assert cells(page, 0)[7].endswith("% no command")
    assert cells(page, 1)[4:7] == ["Command", "Yes", ""]
    assert cells(page, 2)[4:] == ["URL", "", "Paused", "–", ""]
    page.bar.search.setText("database my")
    qtbot.waitUntil(lambda: names(page) == ["mysql"])
    page.bar.set_filter(state="paused")
    assert names(page) == ["sentry"]
    page.bar.search.setText("nowhere")
    qtbot.waitUntil(page.list.no_fit.isVisible)
    page.bar.clear_all()
    page.table.sort_by("name", descending=False)
    assert names(page) == ["mysql", "postgres", "sentry"]
    page.table.sort_by("tier", descending=True)
    assert names(page)[0] == "postgres"
    assert names(page)[-1] == "sentry"
    page.list.go_to(1)
    page.go_to("server")
    page.bar.search.setText("nowhere")
    qtbot.waitUntil(page.right.empty_state.isVisible)
    assert not page.server.isVisible()
    assert page.selected_power() is None
    assert page.focus_stops() == [page.bar.search]
    page.bar.search.setText("")
    qtbot.waitUntil(page.server.isVisible)
    assert not page.right.empty_state.isVisible()
    assert page.server.power.name == some(page.selected_power()).name
    tools = page.server.tools
    qtbot.waitUntil(tools.list.isVisible)
    assert tools.note.text() == "1 tool: entered here, not listed by its server yet"
    assert tools.asks.text() == "Its arguments are known once the server lists them."
    assert not tools.call.isEnabled()
    page.list.go_to(2)
    qtbot.waitUntil(tools.none.isVisible)


def test_that_keywords_say_who_shares_them_and_edits_what_they_change(qtbot: QtBot, page: PowersPage) -> None:
    page.list.go_to(1)
    assert [chip.text().split("   ")[1].strip() for chip in page.editor.keywords.chips] == ["90 %", "70 %, in 2 powers"]
    qtbot.waitUntil(lambda: "rank 1 of 2" in page.editor.effect.text())
    assert "→" not in page.editor.effect.text()
    page.editor.keywords.chips[0].click()
    qtbot.waitUntil(lambda: "→" in page.editor.effect.text())
    assert "run a postgres query" in page.editor.effect_title.text()
    line = page.editor.keywords.line
    line.setFocus()
    QTest.keyClicks(line, "mysql,")
    assert page.editor.draft().keywords == ("database", "mysql")
    assert page.editor.keywords.chips[1].text().split("   ")[1].strip() == "70 %, in 2 powers"
    QTest.keyClick(line, Qt.Key.Key_Backspace)
    assert page.editor.draft().keywords == ("database",)
    page.list.go_to(1)
    page.editor.name.setFocus()
    QTest.keyClicks(page.editor.name, "x")
    assert page.editor.is_dirty
    QTest.keyClick(page.editor.name, Qt.Key.Key_Escape)
    assert page.editor.name.text() == "postgres"
    assert (page.drafts, page.isVisible()) == ({}, True)
    QTest.keyClick(page.window(), Qt.Key.Key_Escape)
    assert not page.isVisible()


def test_that_edits_are_stored_in_order_when_they_are_left_and_ctrl_z_takes_back_letters_or_the_step(
    qtbot: QtBot, window: MainWindow, page: PowersPage, library: MemoryLibrary
) -> None:
    page.list.go_to(1)
    page.editor.name.setFocus()
    QTest.keyClick(page.editor.name, Qt.Key.Key_End)
    QTest.keyClicks(page.editor.name, "ql")
    assert library.powers()[0].name == "postgres"
    page.editor.description.setFocus()
    qtbot.waitUntil(lambda: library.powers()[0].name == "postgresql")
    page.editor.description.setPlainText("Look into tables")
    window.open_page("scope")
    qtbot.waitUntil(lambda: library.powers()[0].description == "Look into tables")
    qtbot.waitUntil(lambda: window.toast.offers_undo and not page.drafts)
    assert [step.verb for step in library.steps()[:2]] == ["edited", "edited"]
    window.open_page("powers")
    window.act("undo")
    qtbot.waitUntil(lambda: page.editor.description.toPlainText() == "Ask PostgreSQL")
    page.list.go_to(1)
    name, ctrl = page.editor.name, Qt.KeyboardModifier.ControlModifier
    before = name.text()
    name.setFocus()
    QTest.keyClicks(name, "x")
    QTest.keyClick(name, Qt.Key.Key_Z, ctrl)
    assert name.text() == before
    QTest.keyClick(name, Qt.Key.Key_End)
    QTest.keyClicks(name, "-new")
    page.editor.save.click()
    qtbot.waitUntil(lambda: library.powers()[0].name == f"{before}-new")
    qtbot.waitUntil(lambda: window.toast.offers_undo and not page.editor.is_dirty)
    name.setFocus()
    QTest.keyClick(name, Qt.Key.Key_Z, ctrl)
    qtbot.waitUntil(lambda: library.powers()[0].name == name.text() == before)
    for key, text in ((1, "one"), (2, "two"), (1, "three")):
        page.list.go_to(key)
        page.editor.description.setPlainText(text)
        page.save()
    qtbot.waitUntil(lambda: not page.drafts)
    assert [power.description for power in library.powers()[:2]] == ["three", "two"]
    assert not page.stale.isVisible()


def test_that_a_command_line_that_is_typed_or_pasted_is_taken_apart(
    qtbot: QtBot, page: PowersPage, library: MemoryLibrary
) -> None:
    page.list.go_to(2)
    reached = page.editor.reached
    reached.command.setFocus()
    QTest.keyClick(reached.command, Qt.Key.Key_End)
    QTest.keyClicks(reached.command, " run it")
    page.editor.description.setFocus()
    assert reached.command.text() == "npx"
    assert reached.args.rows() == [("run",), ("it",), ("-y",)]
    QGuiApplication.clipboard().setText('TOKEN=x1 uvx postgres-mcp "--mode=read only"')
    reached.command.setFocus()
    reached.command.selectAll()
    QTest.keyClick(reached.command, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert reached.command.text() == "uvx"
    assert reached.args.rows() == [("postgres-mcp",), ("--mode=read only",)]
    assert reached.note.text() == "Taken apart: the command and 2 arguments, 1 variable."
    assert page.editor.env.env()["TOKEN"] == "x1"
    page.save()
    qtbot.waitUntil(lambda: library.powers()[1].transport.command == "uvx")
    assert library.powers()[1].transport.args == ("postgres-mcp", "--mode=read only")


def test_that_a_name_that_cannot_be_is_refused_and_stays_until_it_can_be_stored_or_started(
    qtbot: QtBot, window: MainWindow, page: PowersPage, library: MemoryLibrary
) -> None:
    page.list.go_to(1)
    for name, sentence in (("", "needs a name"), ("mysql", "Another power is called “mysql”")):
        rename(page, name)
        page.save()
        assert sentence in page.editor.fault.sentence
        assert library.powers()[0].name == "postgres"
    window.open_page("scope")
    window.open_page("powers")
    qtbot.waitUntil(lambda: "(unsaved)" in names(page)[0])
    page.list.go_to(2)
    page.list.go_to(1)
    assert page.editor.name.text() == "mysql"
    assert library.powers()[0].name == "postgres"
    page.editor.name.setFocus()
    QTest.keyClick(page.editor.name, Qt.Key.Key_Backspace)
    QTest.keyClick(page.editor.name, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: library.powers()[0].name == "mysq")
    page.list.go_to(2)
    rename(page, "")
    window.act("start_power")
    assert "needs a name" in page.editor.fault.sentence
    with qtbot.assertNotEmitted(page.watch.changed, wait=200):
        pass


def test_that_another_command_takes_the_approval_back_and_values_are_masked_and_shown_on_demand(
    qtbot: QtBot, window: MainWindow, page: PowersPage, library: MemoryLibrary
) -> None:
    page.list.go_to(2)
    assert page.editor.approved.isChecked()
    page.editor.reached.command.setText("uvx")
    page.editor.reached.changed.emit()
    assert "withdraws the approval" in page.editor.approval.text()
    page.save()
    qtbot.waitUntil(lambda: library.powers()[1].transport.command == "uvx")
    assert library.powers()[1].approved is False
    qtbot.waitUntil(lambda: page.editor.approved.isEnabled() and not page.editor.approved.isChecked())
    page.editor.approved.click()
    qtbot.waitUntil(lambda: bool(page.window().findChildren(StartDialog)))
    (dialog,) = page.window().findChildren(StartDialog)
    assert dialog.text.toPlainText() == "uvx -y"
    assert dialog.before.toPlainText() == "npx -y"
    assert not library.powers()[1].approved
    dialog.verb.click()
    qtbot.waitUntil(lambda: library.powers()[1].approved)
    qtbot.waitUntil(lambda: page.editor.stored is not None and page.editor.stored.approved)
    env = page.editor.env
    env.add.click()
    write(env, 0, "TOKEN")
    write(env, 1, "hidden-value")
    assert env.rows() == [("TOKEN", MASK)]
    qtbot.waitUntil(lambda: library.secrets_place() in page.editor.place.text())
    page.save()
    qtbot.waitUntil(lambda: not page.drafts and "TOKEN" in library.powers()[1].transport.env)
    assert library.environment(library.powers()[1]) == {"TOKEN": "hidden-value"}
    assert library.powers()[1].transport.env == {"TOKEN": ""}
    qtbot.waitUntil(lambda: not page.editor.is_dirty)
    page.editor.reveal.click()
    qtbot.waitUntil(lambda: env.rows() == [("TOKEN", "hidden-value")])
    assert not page.editor.is_dirty
    page.editor.reveal.click()
    assert env.rows() == [("TOKEN", MASK)]
    page.editor.reveal.click()
    qtbot.waitUntil(lambda: env.rows() == [("TOKEN", "hidden-value")])
    window.open_page("scope")
    assert env.rows() == [("TOKEN", MASK)]


def test_that_several_are_paused_and_deleted_as_one_step_each_and_a_new_power_is_selected(
    qtbot: QtBot, window: MainWindow, page: PowersPage, library: MemoryLibrary
) -> None:
    page.table.selectAll()
    row_action(page.table, "Pause").trigger()
    qtbot.waitUntil(lambda: all(power.paused for power in library.powers()))
    assert library.steps()[0].sentence == "paused 2 powers"
    page.table.selectAll()
    row_action(page.table, "Delete").trigger()
    (dialog,) = page.findChildren(ConfirmDialog)
    assert "postgres, mysql, sentry" in dialog.question.text()
    dialog.verb.click()
    qtbot.waitUntil(lambda: not library.powers())
    qtbot.waitUntil(page.empty.isVisible)
    window.act("undo")
    qtbot.waitUntil(lambda: len(page.table.paged.keys) == 3)
    page.go_to("server")
    page.add()
    assert page.editor.isVisible()
    assert page.editor.name.text() == ""
    assert page.editor.reached.how.current == COMMAND  # the field is present before anything is selected
    page.editor.name.setFocus()
    QTest.keyClicks(page.editor.name, "weather")
    assert page.editor.reached.how.current == COMMAND
    assert not page.editor.approved.isEnabled()
    page.editor.tools.add.click()
    write(page.editor.tools, 0, "forecast")
    page.save()
    qtbot.waitUntil(lambda: len(library.powers()) == 4)
    qtbot.waitUntil(lambda: page.editor.stored is not None and page.editor.stored.name == "weather")
    qtbot.waitUntil(lambda: not page.drafts)
    assert [power.tools for power in library.powers()[3:]] == [(Tool("forecast"),)]
    assert page.editor.reached.how.current == COMMAND  # it was saved with its name alone: Tab still reaches the field


def test_that_a_person_decides_between_two_hands_and_an_edited_power_stays_while_none_is_listed(
    qtbot: QtBot, page: PowersPage, library: MemoryLibrary
) -> None:
    page.list.go_to(1)
    for kept, choice in (("theirs", page.stale.theirs), ("mine", page.stale.mine)):
        page.editor.description.setPlainText("mine")
        theirs = replace(library.powers()[0], description="theirs", steering=kept)
        library.change(Edit("edited", source="elsewhere"), [theirs])
        page.save()
        qtbot.waitUntil(page.stale.isVisible)
        assert "changed elsewhere" in page.stale.sentence.text()
        choice.click()
        qtbot.waitUntil(lambda: not page.drafts and not page.editor.is_dirty)
        assert (page.editor.description.toPlainText(), library.powers()[0].description) == (kept, kept)
        assert not page.stale.isVisible()
    page.editor.name.clear()  # otherwise the edit is stored as soon as the focus leaves it
    page.editor.description.setPlainText("Ask it anything")
    assert page.editor.is_dirty
    page.bar.search.setText("nowhere")
    qtbot.waitUntil(page.right.note.isVisible)
    assert "its edits are not saved" in page.right.note.text()
    assert page.editor.isVisible()
    QTest.keyClicks(page.editor.name, "postgres")
    page.save()
    qtbot.waitUntil(page.right.empty_state.isVisible)
    assert {power.key: power.description for power in library.powers()}[1] == "Ask it anything"


def test_that_a_library_without_powers_offers_a_new_one_before_the_sample(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary(), (Memory(("opening hours",), "At nine."),)))
    page = opened_page(window, "powers", PowersPage)
    qtbot.waitUntil(page.import_.isVisible)
    assert page.add_first.property("primary") == "true"
    assert page.focus_stops() == [page.add_first, page.import_], "the sample is not offered"


def test_that_an_empty_library_says_what_a_power_is(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary()))
    page = opened_page(window, "powers", PowersPage)
    qtbot.waitUntil(page.empty.isVisible)
    assert "MCP server" in page.empty.words[1]
    page.add()
    assert page.editor.isVisible()
    assert not page.empty.isVisible()


def test_that_without_a_query_the_editor_says_where_to_type_one(qtbot: QtBot, window: MainWindow) -> None:
    page = opened(qtbot, window, 3)
    qtbot.waitUntil(lambda: "Ctrl+1" in page.editor.effect.text())
    assert cells(page, 0)[7] == "–"
