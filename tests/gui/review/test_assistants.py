"""Tests of the assistants page on a real engine: texts to copy, and queries over MCP only."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.domain.review.history import Source
from app.gui.review.assistants import AssistantsPage
from app.services.system.clients import CLIENTS
from app.services.system.start_requests import default_profile
from tests.gui.conftest import Opener
from tests.gui.history_entries import history_entry, open_on
from tests.gui.pages import opened_page

QUERIES = (
    history_entry("the build is slow", 0, doubts=()),
    history_entry("which database tool", 1, source=Source.MCP, doubts=()),
    history_entry("from a file", 2, source=Source.LOG, doubts=()),
)


def test_that_only_what_assistants_asked_is_listed_and_can_be_asked_again(qtbot: QtBot, open_window: Opener) -> None:
    window, _ = open_on(qtbot, open_window, QUERIES)
    page = opened_page(window, "assistants", AssistantsPage)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.table)
    qtbot.waitUntil(lambda: page.table.paged.row_at(0) is not None)
    model = page.table.paged
    assert [model.index(place, 0).data() for place in range(model.rowCount())] == ["which database tool"]
    page.table.pick(0)
    page.open_in_scope()
    assert window.page.accessibleName() == "Scope"
    assert window.bar.box.line.text() == "which database tool"


def test_that_the_chosen_assistants_text_names_the_profile(qtbot: QtBot, open_window: Opener, tmp_path: Path) -> None:
    window, _ = open_on(qtbot, open_window, QUERIES[:1])
    page = opened_page(window, "assistants", AssistantsPage)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty_state)
    pane = page.connect_pane
    QTest.keyClick(pane.clients, Qt.Key.Key_End)
    assert pane.client is CLIENTS[-1]
    pane.copy.click()
    server = json.loads(QGuiApplication.clipboard().text())["mcpServers"]["intentscope"]
    assert server["args"][-1] == "mcp"
    pane.show_profile(tmp_path)
    assert str(tmp_path) in pane.text.toPlainText()
    assert pane.copied.text() == ""
    pane.copy_command.click()
    assert QGuiApplication.clipboard().text().endswith(f"--profile {tmp_path} connect {CLIENTS[-1].key}")
    pane.show_profile(default_profile())
    assert "--profile" not in pane.text.toPlainText() + pane.command.text()
