"""Findings of a check: list, strip with the start button, table of affected items."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QListView, QTableView

from app.display.review import health, health_findings
from app.display.review.health import Ranked
from app.display.words import visible
from app.domain.review.health import Effect, FindingSubject, HealthFinding, Severity
from app.gui.kit.controls import set_primary
from app.gui.kit.document import icon_html, span
from app.gui.kit.drawing.canvas import RIGHT, Canvas
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import TaskStrip
from app.gui.kit.tables.delegates import RowDelegate
from app.gui.kit.tables.rows import ROW_ROLE, Index, ListModel, RowsModel, pick_whole_rows
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme

_LEFT, _EFFECT, _HIGH = 40.0, 112.0, 56.0

SHADES = {Severity.FAULT: "danger", Severity.WARNING: "warning", Severity.NOTE: "text_2"}
ICONS = {Severity.FAULT: "cross", Severity.WARNING: "warning", Severity.NOTE: "label"}


def findings_model(parent: QObject) -> ListModel[Ranked]:
    return ListModel(lambda one: health.finding_row(one).title, _spoken, parent)


def _spoken(one: Ranked) -> str:
    row = health.finding_row(one)
    return ", ".join(filter(None, (row.word, row.title, row.sentence, row.cases, row.queries)))


class _RowDelegate(RowDelegate):
    """Paints a row: severity and title, the sentence below, the effect on the right."""

    ruled = True

    def draw(self, canvas: Canvas, index: Index, *, on: bool) -> None:
        row, face = health.finding_row(index.data(ROW_ROLE)), self.theme.face
        shade = SHADES[row.severity]
        canvas.icon(ICONS[row.severity], 15, 10, 16, shade)
        room = canvas.width - _LEFT - 14 - (_EFFECT + 10 if row.cases or row.queries else 0)
        x = _LEFT + canvas.text(QRectF(_LEFT, 7, room, 20), row.word, face(12, 600), shade) + 8
        canvas.text(QRectF(x, 7, _LEFT + room - x, 20), row.title, face(13, 600))
        canvas.text(QRectF(_LEFT, 29, room, 19), row.sentence, face(12), "text_2")
        place = QRectF(canvas.width - 14 - _EFFECT, 7, _EFFECT, 20)
        canvas.text(place, row.cases, face(12, 600), "text", RIGHT)
        canvas.text(place.translated(0, 22 if row.cases else 0), row.queries, face(12), "text_2", RIGHT)


class FindingsList(QListView):
    """List of findings; letters and arrows for duplicates are emitted instead of searched."""

    typed = Signal(str)

    def __init__(self, theme: Theme, model: ListModel[Ranked]) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(_RowDelegate(theme, _HIGH, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName("What was found, the most valuable first")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held == Qt.KeyboardModifier.NoModifier
        capital = held == Qt.KeyboardModifier.ShiftModifier and event.text().isalpha()
        name = KEYS.get(Qt.Key(event.key())) if plain or capital else None
        if name is None:
            super().keyPressEvent(event)
        else:
            self.typed.emit(name)


KEYS = {
    Qt.Key.Key_K: "keep",
    Qt.Key.Key_M: "merge",
    Qt.Key.Key_D: "apart",
    Qt.Key.Key_X: "drop",
    Qt.Key.Key_N: "next",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
}
"""Keys of the list, and the actions on duplicates that they run."""


# ---- Check: time of the last one, start button, and progress


_BAR = 160


class CheckStrip(TaskStrip):
    """Emits `check_requested` to start a check, and `stopped` to cancel it."""

    check_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar.setAccessibleName("Progress of the check")
        self.begin.setToolTip("Check the whole library and all settings, in the background")
        self.begin.setText("Check again")
        set_primary(self.begin, False)
        self.begin.clicked.connect(self.check_requested)
        self.stop.setToolTip("Stop the check")
        self.bar.setFixedWidth(theme.px(_BAR))
        fill(spaced(self.row, theme.px(12)), self.bar, self.stop, self.begin)
        self.note.setParent(self)  # until the page places it: without a parent it would open as a window
        self.show_progress(None)


# ---- One finding in full: severity, sentence, effect, basis, and remedy

WIDEST = 760


def health_html(finding: HealthFinding, effect: Effect) -> str:
    """Return a finding in full; its affected items are in the table below."""
    row, shade = health.finding_row((finding, effect)), SHADES[finding.severity]
    known = f"{health.effect_sentence(effect)} {health_findings.KNOWN_BY[finding.basis]}".strip()
    lines = (
        f'<p class="body">{span(row.word, f"{shade} strong")}&nbsp; {span(row.title, "title")}</p>',
        span(row.sentence, "body", "p"),
        span(known, "text_2", "p"),
        span("What to do", "head", "p"),
        span(visible(health_findings.advice(finding)), "body", "p"),
    )
    return (
        f"<table><tr><td>{icon_html(ICONS[finding.severity], shade)}&nbsp;</td><td>{''.join(lines)}</td></tr></table>"
    )


# ---- Table of a finding's subjects, formatted on demand.


_ROW, _VALUE = 28, 96
_SHARES = (0.28, 0.44, 0.28)
_EFFECT_SHARES = (0.28, 0.30, 0.42)
"""Column shares if the third column is an effect."""


class SubjectsModel(RowsModel[FindingSubject]):
    """Subjects of a finding, in the columns that apply to them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), (), parent)
        self.finding: HealthFinding | None = None
        self.columns: list[int] = []
        self.shares = _SHARES

    def show_finding(self, finding: HealthFinding | None) -> None:
        """Show the subjects of a finding; None for none."""
        self.finding, subjects = finding, finding.subjects if finding is not None else ()
        heads = health.heads(finding) if finding is not None and subjects else None
        names = () if heads is None else (heads.name, heads.about, heads.rival, heads.value)
        self.columns = [column for column, head in enumerate(names) if head]
        self.heads = [names[column] for column in self.columns]
        self.numbers = [section for section, column in enumerate(self.columns) if column == 3]
        self.shares = _EFFECT_SHARES if subjects and subjects[0].effect else _SHARES
        self.show_rows(subjects, anew=True)

    def subjects(self, row: int) -> FindingSubject | None:
        return self.rows[row] if 0 <= row < len(self.rows) else None

    def text(self, row: FindingSubject, column: int) -> str:
        return health.cells(self.finding, row)[self.columns[column]] if self.finding is not None else ""

    def tip(self, row: FindingSubject, column: int) -> str:
        return self.text(row, column)


class SubjectsTable(QTableView):
    """Table of subjects; Enter or a double click opens the subject of a row."""

    entered = Signal(FindingSubject)
    picked = Signal()  # another row is current

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.things = SubjectsModel(self)
        self.setModel(self.things)
        self.setAccessibleName(name)
        pick_whole_rows(self)
        self.selectionModel().currentRowChanged.connect(lambda *_: self.picked.emit())
        self.doubleClicked.connect(lambda index: self._enter(index.row()))
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        styled(self, role="findings")

    def show_finding(self, finding: HealthFinding | None) -> None:
        """Show the subjects of a finding, with the first one current."""
        self.things.show_finding(finding)
        self._fit()
        if self.things.rowCount():
            self.setCurrentIndex(self.things.index(0, 0))
        self.scrollToTop()
        self.picked.emit()

    @property
    def chosen(self) -> FindingSubject | None:
        return self.things.subjects(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Disable the search: scanning 100,000 rows would block the window."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _enter(self, row: int) -> None:
        one = self.things.subjects(row)
        if one is not None:
            self.entered.emit(one)

    def _fit(self) -> None:
        """Share the width that numbers leave among texts."""
        columns = self.things.columns
        value = self.theme.px(_VALUE) if 3 in columns else 0
        texts = [column for column in columns if column < 3]
        whole = sum(self.things.shares[column] for column in texts) or 1.0
        room = max(0, self.viewport().width() - value)
        for section, column in enumerate(columns):
            self.setColumnWidth(section, value if column == 3 else int(room * self.things.shares[column] / whole))
