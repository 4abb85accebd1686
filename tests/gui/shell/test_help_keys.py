"""Tests that the help on keys names exactly the window's shortcuts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.gui.kit.page import Action
from app.gui.shell.actions import ACTIONS
from app.gui.shell.page_stack import PAGES, PageRow
from tests.gui.conftest import Opener
from tests.gui.inspections import FakeWorkbench
from tests.gui.llm_workbench import ConnectedWorkbench

PROJECT = Path(__file__).parents[3]
PAGE = PROJECT / "resources" / "help" / "keys.md"
TOLD = [
    PROJECT / "README.md",
    *sorted((PROJECT / "resources" / "help").glob("*.md")),
    *sorted((PROJECT / "packaging" / "news.d").glob("*.md")),
]
SPELT = {"Escape": "Esc"}
MNEMONIC = re.compile(r"Alt\+[A-Z]")
"""Shortcut of a button's underlined letter."""
OF_PLACES = {
    *"KMDXNTRWOSE123456789",
    *("Left", "Right", "Up", "Down", "Enter", "Del", "Space", "F2", "Ctrl+F", "Ctrl+S", "Ctrl+Enter"),
    *(f"Alt+{arrow}" for arrow in ("Up", "Down", "Left", "Right")),
}
"""Keys that single widgets handle."""
OF_QT = {"Ctrl+C", "Ctrl+A", "Ctrl+Home", "Ctrl+End"}
"""Keys of every text field."""


def test_that_the_help_names_every_shortcut(open_window: Opener) -> None:
    action_rows = [row for row in open_window(FakeWorkbench()).action_rows if not row.key.startswith("page:")]
    cells = re.findall(r"^\| ([^|]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    told = {key for cell in cells for key in cell.split(", ")} - {"key", "---", "Ctrl+F1", "Ctrl+1 to Ctrl+9"}
    assert told == OF_PLACES | {SPELT.get(key, key) for row in action_rows for key in row.shortcuts}


def test_that_the_help_and_the_news_name_no_key_that_is_gone(open_window: Opener) -> None:
    window = open_window(ConnectedWorkbench())
    for page in PAGES:
        window.open_page(page.key)
    known = OF_PLACES | {SPELT.get(key, key) for row in window.action_rows for key in row.shortcuts}
    for path in TOLD:
        named = set(re.findall(r"\b(?:(?:Ctrl|Alt|Shift)\+)+(?!Shift)(?:F\d+|[A-Z]\w*|\d)\b", path.read_text("utf-8")))
        assert {key for key in named if not MNEMONIC.fullmatch(key)} <= known | OF_QT, path.name


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.key)
def test_that_a_page_is_named_beside_its_own_key(row: PageRow) -> None:
    told = (path.read_text("utf-8") for path in TOLD)
    beside = re.compile(
        rf"\bpage (?:for |of )?\[?{row.title}\b[^()]{{0,12}}(?:\([^()+]*\))? \((Ctrl\+[\w+]+)\)", re.IGNORECASE
    )
    assert {key for text in told for key in beside.findall(text)} <= {row.shortcut}


def test_that_the_readme_names_every_page_with_its_key() -> None:
    told: dict[str, str] = {}
    table = (PROJECT / "README.md").read_text("utf-8").partition("| page |")[2].partition("\n\n")[0]
    for names, keys in re.findall(r"^\| (\[[^|]+) \| ([^|]+) \|", table, re.MULTILINE):
        spelt = [key if "+" in key or key.startswith("F") else f"Ctrl+{key}" for key in keys.split(", ")]
        told |= dict(zip(re.findall(r"\[([^]]+)\]", names), spelt, strict=True))
    for row in PAGES:
        (name,) = (name for name in told if row.title.startswith(name))
        assert told[name] == row.shortcut


@pytest.mark.parametrize("row", [row for row in ACTIONS if not row.shortcuts], ids=lambda row: row.key)
def test_that_what_has_no_key_is_told_by_its_name(row: Action) -> None:
    told = " ".join(" ".join(path.read_text("utf-8") for path in TOLD).split())
    assert row.text.removesuffix("…") in told, f"{PAGE.name} has a section for what has no key."
