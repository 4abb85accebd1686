"""Test that PySide6 does not lose references to None, like 6.12 on Python 3.11."""

import sys

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QApplication, QWidget

CALLS = 4_000


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_that_calls_without_a_result_keep_the_references_to_none(qapp: QApplication) -> None:
    widget, model, thing = QWidget(), QStandardItemModel(), QObject()
    before = sys.getrefcount(None)
    for number in range(CALLS):
        widget.update()
        model.setRowCount(number % 3)
        thing.setObjectName("name")
    lost = before - sys.getrefcount(None)
    widget.deleteLater()
    assert lost < CALLS // 10
