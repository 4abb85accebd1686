"""The roll-out in a line: how many queries go by the candidate, one click to more of them, and one back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.display.routing.rollout import rollout_sentence
from app.gui.kit.controls import button
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.theme.theme import Theme
from app.services.routing.rollout import RolloutState

SHARES = (10, 50, 100)
"""001: what a roll-out goes through."""


class RolloutStrip(QWidget):
    """Out of sight while nothing is rolled out and nothing could be."""

    share_requested = Signal(int, Mapping)  # of a hundred, and the candidate's settings; none: those that it has

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.state = RolloutState()
        self.changes: Mapping[str, str] = {}
        self.said = WrappedLabel()
        self.shares = {
            share: button(
                f"{share} %",
                tip=self.tr("Let {0} of 100 queries go by the candidate, in every program of this profile").format(
                    share
                ),
                press=partial(self._ask, share),
            )
            for share in SHARES
        }
        self.back = button(
            self.tr("Go back"), tip=self.tr("Let all queries go by today’s settings again"), press=partial(self._ask, 0)
        )
        px = theme.px
        row = QHBoxLayout(self)
        row.setContentsMargins(px(16), 0, px(16), px(8))
        row.setSpacing(px(8))
        row.addWidget(self.said, 1)
        for made in (*self.shares.values(), self.back):
            row.addWidget(made)
        self._show()

    def focus_stops(self) -> list[QWidget]:
        """Where the keyboard stops, in order."""
        made = (*self.shares.values(), self.back)
        return [] if self.isHidden() else [one for one in made if not one.isHidden() and one.isEnabled()]

    def show_state(self, state: RolloutState) -> None:
        """How it stands now."""
        self.state = state
        self._show()

    def offer(self, changes: Mapping[str, str]) -> None:
        """What could be rolled out next."""
        self.changes = changes
        self._show()

    def _show(self) -> None:
        state = self.state
        is_told = bool(state.share or state.back or state.hindrance)
        self.setVisible(is_told or bool(self.changes))
        if state.back is not None:
            self.said.say(self.tr("The roll-out went back by itself; the reason stands above."))
        elif is_told:
            self.said.say(rollout_sentence(state))
        else:
            self.said.say(self.tr("Let so many of 100 queries really go by what is chosen:"))
        for share, made in self.shares.items():
            made.setEnabled(share != state.share)
        self.back.setVisible(is_told)
        self.back.setText(self.tr("Seen") if state.back is not None else self.tr("Go back"))

    def _ask(self, share: int) -> None:
        self.share_requested.emit(share, {} if self.state.share or not share else self.changes)
