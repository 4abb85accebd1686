"""Tests of the stored arrangement of panes, and of invalid files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.gui.scope.docks.arrangement import Arrangement, Pane, Place, read, write

KEPT = Arrangement(
    {
        "selected": Pane(Place.LEFT),
        "intent": Pane(Place.BELOW, False),
        "llm": Pane(Place.RIGHT, True, (-40, 20, 300, 200)),
    },
    {"left": 310.5},
    frozenset({"words"}),
)


def test_that_what_is_written_is_read_again_in_its_order(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "panes.json"
    write(KEPT, file)
    again = read(file)
    assert again == KEPT
    assert again is not None
    assert list(again.panes) == ["selected", "intent", "llm"]
    assert [path.name for path in file.parent.iterdir()] == ["panes.json"]


def _changed(*path: str, to: object) -> str:
    found = {"format": 2, "panes": {"intent": {"place": "left", "shown": True, "floats": None}}, "sizes": {"left": 300}}
    at: dict[str, object] = found
    for step in path[:-1]:
        at = at[step]  # type: ignore[assignment]
    at[path[-1]] = to
    return json.dumps(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"format": 2}',
        _changed("format", to=0),
        _changed("format", to=1),
        _changed("panes", to=[]),
        _changed("panes", "intent", to=3),
        _changed("panes", "intent", "place", to="above"),
        _changed("panes", "intent", "shown", to="yes"),
        _changed("panes", "intent", "floats", to=[1, 2, 3]),
        _changed("panes", "intent", "floats", to=[1, 2, 0, 0]),
        _changed("panes", "intent", "floats", to=[1, 2, 1e300, 4]),
        _changed("sizes", "left", to="wide"),
        _changed("sizes", "left", to=-1),
        _changed("sizes", "left", to=True),
        _changed("sections", to=3),
    ],
)
def test_that_a_damaged_or_older_file_is_ignored(tmp_path: Path, text: str) -> None:
    file = tmp_path / "panes.json"
    file.write_text(text, encoding="utf-8")
    assert read(file) is None


def test_that_bytes_that_are_no_text_and_folders_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "panes.json"
    file.write_bytes(b"\xff\xfe\x00")
    assert read(file) is None
    assert read(tmp_path) is None
    assert read(tmp_path / "none.json") is None


def test_that_a_place_that_cannot_be_written_to_changes_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    write(KEPT, blocked / "panes.json")
    assert blocked.read_text(encoding="utf-8") == "in the way"
