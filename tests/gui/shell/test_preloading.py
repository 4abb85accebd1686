"""Tests of preloading code on its own thread while nobody types."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib import import_module
from importlib.util import find_spec

import pytest

from app.gui.kit.page import Page
from app.gui.shell import page_stack
from app.gui.shell.application import LATER, PLOT, PagePreloader
from tests.waiting import PATIENCE


def test_that_what_is_fetched_is_there() -> None:
    for name in (PLOT, *LATER):
        assert find_spec(name) is not None


def test_that_every_row_names_a_page_that_is_there() -> None:
    named = {row.key: getattr(import_module(row.module), row.place.partition(":")[2]) for row in page_stack.PAGES}
    assert all(issubclass(made, Page) for made in named.values()), named


def test_that_nothing_is_fetched_until_it_is_calm() -> None:
    typing_priority = threading.Event()
    asked = threading.Event()

    def is_idle() -> bool:
        asked.set()
        return typing_priority.is_set()

    fetching = PagePreloader(("this_is_not_there",), is_idle)
    fetching.start()
    assert asked.wait(PATIENCE)
    assert not fetching.wait(0)
    typing_priority.set()
    assert fetching.wait(PATIENCE)


def test_that_fetching_stops_when_it_is_told_to() -> None:
    fetching = PagePreloader((PLOT,), lambda: False)
    fetching.stop()  # before its start there is nothing to wait for
    fetching = PagePreloader((PLOT,), lambda: False)
    fetching.start()
    fetching.stop()
    assert fetching.wait(0)


@pytest.mark.parametrize("order", ["window first", "nothing first"])
def test_that_no_qt_object_is_made_on_that_thread(order: str) -> None:
    source = f"""
import gc
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
application = QApplication([])
if {order == "window first"}:
    import app.gui.shell.main_window
from app.gui.shell import page_stack
from app.gui.shell.application import LATER, PLOT, PagePreloader
from tests.waiting import PATIENCE
fetching = PagePreloader((PLOT, *(row.module for row in page_stack.PAGES), *LATER), lambda: True)
fetching.start()
assert fetching.wait(100)
made = [one for one in gc.get_objects() if isinstance(one, QObject) and one.thread() is not application.thread()]
print([type(one) for one in made])
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
