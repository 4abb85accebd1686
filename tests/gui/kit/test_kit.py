"""Tests of parts of the window: accessible names, fields, flow layout, and documents."""

from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QHelpEvent, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.display.library.namespaces import TYPES, NamespaceRow, WeightCell
from app.display.system.metrics import Row, Table
from app.domain.journal import Step
from app.domain.library import Memory
from app.gui.kit.controls import ElidedLabel, EmptyState, SegmentedControl, button, set_primary
from app.gui.kit.document import DocumentView, aside_html, heading_html, link_html, span, table_html, tables_html
from app.gui.kit.layouts import FlowLayout, Stack, fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.sheet import ScrollArea
from app.gui.kit.theme import Theme
from app.gui.library.folder_dialog import FolderDialog
from app.gui.library.memory_side import RecentSteps
from app.gui.library.rules import RulesPage
from app.gui.scope.namespaces import FIRST, NamespaceModel
from app.gui.scope.verdict_strip import Lines
from app.gui.shell.main_window import MainWindow
from app.gui.shell.page_stack import PAGES
from app.gui.shell.remedy_actions import ReportDialog
from app.gui.system.metrics import MetricsPage
from app.services.library.folder_sync import Difference, Side
from tests.build import of_type, some
from tests.gui import accessibility_tree as tree
from tests.gui.conftest import Opener, round_trip
from tests.gui.documents import read_rows
from tests.gui.inspections import TEXT, FakeWorkbench, with_measures
from tests.gui.pages import opened_page
from tests.gui.real_bench import real_bench
from tests.memory_library import MemoryLibrary


def test_that_everything_a_person_can_act_on_has_a_name_on_every_page(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None and window.scope.is_shown)
    for row in PAGES:
        window.open_page(row.key)
        for _ in range(2):  # what the page asks for, and what comes of that
            round_trip(qtbot, window.worker)
        window.grab()
        nodes = tree.tree_of(window)
        told = "\n".join(node.line() for node in nodes)
        assert [node.line() for node in nodes if node.is_unnamed] == [], row.key
        assert "[focus]" in told, told
        assert "<p" not in told, "markup is read aloud"


def test_that_the_tree_tells_answers_and_the_state_of_the_parts(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.ask(TEXT)
    qtbot.waitUntil(lambda: window.scope.state.inspection is not None)
    qtbot.waitUntil(lambda: "build-fails-locally" in "".join(node.line() for node in tree.tree_of(window)))

    def said() -> str:
        return "\n".join(node.line() for node in tree.tree_of(window))

    qtbot.waitUntil(lambda: "build-fails-locally" in said())
    assert "Encoder intentscope-minilm ready" in said()
    assert TEXT in said()


def test_that_choices_say_which_one_is_on(qtbot: QtBot) -> None:
    segments = SegmentedControl(Theme(), "Preset", [("one", "One"), ("two", "Two")])
    qtbot.addWidget(segments)
    assert segments.accessibleDescription() == "One (chosen), Two"
    segments.set_current("two")
    assert segments.accessibleDescription() == "One, Two (chosen)"


def test_that_the_report_can_be_read_aloud(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.remedies.report()
    dialog = of_type(window.remedies.dialog, ReportDialog)
    nodes = list(tree.walk(some(QAccessible.queryAccessibleInterface(dialog))))
    assert not [node for node in nodes if node.is_unnamed]
    assert {"Text of the report", "Include my queries", "Copy", "Save…"} <= {node.name for node in nodes}
    dialog.close()


MARKUP = '<b>bold</b><img src="file:///etc/hostname">'
TIP = int(Qt.ItemDataRole.ToolTipRole)


def as_read(tip: object) -> str:
    """Return the displayed text of a tooltip; Qt guesses whether one is markup."""
    assert str(tip).startswith("<p "), "else Qt guesses"
    document = QTextDocument()
    document.setHtml(str(tip))
    return document.toPlainText()


def test_that_a_name_in_a_folder_is_no_markup(qtbot: QtBot, qapp: QApplication) -> None:
    dialog = FolderDialog(Theme(qapp), Path("folder"))
    qtbot.addWidget(dialog)
    dialog.table.show_rows([Difference("one", Side.HERE, Memory((MARKUP,), id=MARKUP), None)])
    assert as_read(dialog.table.paged.index(0, 1).data(TIP)) == MARKUP


def test_that_the_name_of_an_imported_file_is_no_markup(qtbot: QtBot, qapp: QApplication) -> None:
    steps = RecentSteps(Theme(qapp))
    qtbot.addWidget(steps)
    steps.show_steps([Step(1, "2026-11-22 04:26:21", "imported", MARKUP, 2, MARKUP)])
    assert MARKUP in as_read(steps.undo.toolTip())


def test_that_the_name_of_a_namespace_is_no_markup(qapp: QApplication) -> None:
    model = NamespaceModel()
    cell = WeightCell(MARKUP, "1", True, False, False, "", MARKUP, MARKUP)
    model.show_rows((NamespaceRow(MARKUP, 1, False, (cell,) * len(TYPES)),))
    assert as_read(model.data(model.index(0, FIRST), TIP)) == MARKUP


# ---- The focus stays on a visible element of the open page, and Enter presses a button.


EMPTY_PAGES = ("memories", "powers", "cases", "evaluate", "metrics", "inbox", "history")


def is_on_page(window: MainWindow) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and focus.isVisible() and window.page.isAncestorOf(focus)


def test_that_the_keyboard_is_on_every_page_that_has_nothing_to_show(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(real_bench(MemoryLibrary(), ()))
    window.activateWindow()
    for key in (*EMPTY_PAGES, *EMPTY_PAGES):  # the second time its content is known already
        window.open_page(key)
        round_trip(qtbot, window.worker)
        qtbot.waitUntil(lambda: is_on_page(window))


def test_that_what_is_hidden_leaves_the_keyboard_to_the_page_not_the_rail(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(with_measures(FakeWorkbench()))
    window.activateWindow()
    page = opened_page(window, "metrics", MetricsPage)
    qtbot.waitUntil(lambda: page.plot is not None)
    qtbot.waitUntil(page.sheet.hasFocus)
    page.sheet.setVisible(False)
    qtbot.waitUntil(lambda: is_on_page(window))


def test_that_the_first_rule_is_selected_when_the_keyboard_came_first(qtbot: QtBot, open_window: Opener) -> None:
    window = open_window(FakeWorkbench())
    window.activateWindow()
    page = opened_page(window, "rules", RulesPage)
    qtbot.waitUntil(lambda: not page.table.rules.keys or page.table.currentIndex().isValid())


def test_that_enter_presses_a_button(qtbot: QtBot) -> None:
    pressed: list[int] = []
    made = button("Look", press=lambda: pressed.append(1))
    qtbot.addWidget(made)
    made.show()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        QTest.keyClick(made, key)
    assert len(pressed) == 3


def test_that_a_line_without_room_gives_way_and_tells_itself_in_full(qtbot: QtBot) -> None:
    line = ElidedLabel("54 rules, matches in 825 triggers, examples and cases")
    qtbot.addWidget(line)
    assert line.minimumSizeHint().width() == 0
    line.resize(80, 20)
    line.grab()
    assert "825 triggers" in line.toolTip()
    line.resize(line.sizeHint())
    line.grab()
    assert not line.toolTip()


def laid(qtbot: QtBot, width: int, *, ends: bool = False) -> tuple[QWidget, FlowLayout, list[QLabel]]:
    """Make five labels of 60 by 20 in a widget of this width."""
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(10, ends=ends)
    labels = [QLabel() for _ in range(5)]
    for label in labels:
        label.setFixedSize(60, 20)
        flow.addWidget(label)
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.addLayout(flow)
    column.addStretch(1)
    holder.resize(width, 300)
    holder.show()
    return holder, flow, labels


@pytest.mark.parametrize(("width", "rows"), [(340, 1), (339, 2), (130, 3), (129, 5), (60, 5)])
def test_that_what_has_no_room_goes_on_below(qtbot: QtBot, width: int, rows: int) -> None:
    holder, flow, labels = laid(qtbot, width)
    assert flow.heightForWidth(width) == rows * 20 + (rows - 1) * 10
    assert len({label.y() for label in labels}) == rows
    assert all(0 <= label.x() <= width - 60 for label in labels)
    assert holder.minimumSizeHint().width() == 60


def test_that_rows_end_at_the_right(qtbot: QtBot) -> None:
    _holder, _, labels = laid(qtbot, 200, ends=True)
    assert [label.x() for label in labels] == [0, 70, 140, 70, 140]


def test_that_what_is_hidden_takes_no_room_and_what_grows_takes_the_rest(qtbot: QtBot) -> None:
    holder, flow, labels = laid(qtbot, 400)
    labels[0].hide()
    labels[2].setMaximumWidth(1_000)
    flow.grow(labels[2])
    flow.activate()
    holder.resize(401, 300)
    assert labels[1].x() == 0
    assert labels[4].x() + 60 == 401


def test_that_one_is_put_before_others(qtbot: QtBot) -> None:
    _, flow, labels = laid(qtbot, 340)
    first = QLabel("first")
    flow.insert(0, first)
    assert flow.count() == 6
    assert flow.itemAt(0) is not None
    assert some(flow.takeAt(0)).widget() is first
    assert flow.itemAt(5) is None
    first.deleteLater()
    assert labels


def test_that_a_stack_needs_no_more_room_than_the_widget_it_shows(qtbot: QtBot) -> None:
    stack, wide, small = Stack(), QWidget(), QWidget()
    qtbot.addWidget(stack)
    wide.setMinimumSize(900, 700)  # as hidden, it keeps the size of an earlier text scale
    small.setMinimumSize(200, 100)
    for widget in (small, wide):
        stack.addWidget(widget)
    assert stack.minimumSizeHint().toTuple() == (200, 100)
    stack.setCurrentWidget(wide)
    assert stack.minimumSizeHint().toTuple() == (900, 700)


@pytest.mark.parametrize("classes", ["query", "title"])
def test_that_a_query_is_copied_with_its_spaces_tabs_and_lines(qtbot: QtBot, classes: str) -> None:
    view = DocumentView(Theme(), "A query")
    qtbot.addWidget(view)
    text = "SELECT  a,\tb\n   FROM  t"
    view.show_html(span(text, classes, "p"))
    assert view.read == text
    view.selectAll()
    view.copy()
    assert QApplication.clipboard().text() == text


def test_that_a_tooltip_shows_a_name_as_it_is(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "A name")
    qtbot.addWidget(view)
    view.show_html(span("name", tip="<img src='x'>"))
    shown = QTextDocument()
    shown.setHtml(view.cursorForPosition(QPoint(20, 10)).charFormat().toolTip())
    assert shown.toPlainText() == "<img src='x'>"


def test_that_a_document_keeps_its_font_when_that_of_the_application_changes(qtbot: QtBot) -> None:
    theme = Theme()
    view = DocumentView(theme, "A text")
    qtbot.addWidget(view)
    view.setFont(theme.font(20))
    assert view.document().defaultFont() == theme.font(12)


@pytest.mark.parametrize("columns", [1, 5, 8])
def test_that_names_have_room_beside_many_numbers(qtbot: QtBot, columns: int) -> None:
    view = DocumentView(Theme(), "Times")
    qtbot.addWidget(view)
    view.resize(560, 300)
    view.show_html(tables_html([Table("Type", ("P95",) * columns, (Row("Learned", ("6.0",) * columns),))]))
    view.grab()  # lays it out
    document = view.document()
    blocks = [document.findBlockByNumber(place) for place in range(document.blockCount())]
    assert [block.layout().lineCount() for block in blocks if block.text() in ("Type", "Learned")] == [1, 1]


def test_that_a_link_has_the_focus_after_it_has_changed_the_document(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "Changes")
    qtbot.addWidget(view)
    clicked: list[str] = []

    def show(link: str = "") -> None:
        clicked.extend(filter(None, [link]))
        links = "".join(f"<p>{link_html(f'change:{n}', f'Change {n}')}</p>" for n in range(3))
        view.show_html(span(f"{len(clicked)} clicked", "", "p") + links)

    view.anchorClicked.connect(lambda link: show(link.toString()))
    show()
    view.show()
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    for key in (
        Qt.Key.Key_Tab,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Return,
        Qt.Key.Key_Return,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Return,
    ):
        QTest.keyClick(view, key)
    assert clicked == ["change:1", "change:1", "change:2"]


@pytest.mark.parametrize("above", ["Before", "Before, and some more", ""])
def test_that_a_selected_text_stays_selected_while_the_text_around_it_changes(qtbot: QtBot, above: str) -> None:
    view = DocumentView(Theme(), "Changes")
    qtbot.addWidget(view)
    view.show_html(span("Before", "", "p") + span("the answer", "", "p") + span("0.5", "mono", "p"))
    view.setTextCursor(view.document().find("answer"))
    view.show_html(span(above, "", "p") + span("the answer", "", "p") + span("0.7", "strong", "p"))
    assert view.textCursor().selectedText() == "answer"
    view.show_html(span("Another", "", "p"))
    assert not view.textCursor().hasSelection()


def test_that_the_last_cells_of_rows_end_at_the_right_edge_whatever_the_width(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "Rows")
    qtbot.addWidget(view)
    view.show()
    view.show_html(table_html([("One", "bar", "0.5"), ("Two", "bar", "1")], stop=100))
    for width in (300, 420):
        view.resize(width, 200)
        view.grab()  # lays it out
        block = view.document().begin()
        while block.isValid():
            line, right = block.layout().lineAt(0), view.viewport().width() - 2 * view.pad
            second, end = (
                cast("tuple[float, int]", line.cursorToX(at))[0] for at in (len("One\t"), block.length() - 1)
            )
            assert second == 100
            assert end == pytest.approx(right, abs=1)
            block = block.next()
    assert read_rows(view) == "One bar 0.5\nTwo bar 1"


def test_that_asides_are_read_aloud_and_neither_shown_nor_copied(qtbot: QtBot) -> None:
    view = DocumentView(Theme(), "Words")
    qtbot.addWidget(view)
    view.show_html(table_html([(span("a <") + aside_html("(in --> both)") + " b", span("1"))]) + span("Next", "", "p"))
    assert view.accessibleDescription() == "a < (in --> both) b 1\nNext"
    assert "a < b" in view.read


def test_that_a_long_query_leaves_room_for_what_is_below_it() -> None:
    assert heading_html("how do i deploy", "title") == span("how do i deploy", "title", "p")
    assert heading_html("deploy " * 300, "title") == span(f"{('deploy ' * 43)[:300].rstrip()}…", "title", "p")


def test_that_only_a_primary_button_tells_its_key(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    made, shown = button("Run"), list[str]()
    qtbot.addWidget(made)
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _made: shown.append(text))
    for on in (False, True, False):
        set_primary(made, on)
        QApplication.sendEvent(made, QHelpEvent(QEvent.Type.ToolTip, QPoint(), QPoint()))
    assert [text.partition("\n")[0] for text in shown] == ["Run"]


def test_that_a_long_word_is_shown_in_several_lines_and_read_whole(qtbot: QtBot) -> None:
    label, long_word = WrappedLabel(), "renewal" * 30
    qtbot.addWidget(label)
    label.show_text(long_word)
    assert label.heightForWidth(200) > 3 * label.fontMetrics().height()
    assert label.text() == long_word


def test_that_an_empty_state_cuts_no_text_and_comes_to_rest_in_a_low_page(qtbot: QtBot) -> None:
    theme, page = Theme(), QWidget()
    empty = EmptyState(theme, "memory", "The library is empty", "Nothing can answer yet. " * 4)
    fill(spaced(QVBoxLayout(page)), fill(FlowLayout(8), button("Import")), (empty, 1))
    qtbot.addWidget(area := ScrollArea(page, "Memories"))
    area.show()
    for height in (400, 170, 120):
        area.resize(height * 4, theme.px(height))
        qtbot.wait(50)
        shown = [label for label in empty.findChildren(QLabel) if label.isVisible()]
        assert all(label.height() >= label.heightForWidth(min(theme.px(560), label.width())) for label in shown), height
        assert empty.words[0] in [label.text() for label in shown]
        assert page.height() == area.viewport().height()


def test_that_a_line_of_the_headline_is_drawn_whole_or_not_at_all(qtbot: QtBot) -> None:
    texts = [QLabel("No type"), QLabel("No answer")]
    qtbot.addWidget(lines := Lines(Theme(), QWidget(), texts, []))
    lines.resize(300, texts[0].sizeHint().height() + 4)
    lines.show()
    assert [line.height() for line in texts] == [texts[0].sizeHint().height(), 0]
