"""The help on keys names every shortcut of the window, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from app.gui.actions import PLACE_KEYS, Group
from tests.gui.conftest import Opener
from tests.gui.inspections import FakeWorkbench

PAGE = Path(__file__).parents[2] / "resources" / "help" / "keys.md"
SPELT = {"Escape": "Esc"}


def test_that_the_help_names_every_shortcut(open_window: Opener) -> None:
    offers = [row for row in open_window(FakeWorkbench()).offers if row.group is not Group.PAGES]
    shortcuts = [*(row.shortcuts for row in offers), *(row.shortcuts for row in PLACE_KEYS)]
    cells = re.findall(r"^\| ([^|]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    told = {key for cell in cells for key in cell.split(", ")} - {"key", "---", "F1", "Ctrl+1 to Ctrl+9"}
    assert told == {SPELT.get(key, key) for keys in shortcuts for key in keys}
