"""Preview of an import: content of a file and mapping of its columns, before storing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.domain.journal import BY_PLURAL
from app.domain.language import plural
from app.gui.kit.controls import button
from app.gui.kit.dialogs import GrowingDialog, ProblemList
from app.gui.kit.fields import plain_tip
from app.gui.kit.layouts import chain_focus, fill, spaced
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.tables.rows import pick_whole_rows
from app.gui.kit.theme import Theme, styled
from app.services.engine.adapters import ColumnMapping
from app.services.library.import_export import ImportPreview

if TYPE_CHECKING:
    from app.services.engine.adapters import TableHead


NAMED = {"memories": "Triggers", "powers": "Power", "rules": "Rule", "cases": "Query"}
"""Heading of the preview's first column."""

_WIDE, _ROW, _ROWS = 620, 28, 7
_LONGEST = 300


class ImportDialog(GrowingDialog):
    """Dialog with a file's content and kind; it stores nothing before its button is pressed."""

    kind_requested = Signal(str)
    mapped = Signal(ColumnMapping)  # mapping of a table's columns
    taken = Signal(ImportPreview)

    def __init__(self, theme: Theme, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Import a file", _WIDE, parent)
        self.path = path
        self.preview: ImportPreview | None = None
        self.lead = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.kind = QComboBox()
        self.kind.setAccessibleName("Import as")
        for kind in BY_PLURAL:
            self.kind.addItem(kind.capitalize(), kind)
        self.kind.setCurrentIndex(-1)
        self.kind.activated.connect(self._on_kind)
        self._is_chosen = False
        self.doubt = WrappedLabel(shade="warning")
        self.doubt.hide()
        self.columns = ColumnsTable(theme)
        self.columns.mapped.connect(self.mapped)
        self.rows = self._make_rows()
        self.fields = WrappedLabel(shade="text_2")
        self.fields.hide()
        self.more = button("", link=True, press=self._show_problems)
        self.problems = ProblemList(theme)
        self.problems.hide()
        self.verb = button("Import", primary=True, press=self._accept_preview, default=True)
        self.cancel = button("Cancel", press=self.reject, auto=False)
        self._arrange()
        self.wait()

    def wait(self) -> None:
        """Show that the file is being read."""
        self.preview = None
        self.lead.setText(f"Reading {self.path.name}…")
        styled(self.lead, role="lead", shade="text_2")
        self.verb.setEnabled(False)
        self.more.hide()

    def show_head(self, head: TableHead, mapped: ColumnMapping) -> None:
        self.columns.show_head(head, mapped)
        chain_focus(self.kind, *map(self.columns.choice, range(self.columns.rowCount())), self.cancel, self.verb)
        self.kind.setCurrentIndex(self.kind.findData(mapped.kind))

    def show_preview(self, preview: ImportPreview) -> None:
        from app.display.library.importing import (
            content_sentence,
            fields_sentence,
            import_verb,
            preview_line,
            suspicion_sentence,
        )

        self.preview = preview
        self.lead.setText(content_sentence(preview))
        styled(self.lead, role="lead", shade="text")
        doubt = suspicion_sentence(preview.suspicion)
        self.doubt.show_text(doubt)
        self.kind.setCurrentIndex(self.kind.findData(preview.kind))
        self.rows.setRowCount(len(preview.first))
        for place, thing in enumerate(preview.first):
            row = preview_line(thing)
            names = "\n".join(" ".join(line.split()) for line in row.name.splitlines())
            for column, text in enumerate((names, " ".join(row.detail[:_LONGEST].split()))):
                item = QTableWidgetItem(text)
                item.setToolTip(plain_tip(text))
                item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                self.rows.setItem(place, column, item)
        self.rows.show()
        self.rows.setHorizontalHeaderLabels([NAMED[preview.kind], "Stored as"])
        # For a table, the field choices above show this.
        self.fields.show_text(fields_sentence(preview.fields) if self.columns.isHidden() else "")
        self.verb.setText(import_verb(preview) if preview.count else "Import")
        self.verb.setEnabled(bool(preview.count))
        self.more.setText(plural(len(preview.problems), "Show {n} line", "Show {n} lines"))
        self.more.setAccessibleName("Show the skipped lines")
        self.more.setVisible(bool(preview.problems) and self.problems.isHidden())
        self.problems.show_problems(preview.problems)
        self.problems.setVisible(bool(preview.problems) and not self.problems.isHidden())
        is_sure = self._is_chosen or not doubt
        self.verb.setDefault(is_sure)  # otherwise Enter alone could store what may be a test
        self.verb.setAutoDefault(is_sure)
        if not is_sure:
            if self.focusWidget() not in self.columns.findChildren(QWidget):  # else a user maps columns
                self.kind.setFocus()
        elif self.verb.isEnabled() and not self.kind.hasFocus() and self.columns.isHidden():
            self.verb.setFocus()

    def refuse(self, sentence: str) -> None:
        """Show why the file cannot be read, or not as this kind."""
        self.preview = None
        self.doubt.show_text("")
        text = sentence.replace(str(self.path), self.path.name).replace("name it with --kind", "choose it here")
        text = text.replace("Name the columns with --columns HEADING=COLUMN", "Choose below what each column contains")
        self.lead.setText(re.sub(r" [^.]*--format[^.]*\.", "", text))  # an option of the terminal only
        styled(self.lead, role="lead", shade="danger")
        self.rows.hide()
        self.fields.show_text("")
        self.verb.setEnabled(False)
        self.more.hide()
        self.problems.hide()

    def _make_rows(self) -> QTableWidget:
        rows = styled(QTableWidget(0, 2), role="dialog")
        pick_whole_rows(rows)
        rows.setAccessibleName("First lines of the file as they would be stored")
        rows.setWordWrap(True)
        rows.setProperty("wraps", "true")
        rows.setTextElideMode(Qt.TextElideMode.ElideNone)
        rows.verticalHeader().setMinimumSectionSize(self.theme.px(_ROW))
        rows.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        rows.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows.setFixedHeight(self.theme.px(_ROW * (_ROWS + 1) + 6))
        rows.hide()
        return rows

    def _arrange(self) -> None:
        px = self.theme.px
        label = QLabel("&Import as")
        label.setBuddy(self.kind)
        kinds = fill(spaced(QHBoxLayout(), px(8)), label, self.kind, 1, self.more)
        foot = fill(QHBoxLayout(), 1, self.cancel, self.verb)
        parts = self.lead, self.doubt, kinds, self.columns, self.rows, self.fields, self.problems
        self.lay_out(fill(QVBoxLayout(), *parts, 1), foot)

    def _on_kind(self, place: int) -> None:
        self._is_chosen = True
        self.kind_requested.emit(self.kind.itemData(place))

    def _show_problems(self) -> None:
        self.more.hide()
        self.problems.show()
        self.problems.setFocus()

    def _accept_preview(self) -> None:
        if self.preview is not None:
            self.taken.emit(self.preview)
            self.accept()


# ---- Mapping of a table: for each column its heading, first cells, and field.


PART = "dataset"
FIELDS = {
    "usage": "Used",
    "args": "Arguments",
    "env": "Environment",
    "url": "Address",
    "position": "Place",
    PART: "To train or to test",
    "duplicates": "Duplicates (memories)",
    "acceptable": "Acceptable (powers)",
}
"""Labels of fields that differ from the name."""
_COLUMN_ROW, _COLUMN_ROWS, _FIELD, _HEADING = 34, 5, 170, 150


class ColumnsTable(QTableWidget):
    """Mapping of columns, one row for each heading."""

    mapped = Signal(ColumnMapping)

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, 3)
        self.theme = theme
        self._head: TableHead | None = None
        self.kind = ""
        self.setAccessibleName("Content of the columns")
        self.setHorizontalHeaderLabels(["Heading", "First rows", "Holds"])
        pick_whole_rows(self)
        self.verticalHeader().setDefaultSectionSize(theme.px(_COLUMN_ROW))
        head = self.horizontalHeader()
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(0, theme.px(_HEADING))
        self.setColumnWidth(2, theme.px(_FIELD))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the focus moves from choice to choice
        styled(self, role="dialog")
        self.setVisible(False)

    def show_head(self, head: TableHead, mapped: ColumnMapping) -> None:
        """Show headings and cells, each with its chosen field."""
        self._head, self.kind = head, mapped.kind
        self.setRowCount(len(head.headings))
        for place, heading in enumerate(head.headings):
            cells = [row[place] for row in head.rows if place < len(row) and row[place].strip()]
            for column, text in enumerate((heading, " · ".join(cells))):
                item = QTableWidgetItem(" ".join(text.split()))
                item.setToolTip(plain_tip(text))
                self.setItem(place, column, item)
            self.setCellWidget(place, 2, self._choice(heading, head.fields[mapped.kind], mapped.columns.get(heading)))
        rows = min(_COLUMN_ROWS, len(head.headings))
        self.setFixedHeight(self.theme.px(_COLUMN_ROW) * rows + self.horizontalHeader().sizeHint().height() + 4)
        self.setVisible(True)

    def show_kind(self, kind: str) -> None:
        """Reset the mapping to the one suggested for a kind."""
        from app.services.engine.adapters import ColumnMapping

        if self._head is not None:
            named = zip(self._head.headings, self._head.meant[kind], strict=True)
            self.show_head(self._head, ColumnMapping(kind, dict(named)))

    def columns(self) -> dict[str, str] | None:
        """Return the field of each heading, "" for none; None if there is no table."""
        if self._head is None:
            return None
        return {heading: str(self.choice(place).currentData()) for place, heading in enumerate(self._head.headings)}

    def choice(self, row: int) -> QComboBox:
        found = self.cellWidget(row, 2)
        assert isinstance(found, QComboBox)
        return found

    def _choice(self, heading: str, fields: tuple[str, ...], chosen: str | None) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(f"Content of {heading}")
        box.addItem("Leave out", "")
        for field in fields:
            is_part = field == PART and chosen not in (None, "", *fields)  # by another name, that of the heading
            box.addItem(FIELDS.get(field, field.replace("_", " ").capitalize()), chosen if is_part else field)
        box.setCurrentIndex(max(0, box.findData(chosen or "")))
        box.activated.connect(lambda _: self._emit_mapped())
        return box

    def _emit_mapped(self) -> None:
        from app.services.engine.adapters import ColumnMapping

        self.mapped.emit(ColumnMapping(self.kind, self.columns() or {}))
