"""Parts of the findings page: list rows, check strip, one finding in full, its subjects."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from app.display.library.tables import Column
from app.display.review import health, health_findings
from app.display.review.health import Ranked
from app.display.words import visible
from app.domain.review.health import Effect, FindingSubject, HealthFinding, Severity
from app.gui.kit.controls import set_primary
from app.gui.kit.document import icon_html, span
from app.gui.kit.layouts import fill, spaced
from app.gui.kit.pane_parts import TaskStrip
from app.gui.kit.tables.rows import ListModel
from app.gui.kit.tables.two_line_list import TwoLineRow
from app.gui.kit.theme.theme import Theme

SHADES = {Severity.FAULT: "danger", Severity.WARNING: "warning", Severity.NOTE: "text_2"}
ICONS = {Severity.FAULT: "cross", Severity.WARNING: "warning", Severity.NOTE: "label"}


def findings_model(parent: QObject) -> ListModel[Ranked]:
    return ListModel(lambda one: health.finding_row(one).title, _spoken, parent, _drawn)


def _spoken(one: Ranked) -> str:
    row = health.finding_row(one)
    return ", ".join(filter(None, (row.word, row.title, row.sentence, row.cases, row.queries)))


def _drawn(one: Ranked) -> TwoLineRow:
    row = health.finding_row(one)
    effect = [*filter(None, (row.cases, row.queries)), "", ""]
    return TwoLineRow(
        row.title,
        row.sentence,
        effect[0],
        aside_below=effect[1],
        icon=ICONS[row.severity],
        word=row.word,
        shade=SHADES[row.severity],
    )


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

_WIDTHS = (160, 160, 150, 88)


def subject_columns(finding: HealthFinding) -> list[Column[FindingSubject]]:
    """Return the columns that the subjects of a finding have a text in."""
    return [
        Column(head, head, partial(_cell, finding, place), _WIDTHS[place], is_number=place == 3, is_quiet=place == 1)
        for place, head in enumerate(health.heads(finding))
        if head
    ]


def _cell(finding: HealthFinding, place: int, one: FindingSubject) -> str:
    return health.cells(finding, one)[place]
