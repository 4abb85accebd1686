"""Tests of the rules page: search, order, switches, and edits that are tried before saving."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.adapters.formats.toml_tables import TomlPacks
from app.detect.rule_trial import RuleEffect
from app.display.library.rules import RULE_COLUMNS, pack_title
from app.domain.case import Task
from app.domain.intent import Rule
from app.domain.journal import Edit
from app.domain.why_not import ChangedAnswer, EditPreview, Effect
from app.gui.kit.fields import plain_tip
from app.gui.library.rule_packs import dropped_before, stepped
from app.gui.library.rules import RulesModel, RulesPage
from app.gui.shell.main_window import MainWindow
from app.services.library.rules import RulePacks, RuleTrialResult
from app.services.scope.edit_previews import EditPreviews
from tests.build import some
from tests.fakes import MemoryLibrary
from tests.gui.conftest import Opener, round_trip
from tests.gui.pages import open_dialog, opened_page, row_action
from tests.gui.real_bench import real_bench
from tests.gui.rules import MINE, library

Opened = tuple[MainWindow, RulesPage, MemoryLibrary]
OpenRules = Callable[[], Opened]
CASES = 24


@pytest.fixture
def open_rules(qtbot: QtBot, open_window: Opener) -> OpenRules:
    """Return a function that opens a window on a real engine with cases and its rules page."""

    def open_() -> Opened:
        held = library(cases=CASES)
        bench = real_bench(held)
        bench.rule_packs = RulePacks(bench, bench.journal, bench.rule_edits.shipped, TomlPacks())
        window = open_window(bench)
        window.activateWindow()
        page = opened_page(window, "rules", RulesPage)
        qtbot.waitUntil(lambda: page.survey is not None and bool(page.listing.rules))
        return window, page, held

    return open_


def ids(page: RulesPage, pack: str = "mine") -> list[str]:
    return [name for name in page.table.rules.ids if page.stored.get(name, MINE[0]).pack == pack]


def held(library: MemoryLibrary, name: str) -> Rule:
    return next(rule for rule in library.rules() if rule.id == name)


def pick(page: RulesPage, name: str) -> None:
    page.table.pick(page.table.rules.ids.index(name))


def pack_action(page: RulesPage, pack: str, text: str) -> QAction:
    menu = QMenu(page)
    page.packs.fill_menu(menu)
    state = next(row.state for row in page.packs.rows if row.name == pack)
    of_pack = next(part for part in menu.findChildren(QMenu) if part.title() == f"{pack_title(pack)}   {state}")
    return next(action for action in of_pack.actions() if action.text() == text)


def write(page: RulesPage, text: str) -> None:
    page.editor.pattern.setFocus()
    page.editor.pattern.selectAll()
    QTest.keyClicks(page.editor.pattern, text)


def test_that_rules_are_sifted_and_tell_hints_and_actions_are_refused_elsewhere(open_rules: OpenRules) -> None:
    window, page, _ = open_rules()
    model: QAbstractItemModel = page.table.rules
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    page.bar.set_filter("rotate")
    page.bar.clear_all()
    assert isinstance(model, RulesModel)
    assert model.rowCount() == len(page.listing.rules)
    assert [row.state for row in page.packs.rows] == [
        "3 of 3 on · shipped",
        "8 of 8 on · shipped",
        "3 of 4 on · own",
        "17 of 17 on · shipped",
        "26 of 26 on · shipped",
    ]
    pack_action(page, "mine", "Show only this pack").trigger()
    assert page.table.rules.ids == [rule.id for rule in MINE]
    page.bar.set_filter("zebra", on="Off")
    assert page.table.rules.ids == ["mine.zebra"]
    page.bar.set_filter("no such rule")
    assert not page.table.isVisible()
    assert page.list.no_fit.isVisible()
    page.bar.clear_all()
    pick(page, "mine.rotate-again")
    assert "Finds just what mine.rotate finds." in page.editor.hints.text()
    assert page.editor.hints.isVisible()
    row = some(model.row_at(model.ids.index("mine.rotate-again")))
    said = model.data(model.index(model.ids.index("mine.rotate"), 0), Qt.ItemDataRole.AccessibleTextRole)
    assert said == r"How-to, rotate|turn\s+round, Pattern: rotate | turn round"
    tip = model.data(model.index(model.ids.index(row.id), 0), Qt.ItemDataRole.ToolTipRole)
    assert tip == plain_tip("\n".join((row.id, *row.hints, row.draft.pattern))), "hints come before what is cut"
    find = [one for one in page.findChildren(QShortcut) if one.key() == QKeySequence(QKeySequence.StandardKey.Find)]
    assert [one.context() for one in find] == [Qt.ShortcutContext.WidgetWithChildrenShortcut]
    rows = {row.key: row for row in page.action_rows()}
    assert all(row.refusal() == "" for row in rows.values())
    rows["rule_add"].act()
    assert page.selected == "mine.rule"
    window.open_page("scope")
    assert rows["rule_add"].refusal() == "Open the rules page first."


def test_that_the_rule_that_matched_a_query_is_shown_and_tried_on_it(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(library()))

    def check(text: str, name: str) -> None:
        window.open_page("scope")
        window.ask(text)
        qtbot.waitUntil(lambda: window.worker.answer is not None and window.worker.answer.query.text == text)
        page = opened_page(window, "rules", RulesPage)
        qtbot.waitUntil(lambda: page.editor.sheet.read.startswith(f"{text}\nMatches."))
        assert page.selected == page.table.current_id == name
        assert page.table.viewport().rect().contains(page.table.visualRect(page.table.currentIndex()).center())

    check("find my notes", "location.find")
    check("is it a zebra or a horse?", "comparison.or")


def test_that_a_broken_pattern_says_where_and_a_good_one_is_tried_on_cases(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, library = open_rules()
    pick(page, "mine.rotate")
    page.editor.label.setEditText("Explanation")
    assert some(page.editor.draft).label == "explanation"
    write(page, "turn (?<!not )round")
    qtbot.waitUntil(lambda: "Character 6" in page.editor.sheet.read)
    assert "Write what must not be there into “Unless”" in page.editor.sheet.read
    QTest.keyClick(page.editor.pattern, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "does not compile" in page.editor.refusal.sentence)
    assert held(library, "mine.rotate").pattern == MINE[0].pattern
    assert page.editor.pattern.text() == "turn (?<!not )round"
    window.ask("please turn round the page")
    pick(page, "mine.rotate")
    page.editor.line.setText("rotated already")
    write(page, "rotated")
    sheet = page.editor.sheet
    qtbot.waitUntil(lambda: sheet.counted is not None and sheet.counted.attempt == page.attempt and not sheet.is_stale)
    trial = some(sheet.counted)
    assert trial.attempt.draft.pattern == "rotated"
    qtbot.waitUntil(lambda: sheet.trial is not None and len(sheet.trial.samples) == 2)
    assert [sample.hit is not None for sample in some(sheet.trial).samples] == [False, True]
    assert trial.cases == CASES
    assert trial.matched == CASES // 8
    assert some(trial.rule_effects)[RuleEffect.TURNS_WRONG] > 0
    assert held(library, "mine.rotate").pattern == MINE[0].pattern
    qtbot.waitUntil(lambda: "Saving turns" in sheet.read)
    assert "is the page rotated already or stuck" in sheet.read
    assert "turns wrong" in sheet.read


def test_that_saving_in_every_way_counts_from_then_on_and_can_be_undone(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, library = open_rules()
    window.ask("zebra finch")

    def is_detected() -> bool | None:
        inspection = window.scope.state.inspection
        return None if inspection is None else inspection.detection.intent is not None

    for how in ("enter", "ctrl+s", "button", "leaving"):
        qtbot.waitUntil(lambda: is_detected() is False)
        pick(page, "mine.rotate")
        write(page, "zebra finch")
        assert page.editor.save.isEnabled()
        if how == "enter":
            QTest.keyClick(page.editor.pattern, Qt.Key.Key_Return)
        elif how == "ctrl+s":
            QTest.keyClick(page.editor.pattern, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        elif how == "leaving":
            page.table.setFocus()
        else:
            page.editor.save.click()
        qtbot.waitUntil(lambda: held(library, "mine.rotate").pattern == "zebra finch")
        qtbot.waitUntil(lambda: is_detected() is True)
        qtbot.waitUntil(lambda: not page.editor.save.isEnabled())
        window.act("undo")
        qtbot.waitUntil(lambda: held(library, "mine.rotate").pattern == MINE[0].pattern)
        qtbot.waitUntil(lambda: page.editor.pattern.text() == MINE[0].pattern)


def test_that_save_says_what_saving_would_do_and_forgets_it_with_the_next_letter(
    qtbot: QtBot, open_rules: OpenRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt: list[str] = []

    async def of_rule(_: object, rule: Rule) -> EditPreview:
        attempt.append(rule.pattern)
        flipped = (ChangedAnswer("page it", "", "howto"),)
        return EditPreview(Effect(2, 1, ("a", "b"), ("c",), 200), flipped, 1, query_count=9, task=Task.TYPE)

    monkeypatch.setattr(EditPreviews, "of_rule", of_rule)
    _, page, _ = open_rules()
    pick(page, "mine.rotate")
    assert page.editor.save.text() == "Save"
    write(page, "page")
    qtbot.waitUntil(lambda: page.editor.save.text() == "Save: fixes 2, breaks 1, changes 1 recent type")
    assert attempt[-1] == "page"
    assert page.editor.sheet.preview.startswith("Checked against 200 cases and 9 recent queries. Fixes “a”, “b”.")
    assert "“page it”: no type → How-to" in page.editor.sheet.preview
    QTest.keyClicks(page.editor.pattern, "s")
    assert (page.editor.save.text(), page.editor.sheet.preview) == ("Save", "")


def test_that_an_edit_survives_other_rules_and_pages_and_escape_drops_it(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, _ = open_rules()
    pick(page, "mine.rotate")
    write(page, "spin")
    pick(page, "mine.zebra")
    assert page.editor.pattern.text() == "zebra crossing"
    window.open_page("scope")
    window.open_page("rules")
    round_trip(qtbot, window.worker)
    pick(page, "mine.rotate")
    assert page.editor.pattern.text() == "spin"
    assert page.editor.revert.isEnabled()
    older = some(page.attempt)
    write(page, "whirl")
    assert page.attempt != older
    before = page.editor.sheet.trial
    page.show_trial(RuleTrialResult(older, "evidence", samples=()))
    assert page.editor.sheet.trial is before
    QTest.keyClick(page.editor.pattern, Qt.Key.Key_Escape)
    assert not window.is_scope_open
    assert page.editor.pattern.text() == MINE[0].pattern
    QTest.keyClick(page.editor.pattern, Qt.Key.Key_Escape)
    assert window.is_scope_open


def test_that_trying_a_rule_is_not_leaving_it_and_a_touched_copy_is_kept(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, library = open_rules()
    pick(page, "mine.rotate")
    write(page, "spin")
    page.editor.line.setFocus()
    QTest.keyClicks(page.editor.line, "spin it")
    round_trip(qtbot, window.worker)
    assert held(library, "mine.rotate").pattern == MINE[0].pattern
    page.table.setFocus()
    qtbot.waitUntil(lambda: held(library, "mine.rotate").pattern == "spin")
    pick(page, "mine.rotate")
    row_action(page.table, "Duplicate").trigger()
    twin = page.selected
    page.table.setFocus()
    round_trip(qtbot, window.worker)
    assert twin not in {rule.id for rule in library.rules()}
    write(page, "whirl")
    page.table.setFocus()
    qtbot.waitUntil(lambda: twin in {rule.id for rule in library.rules()})


def test_that_rules_are_switched_moved_and_deleted_one_by_one(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, library = open_rules()
    pick(page, "mine.rotate")
    page.editor.enabled.click()
    qtbot.waitUntil(lambda: not held(library, "mine.rotate").enabled)
    pick(page, "mine.zebra")
    QTest.keyClick(page.table, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: held(library, "mine.zebra").enabled)
    qtbot.waitUntil(lambda: page.stored["mine.zebra"].enabled)
    on = [column.key for column in RULE_COLUMNS].index("on")
    page.table.scrollTo(here := page.table.rules.index(page.table.rules.ids.index("mine.zebra"), on))
    middle = page.table.visualRect(here).center()
    QTest.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(middle.x(), middle.y()))
    qtbot.waitUntil(lambda: not held(library, "mine.zebra").enabled)
    pick(page, "mine.zebra")
    page.table.setFocus()
    for _ in range(5):
        QTest.keyClick(page.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert ids(page)[0] == "mine.zebra"
    assert page.table.current_id == "mine.zebra"
    wanted = ["mine.zebra", "mine.rotate", "mine.rotate-again", "mine.rotate-the"]
    qtbot.waitUntil(lambda: [r.id for r in library.rules() if r.pack == "mine"] == wanted)
    page.bar.set_filter(pack="mine")
    page.table.setFocus()
    pick(page, "mine.zebra")
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "mine.zebra" not in ids(page))
    assert page.table.hasFocus()
    assert page.table.current_id == ""
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    round_trip(qtbot, window.worker)
    assert [rule.id for rule in library.rules() if rule.pack == "mine"] == wanted[1:]


def test_that_an_edit_made_elsewhere_is_told_before_it_is_replaced(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, library = open_rules()
    pick(page, "mine.rotate")
    write(page, "spin")
    library.change(Edit("edited"), [replace(held(library, "mine.rotate"), pattern="whirl")])
    page.save()
    qtbot.waitUntil(lambda: "changed elsewhere" in page.editor.refusal.sentence)
    assert held(library, "mine.rotate").pattern == "whirl"
    page.table.setFocus()
    round_trip(qtbot, window.worker)
    assert held(library, "mine.rotate").pattern == "whirl"  # replaced only after a confirmation
    page.save()
    qtbot.waitUntil(lambda: held(library, "mine.rotate").pattern == "spin")


def test_that_a_dropped_rule_goes_before_the_row_in_its_own_pack_only(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, library = open_rules()
    shown = page.table.rules.ids
    model = page.table.rules
    data = model.mimeData([model.index(shown.index("mine.rotate-the"), 0)])
    progressed = Qt.DropAction.MoveAction
    assert not model.dropMimeData(data, progressed, shown.index("mine.rotate-again"), 0, model.index(-1, -1))
    qtbot.waitUntil(lambda: [r.id for r in library.rules() if r.pack == "mine"][1] == "mine.rotate-the")
    model.dropMimeData(data, progressed, len(shown), 0, model.index(-1, -1))
    assert window.toast.isVisible()
    assert "within its pack" in window.toast.sentence


def test_that_places_are_found_among_what_is_shown() -> None:
    rules = [replace(MINE[0], id=name, pack=pack) for name, pack in [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y")]]
    assert stepped(rules, ["a", "c", "d"], "a", 1) == ["b", "c", "a"]
    assert stepped(rules, ["a", "c", "d"], "c", 1) is None
    assert stepped(rules, ["a", "c"], "b", 1) is None
    assert dropped_before(rules, ["a", "b", "c", "d"], "a", 3) == ["b", "c", "a"]
    assert dropped_before(rules, ["a", "b", "c", "d"], "c", 0) == ["c", "a", "b"]
    assert dropped_before(rules, ["a", "b", "c", "d"], "a", 4) is None


def test_that_rules_are_added_duplicated_and_deleted(qtbot: QtBot, open_rules: OpenRules) -> None:
    window, page, library = open_rules()
    page.add.click()
    assert page.selected == "mine.rule"
    assert page.editor.pattern.hasFocus()
    page.save()
    assert "Type the words" in page.editor.refusal.sentence
    QTest.keyClicks(page.editor.pattern, "kiwi")
    page.save()
    qtbot.waitUntil(lambda: any(rule.pattern == "kiwi" for rule in library.rules()))
    shipped = next(rule for rule in page.listing.rules if rule.id in page.listing.shipped)
    qtbot.waitUntil(lambda: "mine.rule" in page.stored)
    pick(page, shipped.id)
    assert not row_action(page.table, "A shipped rule cannot be deleted").isEnabled()
    page.duplicate()
    twin = page.selected
    assert twin.startswith("mine.")
    assert page.editor.pattern.text() == shipped.pattern
    page.revert()
    assert twin not in ids(page)
    pick(page, "mine.rule")
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "mine.rule" not in {rule.id for rule in library.rules()})
    qtbot.waitUntil(lambda: window.toast.isVisible() and "eleted “mine.rule”" in window.toast.sentence)
    window.act("undo")
    qtbot.waitUntil(lambda: "mine.rule" in {rule.id for rule in library.rules()})


def test_that_a_pack_is_written_read_switched_and_reset(qtbot: QtBot, open_rules: OpenRules, tmp_path: Path) -> None:
    _, page, library = open_rules()
    pack_action(page, "mine", "Export…").trigger()
    qtbot.waitUntil(lambda: page.packs.file_saver.dialog is not None)
    file = tmp_path / "mine.toml"
    some(page.packs.file_saver.dialog).fileSelected.emit(str(file))
    some(page.packs.file_saver.dialog).reject()
    qtbot.waitUntil(file.exists)
    file.write_text(file.read_text("utf-8").replace("zebra crossing", "zebra finch"), "utf-8")
    row_menu = QMenu(page)
    page.packs.fill_menu(row_menu)
    row_menu.actions()[-1].trigger()
    dialog = open_dialog(page, QFileDialog)
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    qtbot.waitUntil(lambda: page.dialog is not None)
    assert "“zebra crossing” → “zebra finch”" in some(page.dialog).findChildren(QPlainTextEdit)[0].toPlainText()
    some(page.dialog).verb.click()
    qtbot.waitUntil(lambda: held(library, "mine.zebra").pattern == "zebra finch")
    qtbot.waitUntil(lambda: page.dialog is None)
    pack_action(page, "subcog", "Switch off").trigger()
    qtbot.waitUntil(lambda: not any(r.enabled for r in library.rules() if r.pack == "subcog"))
    qtbot.waitUntil(lambda: any(row.name == "subcog" and not row.enabled for row in page.packs.rows))
    pack_action(page, "subcog", "Reset…").trigger()
    qtbot.waitUntil(lambda: page.dialog is not None)
    assert some(page.dialog).findChildren(QPlainTextEdit)[0].toPlainText().count("switched off → on") == 26
    some(page.dialog).verb.click()
    qtbot.waitUntil(lambda: all(r.enabled for r in library.rules() if r.pack == "subcog"))
    assert not pack_action(page, "mine", "Reset…").isEnabled()
