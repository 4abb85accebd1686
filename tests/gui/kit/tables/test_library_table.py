"""Tests of large tables: rows load when visible, selections stay, columns are remembered."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, QRect, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.display.evaluation.results import case_columns
from app.display.library.cases import CASE_COLUMNS
from app.display.library.memories import MEMORY_COLUMNS
from app.display.library.tables import Choice, Column, Facet
from app.display.powers.rows import POWER_COLUMNS
from app.display.review.history import PAST_COLUMNS
from app.display.routing.rows import LOG_COLUMNS, ROUTE_COLUMNS
from app.domain.filters import MOST_RANGES, SearchResult, place_of, places
from app.gui.kit.tables import table_columns
from app.gui.kit.tables.filter_bar import FacetChip, FilterBar
from app.gui.kit.tables.list_detail import LineList, LineListModel
from app.gui.kit.tables.rows import KEPT_ROWS, PagedModel, following
from app.gui.kit.tables.table import LibraryTable
from app.gui.kit.tables.table_columns import TableLook
from app.gui.kit.theme import Theme
from tests.build import some

COLUMNS: tuple[Column[str], ...] = (
    Column("name", "Name", lambda row: row, 120, "name", aside=lambda row: "+1"),
    Column("size", "Size", lambda row: str(len(row)), 60, "size", is_number=True, can_edit=True),
    Column("more", "More", lambda row: row * 2, 90, is_quiet=True, is_shown=False),
)
MANY = 100_000
HALF_A_SMALL_WINDOW = 448
"""Width of a table in pixels in a 1024-pixel window, at double text size."""
Flag = QItemSelectionModel.SelectionFlag


def rows(*keys: int) -> dict[int, str]:
    return {key: f"row {key}" for key in keys}


@pytest.fixture
def theme() -> Theme:
    return Theme()


@pytest.fixture
def table(qtbot: QtBot, theme: Theme) -> LibraryTable:
    made = LibraryTable(theme, "Things", COLUMNS, "things")
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def test_that_qt_finds_no_fault_with_the_model() -> None:
    model: PagedModel[str] = PagedModel(COLUMNS)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_keys(range(1, 501), rows(1, 2))
    model.show_range(0, 20)
    model.take_rows(rows(3, 4), [3, 4, 5])
    model.put_row(3, "other", 2)
    model.show_keys([9, 3], {})
    model.show_keys([], {})
    assert tester.model() is model


def test_that_only_what_is_looked_at_is_asked_for_and_only_the_latest(qtbot: QtBot) -> None:
    model: PagedModel[str] = PagedModel(COLUMNS)
    asked: list[list[int]] = []
    model.rows_requested.connect(asked.append)
    model.show_keys(range(1, MANY + 1), rows(*range(1, 61)))
    model.show_range(0, 20)
    assert asked == []
    model.show_range(50_000, 50_020)
    for place in (60_000, 70_000, 80_000):
        model.show_range(place, place + 20)
    assert len(asked) == 1
    assert 50_001 in asked[0]
    assert len(asked[0]) < 200
    model.take_rows(rows(*asked[0]), asked[0])
    assert len(asked) == 2
    assert 80_001 in asked[1]
    assert 60_001 not in asked[1]


def test_that_a_row_that_has_not_come_is_a_quiet_place_and_an_edit_is_only_asked_for() -> None:
    model: PagedModel[str] = PagedModel(COLUMNS)
    model.show_keys([1, 2], rows(1))
    assert model.data(model.index(0, 0)) == "row 1"
    assert model.data(model.index(1, 0)) is None
    assert model.data(model.index(1, 0), Qt.ItemDataRole.AccessibleTextRole) == "being fetched"
    assert not model.flags(model.index(1, 1)) & Qt.ItemFlag.ItemIsEditable
    assert model.flags(model.index(0, 1)) & Qt.ItemFlag.ItemIsEditable
    assert model.data(model.index(0, 1), Qt.ItemDataRole.AccessibleTextRole) == "Size: 5"
    told: list[tuple[int, str, str]] = []
    model.edited.connect(lambda *edit: told.append(edit))
    assert not model.setData(model.index(0, 1), "7")
    assert not model.setData(model.index(0, 1), "5")
    assert told == [(1, "size", "7")]
    assert model.data(model.index(0, 1)) == "5"


def test_that_old_rows_are_shown_until_the_new_ones_are_there_and_go_out_of_sight() -> None:
    model: PagedModel[str] = PagedModel(COLUMNS)
    asked: list[list[int]] = []
    model.rows_requested.connect(asked.append)
    model.show_keys([1, 2], rows(1, 2))
    model.show_keys([2, 1], {})
    model.show_range(0, 2)
    assert model.data(model.index(0, 0)) == "row 2"
    assert asked == [[2, 1]]
    model.take_rows({1: "new"}, [2, 1])
    assert model.data(model.index(1, 0)) == "new"
    assert model.data(model.index(0, 0)) is None
    model.show_keys(range(1, MANY + 1), rows(*range(1, KEPT_ROWS + 100)))
    model.show_range(50_000, 50_010)
    model.take_rows(rows(50_001), [50_001])
    assert model.row_of(50_001) == "row 50001"
    assert model.row_of(1) is None


def test_that_places_are_ranges_and_too_many_of_them_none() -> None:
    assert places([5, 3, 9, 1, 2], [3, 9, 2]) == [(1, 2), (4, 4)]
    assert places([3, 1, 2], [1, 2, 3]) == [(0, 2)]
    assert places(range(4 * MOST_RANGES), range(0, 4 * MOST_RANGES, 2)) == []
    found = following(SearchResult([7, 8, 9], 3, selected=[(0, 0)], current=0), [9, 4, 8], 9)
    assert (found.selected, found.current) == ([(1, 1), (2, 2)], 2)
    assert (place_of([4, 5], 5), place_of([4, 5], 6), place_of([4], None)) == (1, None, None)


def test_that_what_is_selected_stays_selected_in_another_order(table: LibraryTable) -> None:
    table.show_found(SearchResult(range(1, 101), 100, rows(*range(1, 101))))
    table.pick(4)
    table.selectionModel().select(table.paged.index(7, 0), Flag.Select | Flag.Rows)
    assert table.selected_keys == [5, 8]
    keys = list(range(100, 0, -1))
    found = SearchResult(keys, 100, {}, places(keys, table.selected_keys), place_of(keys, table.current_key), None)
    table.show_found(found)
    assert table.selected_keys == [8, 5]
    assert table.selected_count == 2
    assert table.current_key == 5


def test_that_what_is_being_typed_outlives_rows_that_come_and_rows_that_go(qtbot: QtBot, table: LibraryTable) -> None:
    table.show_found(SearchResult([1, 2, 3], 3, rows(1, 2, 3)))
    cell = table.paged.index(1, 1)
    told: list[str] = []
    table.paged.edited.connect(lambda key, column, text: told.append(f"{key} {column} {text}"))
    table.setCurrentIndex(cell)
    table.edit(cell)
    (line,) = table.viewport().findChildren(QLineEdit)
    line.selectAll()
    QTest.keyClicks(line, "typed")
    table.paged.take_rows(rows(1, 2, 3), [1, 2, 3])
    table.paged.put_row(2, "another", 1)
    table.show_found(SearchResult([7, 8], 2, rows(7, 8)))
    assert line.text() == "typed"
    assert table.paged.keys == [1, 2, 3]
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: table.paged.keys == [7, 8])
    assert told == ["2 size typed"]


def test_that_a_hundred_thousand_are_selected_and_painted_without_being_fetched(table: LibraryTable) -> None:
    asked: list[int] = []
    table.paged.rows_requested.connect(asked.extend)
    table.show_found(SearchResult(range(1, MANY + 1), MANY, rows(1, 2)))
    table.selectAll()
    table.grab()
    assert table.selected_count == MANY
    QTest.keyClick(table, Qt.Key.Key_End)
    assert table.current_key == MANY
    table.grab()
    assert len(set(asked)) < 500


def test_that_keys_sort_delete_enter_and_search(qtbot: QtBot, table: LibraryTable) -> None:
    told: list[str] = []
    table.delete_requested.connect(lambda: told.append("delete"))
    table.entered.connect(lambda: told.append("enter"))
    table.typed.connect(told.append)
    table.show_found(SearchResult(range(1, 10), 9, rows(*range(1, 10))))
    table.pick(0)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    QTest.keyClick(table, Qt.Key.Key_Return)
    QTest.keyClicks(table, "x")
    assert told == ["delete", "enter", "x"]
    QTest.keyClick(table, Qt.Key.Key_Home)
    assert table.current_key == 1


def test_that_heads_sort_and_sort_back(qtbot: QtBot, table: LibraryTable) -> None:
    sorts: list[tuple[str, bool]] = []
    table.sorted_by.connect(lambda *by: sorts.append(by))
    head = table.horizontalHeader()
    at = QPoint(head.sectionViewportPosition(1) + 20, head.height() // 2)
    for _ in range(2):
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert sorts == [("size", False), ("size", True)]
    assert [table.paged.headerData(n, Qt.Orientation.Horizontal) for n in range(2)] == ["Name", "Size ▾"]
    read = table.paged.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole)
    assert read == "Size, falling"


def test_that_columns_widths_and_order_are_remembered(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    file = tmp_path / table_columns.FILE
    table_columns.write(file, "others", TableLook({"a": 3.0}))

    def made() -> LibraryTable:
        table = LibraryTable(theme, "Things", COLUMNS, "things")
        qtbot.addWidget(table)
        table.resize(700, 300)
        table.show()
        table.persist_in(file)
        return table

    first = made()
    first.setColumnWidth(1, theme.px(88))
    first.show_column(2, True)
    first.sort_by("size", descending=True)
    first.store()
    again = made()
    assert again.columnWidth(1) == theme.px(88)
    assert not again.isColumnHidden(2)
    assert (again.order, again.descending) == ("size", True)
    assert table_columns.read(file, "others").widths == {"a": 3.0}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 9, "tables": {}}', '{"format": 1, "tables": {"things": 3}}']
)
def test_that_a_damaged_memory_of_columns_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tables.json"
    file.write_text(text)
    assert table_columns.read(file, "things") == TableLook()


def test_that_the_view_menu_sorts_and_shows_columns(table: LibraryTable) -> None:
    menu = table.view_menu()
    acts = {act.text(): act for act in menu.actions() if act.text()}
    assert set(acts) == {"Sort by", "Name", "Size", "More"}
    assert not acts["Name"].isEnabled()
    acts["More"].trigger()
    assert not table.isColumnHidden(2)
    menu.close()


def test_that_typing_is_told_after_a_pause_and_a_chip_at_once(qtbot: QtBot, theme: Theme) -> None:
    bar = FilterBar(theme, "Find")
    qtbot.addWidget(bar)
    told: list[tuple[str, object]] = []
    bar.changed.connect(lambda: told.append((bar.text, dict(bar.chosen))))
    bar.show_facets([Facet("label", "Label", (Choice("a", "A", 2), Choice("b", "B", 1)))])
    assert bar.filter.nextInFocusChain() is bar.chips["label"]
    QTest.keyClicks(bar.search, "abc")
    assert told == []
    qtbot.waitUntil(lambda: bool(told))
    assert told == [("abc", {})]
    assert bar.chips["label"].isHidden()
    bar.chips["label"].set_value("b")
    assert not bar.chips["label"].isHidden()
    bar.clear_all()
    assert told[1:] == [("abc", {"label": "b"}), ("", {})]
    bar.show_count(1204, MANY)
    assert (bar.count.text(), bar.count.isHidden()) == ("1,204 of 100,000", False)
    bar.show_count(60, 60)
    assert bar.count.isHidden(), "the page says how many there are"


def test_that_a_chip_opens_its_values_and_looks_for_one(qtbot: QtBot, theme: Theme) -> None:
    choices = tuple(Choice(f"v{n}", f"value {n}", n) for n in range(5_000))
    chip = FacetChip(theme, Facet("label", "Label", choices))
    qtbot.addWidget(chip)
    chip.open_values()
    popup = some(chip.popup)
    QTest.keyClicks(popup.search, "4321")
    assert [choice.word for choice in popup.shown] == ["value 4321"]
    QTest.keyClick(popup.search, Qt.Key.Key_Return)
    assert chip.value == "v4321"
    assert chip.text() == "Label: value 4321"
    assert chip.isChecked()


def test_that_lists_of_lines_pass_qts_examination_and_are_entered(qtbot: QtBot, theme: Theme) -> None:
    model = LineListModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_rows([("a", "")])
    model.add_rows([("b", "c")])
    model.add_rows([])
    assert tester.model() is model
    assert model.data(model.index(1), Qt.ItemDataRole.AccessibleTextRole) == "b, c"
    model.show_rows(())
    assert model.rowCount() == 0
    lines = LineList(theme, "Lines", several=True)
    qtbot.addWidget(lines)
    lines.show()
    asked: list[int] = []
    lines.opened.connect(asked.append)
    lines.show_lines([("a", ""), ("b", "c"), ("d", "")])
    lines.setCurrentIndex(lines.model_.index(1))
    QTest.keyClick(lines, Qt.Key.Key_Return)
    QTest.keyClick(lines, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert asked == [1]
    assert lines.places == [1, 2]
    lines.grab()


def test_that_columns_give_way_instead_of_being_scrolled_aside(qtbot: QtBot, theme: Theme) -> None:
    roomy: tuple[Column[str], ...] = (
        Column("name", "Name", lambda row: row, 160, "name"),
        Column("stays", "Stays", lambda row: row, 120),
        Column("second", "Second", lambda row: row, 120, yields=2),
        Column("first", "First", lambda row: row, 120, yields=1),
    )
    table = LibraryTable(theme, "Things", roomy, "things")
    qtbot.addWidget(table)
    table.show()

    def hidden_at(width: int) -> list[str]:
        table.resize(theme.px(width), 300)
        return [column.key for place, column in enumerate(roomy) if table.isColumnHidden(place)]

    assert hidden_at(560) == []
    assert hidden_at(524) == ["first"], "there is no room for the margin"
    assert hidden_at(340) == ["second", "first"]
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    table.show_column(3, True)
    assert hidden_at(340) == ["second"], "what a person asks for stays"
    assert hidden_at(700) == []
    table.paged.show_columns(())  # as a page does on its way to another kind of rows


def test_that_no_table_of_a_page_scrolls_sideways_at_double_text_in_a_small_window(qtbot: QtBot, theme: Theme) -> None:
    tables: tuple[Any, ...] = (MEMORY_COLUMNS, POWER_COLUMNS, CASE_COLUMNS, PAST_COLUMNS, ROUTE_COLUMNS, LOG_COLUMNS)
    wide = []
    for columns in (*tables, case_columns("wrong", ())):
        table = LibraryTable(theme, "Things", columns, "things")
        qtbot.addWidget(table)
        table.resize(theme.px(HALF_A_SMALL_WINDOW), 300)
        table.show()
        shown = [n for n in range(len(columns)) if not table.isColumnHidden(n)]
        if sum(table.columnWidth(n) for n in shown) > table.viewport().width():
            wide.append([columns[n].key for n in shown])
    assert wide == []


def test_that_a_number_ends_at_the_margin_of_the_page_with_and_without_a_bar(table: LibraryTable) -> None:
    for count in (1, 100):
        table.show_found(SearchResult(range(count), count, rows(*range(count)), [], None))
        picture = table.viewport().grab(QRect(0, 4, table.viewport().width(), 20)).toImage()
        ink = [x for x in range(picture.width()) for y in range(20) if picture.pixel(x, y) != picture.pixel(400, 0)]
        assert table.theme.px(15) <= table.width() - 1 - max(ink) <= table.theme.px(18)


def test_that_a_column_is_shown_from_its_first_text_on(qtbot: QtBot, theme: Theme) -> None:
    state: Column[str] = Column("state", "State", lambda row: row[1:], 60, is_sparse=True)
    table = LibraryTable(theme, "Things", (COLUMNS[0], state), "things")
    qtbot.addWidget(table)
    table.show()
    table.show_found(SearchResult([1, 2], 2, {1: "a"}, [], None))
    assert table.isColumnHidden(1)
    for row in ("bc", "b"):
        table.paged.put_row(2, row, 1)
        assert not table.isColumnHidden(1)
