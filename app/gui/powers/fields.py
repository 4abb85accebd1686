"""Fields of the power editor: transport, short lists edited in place, keywords as chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.display.powers.rows import keyword_score_text
from app.domain.library import Transport
from app.domain.references import is_reference
from app.domain.running import parse_command_line
from app.gui.kit import icons
from app.gui.kit.controls import SegmentedControl, button
from app.gui.kit.layouts import FlowLayout, chain_focus, fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.rows import Index
from app.gui.kit.theme import Theme, Themed, styled

MASK = "\N{BULLET}" * 8
"""Mask of a stored value, of fixed length so that it reveals nothing."""

_MOST_ROWS = 7
_ROW = 28
_LONGEST = 10_000


class _LineDelegate(QStyledItemDelegate):
    """Edits a cell in a line edit; the secret column is masked and cannot be copied."""

    def __init__(self, table: _Table, secret: int) -> None:
        super().__init__(table)
        self._table, self._secret = table, secret

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        line = styled(QLineEdit(parent, maxLength=_LONGEST, frame=False), role="cell")
        head = self._table.horizontalHeaderItem(index.column())
        line.setAccessibleName(head.text() if head else "")
        if index.column() == self._secret:
            line.setEchoMode(QLineEdit.EchoMode.Password)
        return line

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if index.column() != self._secret:
            super().setEditorData(editor, index)  # a stored value is replaced, never edited


class _Table(QTableWidget):
    """Enter edits, Delete removes the row; Tab leaves the table."""

    delete_requested = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() is QAbstractItemView.State.EditingState
        if event.key() == Qt.Key.Key_Delete and not editing:
            self.delete_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not editing and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class ListEditor(Themed):
    """Rows of one or two texts with add and remove buttons. `changed` is emitted on every edit."""

    changed = Signal()

    def __init__(self, theme: Theme, name: str, heads: Sequence[str], add: str, *, secret: int = -1) -> None:
        super().__init__(theme)
        self.table = styled(_Table(0, len(heads)), role="pairs")
        self.table.setHorizontalHeaderLabels(list(heads))
        self.table.setAccessibleName(name)
        self.table.setTabKeyNavigation(False)
        self.table.setItemDelegate(_LineDelegate(self.table, secret))
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        head = self.table.horizontalHeader()
        head.setVisible(len(heads) > 1)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionsClickable(False)
        head.setSectionResizeMode(len(heads) - 1, QHeaderView.ResizeMode.Stretch)
        self.add = button(add, link=True, press=self._add)
        self.remove = button("Remove", link=True, press=self._remove, name=f"Remove from {name}")
        self._foot = fill(spaced(QHBoxLayout(), theme.px(4)), self.add, self.remove, 1)
        fill(spaced(QVBoxLayout(self), theme.px(2)), self.table, self._foot)
        self.table.itemChanged.connect(self._on_item)
        self.table.delete_requested.connect(self._remove)
        self.table.currentCellChanged.connect(lambda *_: self._fit())
        theme.follow(self._apply_theme)

    def add_button(self, made: QPushButton) -> None:
        """Add a button at the right of the bottom row."""
        self._foot.addWidget(made)

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        """Show these rows without a signal."""
        if [tuple(row) for row in rows] == self.rows():
            return
        self.table.blockSignals(True)
        self.table.setRowCount(len(rows))
        for place, row in enumerate(rows):
            for column, text in enumerate(row):
                self.table.setItem(place, column, QTableWidgetItem(text))
        self.table.setCurrentCell(-1, -1)
        self.table.blockSignals(False)
        self._fit()

    def rows(self) -> list[tuple[str, ...]]:
        """Return the texts of the cells."""
        found = []
        for place in range(self.table.rowCount()):
            items = [self.table.item(place, column) for column in range(self.table.columnCount())]
            found.append(tuple(item.text() if item else "" for item in items))
        return found

    def settle(self) -> None:
        """Commit the text being typed into a cell."""
        for line in self.table.viewport().findChildren(QLineEdit):
            self.table.commitData(line)
            self.table.closeEditor(line, QAbstractItemDelegate.EndEditHint.NoHint)

    def filled(self) -> list[tuple[str, ...]]:
        """Return the rows that are not empty."""
        return [row for row in self.rows() if any(text.strip() for text in row)]

    def _add(self) -> None:
        place = self.table.rowCount()
        self.table.blockSignals(True)
        self.table.insertRow(place)
        for column in range(self.table.columnCount()):
            self.table.setItem(place, column, QTableWidgetItem(""))
        self.table.blockSignals(False)
        self._fit()
        self.table.setFocus()
        self.table.setCurrentCell(place, 0)
        self.table.edit(self.table.model().index(place, 0))

    def _remove(self) -> None:
        place = self.table.currentRow()
        if place >= 0:
            self.table.removeRow(place)
            self._fit()
            self.changed.emit()

    def _on_item(self, item: QTableWidgetItem) -> None:
        self.changed.emit()

    def _fit(self) -> None:
        count = self.table.rowCount()
        head = self.table.horizontalHeader().sizeHint().height() if self.table.columnCount() > 1 else 0
        self.table.setFixedHeight(self.theme.px(_ROW) * min(_MOST_ROWS, max(1, count)) + head + 4)
        self.table.setVisible(count > 0)
        self.remove.setVisible(self.table.currentRow() >= 0)

    def _apply_theme(self) -> None:
        px = self.theme.px
        self.table.verticalHeader().setDefaultSectionSize(px(_ROW))
        if self.table.columnCount() > 1:
            self.table.setColumnWidth(0, px(150))
        self._fit()


class SecretsEditor(ListEditor):
    """Names of environment variables with masked values; new values are never put into cells."""

    def __init__(self, theme: Theme, name: str, heads: Sequence[str], add: str) -> None:
        super().__init__(theme, name, heads, add, secret=1)
        self._typed: dict[str, str] = {}
        self._names: list[str] = []

    def show_names(self, env: Mapping[str, str]) -> None:
        """Show these names; a given value is a typed one that is not stored yet."""
        self._typed = {name: value for name, value in env.items() if value}
        self._names = list(env)
        self._mask()

    def env(self) -> dict[str, str]:
        """Return names and new values, "" where the stored value stays."""
        return {name: self._typed.get(name, "") for name in self._names}

    def show_values(self, values: Mapping[str, str]) -> None:
        """Show the values in clear until they are masked again."""
        self.show_rows([(name, self._typed.get(name) or values.get(name, "")) for name in self._names])

    def hide_values(self) -> None:
        self._mask()

    def _mask(self) -> None:
        self.show_rows([(name, self._shown(name)) for name in self._names])

    def _shown(self, name: str) -> str:
        """Return the displayed value: a reference to the environment is not secret."""
        value = self._typed.get(name, "")
        return value if is_reference(value, name) else MASK

    def _remove(self) -> None:
        place = self.table.currentRow()
        if 0 <= place < len(self._names):
            self._typed.pop(self._names.pop(place), None)
        super()._remove()

    def _on_item(self, item: QTableWidgetItem) -> None:
        place, text = item.row(), item.text().strip()
        self._names += [""] * (place + 1 - len(self._names))
        if item.column() == 0:
            if text and text in self._names[:place] + self._names[place + 1 :]:
                text = ""  # names are unique
            value = self._typed.pop(self._names[place], "")
            self._names[place] = text
            if value and text:
                self._typed[text] = value
        elif text and text != MASK and self._names[place]:
            self._typed[self._names[place]] = text
        self._show_cell(place)
        super()._on_item(item)

    def _show_cell(self, place: int) -> None:
        self.table.blockSignals(True)
        name = self._names[place]
        for column, shown in enumerate((name, self._shown(name) if name else "")):
            item = self.table.item(place, column)
            if item is not None:
                item.setText(shown)
        self.table.blockSignals(False)


# ---- Transport of a power's server: a command with arguments, an address, or none.


NONE, COMMAND, URL = "none", "command", "url"


class TransportFields(QWidget):
    """Fields of the chosen transport; others keep their values until another power is shown."""

    changed = Signal()
    variables_pasted = Signal(Mapping)  # values by name, from a parsed command line

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.how = SegmentedControl(
            theme, "How it is reached", [(COMMAND, "Command"), (URL, "URL"), (NONE, "Not at all")]
        )
        self.command, self.url = QLineEdit(), QLineEdit()
        self.command.setAccessibleName("Command")
        self.command.setPlaceholderText("the program that is started, such as npx")
        self.args = ListEditor(theme, "Arguments", ["Argument"], "Add an argument")
        self.url.setAccessibleName("URL")
        self.url.setPlaceholderText("https://")
        self.note = WrappedLabel(role="caption")
        self._before = ""
        row = fill(QHBoxLayout(), self.how, 1)
        fill(spaced(QVBoxLayout(self), theme.px(6)), row, self.command, self.note, self.args, self.url)
        self.command.textEdited.connect(self._on_command)
        self.command.editingFinished.connect(self.settle)
        self.url.textEdited.connect(lambda _: self.changed.emit())
        self.args.changed.connect(self.changed)
        self.how.chosen.connect(lambda _: self._show_fields())
        self.how.chosen.connect(lambda _: self.changed.emit())
        self._show_fields()

    def show_transport(self, transport: Transport, *, empty: str = NONE) -> None:
        """Show a transport without a signal; `empty` is the choice for an empty one."""
        if transport != self.transport(transport.env):
            self.note.show_text("")
        self.how.set_current(URL if transport.url else COMMAND if transport.command or transport.args else empty)
        for line, text in ((self.command, transport.command or ""), (self.url, transport.url or "")):
            if line.text().strip() != text:  # typed text may still end in a space
                line.setText(text)
                line.setCursorPosition(0)
        self.args.show_rows([(argument,) for argument in transport.args])
        self._before = self.command.text()
        self._show_fields()

    def transport(self, env: Mapping[str, str]) -> Transport:
        """Return the transport in the fields of the choice, with this environment."""
        how = self.how.current
        return Transport(
            command=(self.command.text().strip() or None) if how == COMMAND else None,
            args=tuple(row[0] for row in self.args.filled()) if how == COMMAND else (),
            env=env,
            url=(self.url.text().strip() or None) if how == URL else None,
        )

    def settle(self) -> None:
        """Commit the draft: a command line is parsed into its fields."""
        self.args.settle()
        self._parse_command(keeps=True)

    def _on_command(self, text: str) -> None:
        """Parse a pasted command at once, a typed one when the field is left."""
        before, self._before = self._before, text
        self.note.show_text("")
        is_pasted = len(text) - len(before) > 1
        if not (is_pasted and self._parse_command(keeps=bool(before) and before in text)):
            self.changed.emit()

    def _parse_command(self, *, keeps: bool) -> bool:
        """Parse a command line into command, arguments and variables; `keeps` old arguments."""
        found = parse_command_line(self.command.text())
        if found is None:
            return False
        self._before = found.command
        self.command.setText(found.command)
        held = tuple(row[0] for row in self.args.filled()) if keeps else ()
        self.args.show_rows([(argument,) for argument in (*found.args, *held)])
        self.note.show_text(found.summary)
        if found.env:
            self.variables_pasted.emit(found.env)
        self.changed.emit()
        return True

    def _show_fields(self) -> None:
        how = self.how.current
        for field, wanted in ((self.command, COMMAND), (self.args, COMMAND), (self.url, URL)):
            field.setVisible(how == wanted)
        self.note.setVisible(how == COMMAND and bool(self.note.text()))


_LONGEST_KEYWORD = 200


class _KeywordLine(QLineEdit):
    """Line edit for another keyword; Backspace in the empty line edits the last chip."""

    taken_back = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace and not self.text():
            self.taken_back.emit()
        else:
            super().keyPressEvent(event)


class KeywordChips(Themed):
    """Keywords of one power. Enter or a comma adds one, pressing a chip removes it."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.keywords: tuple[str, ...] = ()
        self.chips: list[QPushButton] = []
        self._holders: Mapping[str, int] = {}
        self.line = _KeywordLine()
        self.line.setMaxLength(_LONGEST_KEYWORD)
        self.line.setPlaceholderText("Add a keyword and press Enter")
        self.line.setAccessibleName("Add a keyword")
        self.line.returnPressed.connect(self._add)
        self.line.editingFinished.connect(self._add)
        self.line.textEdited.connect(self._on_text)
        self.line.taken_back.connect(self._take_back)
        self._field = QWidget()
        self._flow = FlowLayout(theme.px(6))
        self._field.setLayout(self._flow)
        self._field.setSizePolicy(self._grows())
        fill(spaced(QVBoxLayout(self), theme.px(6)), self._field, self.line)
        theme.changed.connect(self._apply_theme)

    def show_keywords(self, keywords: Sequence[str]) -> None:
        """Show these keywords without a signal."""
        self.keywords = tuple(keywords)
        self.line.clear()
        self._rebuild()

    def show_holders(self, holders: Mapping[str, int]) -> None:
        """Show the number of powers that share each keyword."""
        self._holders = holders
        for chip, keyword in zip(self.chips, self.keywords, strict=True):
            self._describe(chip, keyword)
        self._flow.invalidate()

    def _grows(self) -> QSizePolicy:
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        return policy

    def _rebuild(self) -> None:
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for keyword in self.keywords:
            chip = styled(QPushButton(self._field), role="keyword")
            chip.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross is at the right
            chip.clicked.connect(lambda _=False, keyword=keyword: self._remove(keyword))
            self._describe(chip, keyword)
            self._flow.addWidget(chip)
            chip.show()
            self.chips.append(chip)
        self._field.setVisible(bool(self.chips))
        chain_focus(self.line, *self.chips)  # they are newer than what follows
        self._apply_theme()

    def _describe(self, chip: QPushButton, keyword: str) -> None:
        worth = keyword_score_text(self._holders.get(keyword, 1))
        chip.setText(f"{keyword[:40]}   {worth} ".replace("&", "&&"))
        chip.setAccessibleName(f"Keyword {keyword}: {worth}. Press to remove it.")
        chip.setToolTip(f"Press to remove it. By itself this keyword scores {worth}.")

    def _on_text(self, text: str) -> None:
        if text.endswith((",", ";")):
            self.line.setText(text[:-1])
            self._add()

    def _add(self) -> None:
        keyword = self.line.text().strip()
        self.line.clear()
        if keyword and keyword not in self.keywords:
            self.keywords = (*self.keywords, keyword)
            self._rebuild()
            self.changed.emit()

    def _take_back(self) -> None:
        if self.keywords:
            self._remove(self.keywords[-1])

    def _remove(self, keyword: str) -> None:
        place = self.keywords.index(keyword)
        self.keywords = tuple(one for one in self.keywords if one != keyword)
        self._rebuild()
        (self.chips[min(place, len(self.chips) - 1)] if self.chips else self.line).setFocus()
        self.changed.emit()

    def _apply_theme(self) -> None:
        px, tokens = self.theme.px, self.theme.tokens
        for chip in self.chips:
            chip.setIcon(icons.icon("cross", tokens.text_2))
            chip.setIconSize(QSize(px(12), px(12)))
