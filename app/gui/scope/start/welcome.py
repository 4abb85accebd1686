"""The card in the middle of an empty profile: what the program is for, three ways to begin, then queries to try."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.gui.kit.controls import button
from app.gui.kit.pane_parts import Said
from app.gui.kit.theme import icons
from app.gui.kit.theme.styles import styled
from app.gui.kit.theme.theme import Theme
from app.gui.scope.start.samples import SampleLines
from app.gui.scope.views.overlays import Overlay

_WIDTH, _PAD, _AROUND = 704, 28, 16


class Card(QFrame):
    """A column of parts with an edge around it: an icon, a headline, and what belongs below."""

    def __init__(self, theme: Theme, icon: str, headline: str, sentence: str = "") -> None:
        super().__init__()
        self.theme, self._icon = theme, icon
        styled(self, role="card")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(*(theme.px(_PAD),) * 4)
        self.column.setSpacing(theme.px(8))
        self._picture = QLabel()
        self.column.addWidget(self._picture)
        self.headline = Said(headline, role="headline")
        self.column.addWidget(self.headline)
        if sentence:
            self.column.addWidget(Said(sentence, role="caption"))
        self.column.addSpacing(theme.px(8))
        self.setMaximumWidth(theme.px(_WIDTH))
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self._picture.setPixmap(icons.pixmap(self._icon, self.theme.tokens.accent, self.theme.px(28), 2.0))


class WelcomeView(Overlay):
    """One card at a time, in the middle: `ways` to begin, or queries to `try_`."""

    sample_asked = Signal()
    act_asked = Signal(str)  # the key of an action of the window

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, self.tr("First steps"))
        self.lines = SampleLines(theme)
        self.sample = button(self.tr("Try the sample library"), primary=True, press=self.sample_asked.emit)
        self.own = button(self.tr("Import my file"), press=lambda: self.act_asked.emit("import"))
        self.teach = button(self.tr("Teach one sentence"), press=lambda: self.act_asked.emit("teach"))
        self.ways = self._ways()
        self.try_ = self._try()
        inside = QWidget()
        middle = QVBoxLayout(inside)
        middle.setContentsMargins(*(theme.px(_AROUND),) * 4)
        middle.addStretch(1)
        for card in (self.ways, self.try_):
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(card, 1000)
            row.addStretch(1)
            middle.addLayout(row)
        middle.addStretch(2)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.viewport().setAutoFillBackground(False)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)

    def _ways(self) -> Card:
        card = Card(
            self.theme,
            "scope",
            self.tr("Intentscope shows which of your memories or tools a sentence would call, and why."),
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(self.theme.px(16))
        grid.setVerticalSpacing(self.theme.px(12))
        grid.setColumnStretch(1, 1)
        ways: tuple[tuple[QPushButton, str], ...] = (
            (self.sample, self.tr("60 memories and 20 powers to look at. Ctrl+Z takes them out again.")),
            (self.own, self.tr("CSV, JSON Lines, YAML, TOML and more; or drop it on the window.")),
            (self.teach, self.tr("A sentence that somebody would type, and what it is to bring.")),
        )
        for row, (made, what) in enumerate(ways):
            made.setAccessibleDescription(what)
            grid.addWidget(made, row, 0)
            grid.addWidget(Said(what, role="caption"), row, 1)
        card.column.addLayout(grid)
        return card

    def _try(self) -> Card:
        card = Card(
            self.theme,
            "search",
            "",
            self.tr("Each shows something else of how an answer comes about."),
        )
        card.column.addWidget(self.lines)
        card.column.addSpacing(self.theme.px(8))
        foot = QHBoxLayout()
        foot.addWidget(self.close_it)
        foot.addStretch(1)
        card.column.addLayout(foot)
        return card

    def show_ways(self, on: bool, *, waits: bool = False) -> None:
        """Show the ways to begin, or else the queries to try, whose library may still be on its way."""
        offer, wait = self.tr("Try one of these, or type a sentence above"), self.tr("Adding the sample library")
        self.try_.headline.say(wait if waits else offer)
        self.ways.setVisible(on)
        self.try_.setVisible(not on)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self.theme.color("bg"))
