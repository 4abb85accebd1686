"""Tests of notes in the status line: amber, after every fault, in the remaining space."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.domain.library import Membership, Role
from app.domain.scope.fits import FitSource, FitState, FitStatus
from app.gui.kit.theme.theme import Theme
from app.gui.shell.status_line import StatusLine
from app.services.core import EncoderState, Status

PLACE = "No keyring of the system can be used, so secrets are kept in /profile/secrets.json, which only you may read."
COUNTS = {"memories": 100_000, "powers": 12, "rules": 40}


def shown(qtbot: QtBot, width: int, *, notes: Mapping[str, str] = {}, faults: Mapping[str, str] = {}) -> StatusLine:
    line = StatusLine(Theme())
    qtbot.addWidget(line)
    line.resize(width, line.height())
    ready = EncoderState.READY
    line.show_status(Status("default", encoder_state=ready, counts=COUNTS, faults=faults, notes=notes, is_open=True))
    line.show()
    return line


def has(line: StatusLine, token: str) -> bool:
    """Return whether anything is drawn in the hue of this colour.

    Edges are paler than the colour.
    """
    hue, image = QColor(line.theme.color(token)).hue(), line.grab().toImage()
    spots = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return any(location.saturation() > 120 and abs(location.hue() - hue) < 6 for location in spots)


def test_that_a_note_is_amber_and_no_fault(qtbot: QtBot) -> None:
    line = shown(qtbot, 1280, notes={"secrets": PLACE})
    assert (line.fault, line.aside, line.remedy) == ("", PLACE, "")
    assert has(line, "warning")
    assert not has(line, "danger")
    assert PLACE in line.read
    assert PLACE in line.toolTip()


def test_that_a_fault_comes_before_a_note(qtbot: QtBot) -> None:
    line = shown(qtbot, 1280, notes={"secrets": PLACE}, faults={"store": "The library is locked."})
    assert (line.fault, line.aside) == ("The library is locked.", "")
    assert has(line, "danger")
    assert PLACE not in line.read


def test_that_a_note_pushes_nothing_aside(qtbot: QtBot) -> None:
    for width in (1920, 1280, 800):
        with_note, without = (shown(qtbot, width, notes=notes) for notes in ({"secrets": PLACE}, {}))
        assert with_note.parts()[1] == without.parts()[1]
        assert with_note.parts()[0][: len(without.parts()[0])] == without.parts()[0]
        right = min((at for _, at in with_note.parts()[1]), default=float(width))
        assert sum(wide + 20 for _, wide in with_note.parts()[0]) <= right


def test_that_a_team_is_told_beside_the_profile(qtbot: QtBot) -> None:
    line = shown(qtbot, 1280)
    team = Membership("x", "postgresql://db/intents", "rita", 3, "2026-11-22 04:26", Role.READER)
    line.show_status(Status("default", team=team, is_open=True))
    assert line.who.text() == "Profile: default, shared as rita (reader)"
    assert "rita may only read it" in line.toolTip()


def test_that_the_line_says_what_was_learned_from_and_that_it_is_being_fitted(qtbot: QtBot) -> None:
    line = StatusLine(Theme())
    qtbot.addWidget(line)
    ready = Status("me", encoder_state=EncoderState.READY)
    now = time.time()
    source = FitSource(14, 0, 43, now)
    for state, words in (
        (FitState.CURRENT, f"Learned from 14 memories and 43 cases, {time.strftime('%H:%M', time.localtime(now))}"),
        (FitState.FITTING, "Learning from the library…"),
        (FitState.MISSING, "Not fitted yet"),
    ):
        line.show_status(replace(ready, fit=FitStatus(state, source)))
        assert words in line.read
        shows_ready = "Ready" in [part[0][2] for part in line.parts()[0]]
        assert shows_ready is (state is FitState.CURRENT), "not ready while something is learned"
    line.show_status(replace(ready, fit=FitStatus(), encoder_state=EncoderState.LOADING))
    assert "earned" not in line.read
