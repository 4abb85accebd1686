"""Tests of preloading code while nobody types."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from app.gui.kit.page import Page
from app.gui.shell import page_stack
from app.gui.shell.application import LATER, PLOT, PagePreloader


def test_that_what_is_fetched_is_there() -> None:
    for name in (PLOT, *LATER):
        assert find_spec(name) is not None


def test_that_every_row_names_a_page_that_is_there() -> None:
    named = {row.key: getattr(import_module(row.module), row.place.partition(":")[2]) for row in page_stack.PAGES}
    assert all(issubclass(made, Page) for made in named.values()), named


def test_that_modules_are_fetched_by_the_window_while_it_is_calm(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[tuple[str, bool]] = []

    def fetch(name: str) -> None:
        fetched.append((name, QThread.isMainThread()))

    monkeypatch.setattr("app.gui.shell.application.importlib.import_module", fetch)
    asked, calm = list[None](), list[None]()

    def is_idle() -> bool:
        asked.append(None)
        return bool(calm)

    fetching = PagePreloader(("this_is_not_there", PLOT, LATER[0]), is_idle)
    fetching.start(1)
    qtbot.waitUntil(lambda: bool(asked))
    assert fetching.isActive()
    assert not fetched
    calm.append(None)
    qtbot.waitUntil(lambda: not fetching.isActive())
    assert fetched == [(PLOT, True), (LATER[0], True)], "a type of Qt that two threads make at once ends the program"
