"""Tests of the notice on the last refit's changes in the history."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.domain.scope.fits import Compared, FitSource, Refit
from app.gui.kit.theme.theme import Theme
from app.gui.review.history.side import MOST_SHOWN, RefitStrip
from app.services.evaluation.refits import ChangedText, RefitChanges

SOURCE = FitSource(14, 0, 43)


def test_that_a_refit_is_told_with_what_it_changed_once_that_is_asked_for(qtbot: QtBot) -> None:
    strip = RefitStrip(Theme())
    qtbot.addWidget(strip)
    assert strip.isHidden()
    changes = tuple(ChangedText(Compared.QUERY, f"text {n}", ("before",), ()) for n in range(MOST_SHOWN + 2))
    strip.show_refit(RefitChanges(Refit(SOURCE, 43, 24, 0, len(changes)), changes))
    assert not strip.isHidden()
    assert "22 of 24 recent queries changed" in strip.message.text()
    assert strip.changes.isHidden()
    strip.more.click()
    assert not strip.changes.isHidden()
    assert "text 0: before → nothing" in strip.changes.text()
    assert strip.changes.text().endswith("and 2 more")
    strip.more.click()
    assert strip.changes.isHidden()
    strip.show_refit(RefitChanges(Refit(SOURCE, 43, 24, 0, 0), ()))
    assert strip.more.isHidden()
