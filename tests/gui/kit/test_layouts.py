"""Tests of the flow layout: wrapping rows, minimum width, right-to-left."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.gui.kit.layouts import FlowLayout, Stack
from tests.build import some


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
    taken = some(flow.takeAt(0))
    assert taken.widget() is first
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
