"""Tests of the scripts for drawings, tables and the list of changes: correct and up to date."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from app.adapters.formats.table import FORMATS, WRITTEN
from tests.scripts import PROJECT, script

HEAD = "# Changes\n\nWhat is new in each release, latest first.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "README.md": "How to write news.",
        "looks.added.md": "The window has\ndark colours.\n",
        "tables.added.md": f"Tables sort. {'They also wrap words. ' * 8}",
        "typing.fixed.md": "Typing never waits.\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


# ---- the desktop

TYPES = {
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".json": "application/json",
    ".toml": "application/toml",
    ".csv": "text/csv",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".tsv": "text/tab-separated-values",
}
"""MIME types of files by their endings."""


def test_that_a_file_manager_offers_the_window_for_every_format_that_it_writes() -> None:
    linux = PROJECT / "packaging" / "linux"
    lines = (linux / "intentscope.desktop").read_text("utf-8").splitlines()
    offered = next(line for line in lines if line.startswith("MimeType=")).removeprefix("MimeType=").split(";")
    endings = {ending for name in WRITTEN for ending in FORMATS[name].endings}
    assert {TYPES[ending] for ending in endings} <= set(offered)
    told = (linux / "intentscope.xml").read_text("utf-8")
    assert '<mime-type type="application/x-ndjson">' in told, "few desktops know it by themselves"


# ---- news


def test_that_every_fragment_of_news_is_one_to_three_sentences_for_users() -> None:
    news = script("news")
    assert {path.name: faults for path in news.fragments() if (faults := news.faults(path))} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Looks.added.md", "It is dark."),
        ("looks.new.md", "It is dark."),
        ("looks.added.md", "It is dark"),
        ("looks.added.md", "One. Two. Three. Four."),
        ("looks.added.md", "# Looks\nIt is dark."),
        ("looks.added.md", "- It is dark."),
        ("looks.added.md", "It is dark.\n\nIt is light."),
        ("looks.added.md", "Now `gui/theme.py` is dark."),
        ("looks.added.md", "Now app/gui is dark."),
    ],
)
def test_that_what_is_no_news_for_users_is_told(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert len(script("news").faults(path)) >= 1


def test_that_a_draft_lists_the_kinds_in_order_and_changes_nothing(folder: Path) -> None:
    news = script("news")
    draft = news.gathered(news.fragments(folder), "Unreleased", None)
    assert draft.splitlines()[:5] == ["## Unreleased", "", "### Added", "", "- The window has dark colours."]
    assert draft.index("### Added") < draft.index("Tables sort.") < draft.index("### Fixed")
    assert "### Changed" not in draft
    assert max(map(len, draft.splitlines())) <= 120
    assert len(list(folder.iterdir())) == 4


def test_that_a_release_moves_the_fragments_above_the_older_ones(folder: Path) -> None:
    news = script("news")
    changes = folder / "changes"
    changes.write_text(f"{HEAD}\n## 0.1.0 (2026-01-02)\n\n### Fixed\n\n- Something.\n", "utf-8")
    news.release("0.2.0", date(2026, 3, 4), folder, changes)
    written = changes.read_text("utf-8")
    assert written.startswith(f"{HEAD}\n## 0.2.0 (2026-03-04)\n\n### Added\n\n- The window has dark colours.\n")
    assert written.endswith("- Typing never waits.\n\n## 0.1.0 (2026-01-02)\n\n### Fixed\n\n- Something.\n")
    assert [path.name for path in folder.glob("*.md")] == ["README.md"]


def test_that_the_first_release_needs_no_older_one() -> None:
    assert script("news").joined(HEAD, "## 0.1.0\n\n- All of it.\n") == f"{HEAD}\n## 0.1.0\n\n- All of it.\n"


# ---- the drawing of the imports


def test_that_the_drawing_of_the_imports_is_up_to_date() -> None:
    graph = script("graph")
    drawn = graph.drawn(graph.PICTURE.read_text("utf-8"))
    assert graph.differences(graph.graph(), drawn) == [], "Run: python packaging/graph.py"


def test_that_a_drawing_tells_what_it_shows() -> None:
    graph = script("graph")
    shown = graph.Graph(("gui", "domain"), (0, 1), {"gui": 3, "domain": 2}, {"gui": {"domain": 4}, "domain": {}})
    assert graph.drawn(graph.svg(shown)) == shown
    assert graph.svg(shown).count(">4</text>") == 1


def test_that_a_drawing_bears_a_few_more_modules_but_no_other_imports() -> None:
    graph = script("graph")

    def shown(modules: int, imports: dict[str, int]) -> object:
        return graph.Graph(("gui", "domain"), (0, 1), {"gui": modules, "domain": 2}, {"gui": imports, "domain": {}})

    before = shown(100, {"domain": 50})
    assert graph.differences(shown(109, {"domain": 46}), before) == []
    assert len(graph.differences(shown(120, {"domain": 50}), before)) == 1
    assert len(graph.differences(shown(100, {}), before)) == 1
    assert len(graph.differences(graph.Graph(("gui",), (0,), {"gui": 100}, {"gui": {}}), before)) == 1


def test_that_every_part_of_the_drawing_says_what_stands_there() -> None:
    graph = script("graph")
    assert set(graph.drawn(graph.PICTURE.read_text("utf-8")).parts) == set(graph.SENTENCES)
    assert PROJECT == graph.PROJECT


def test_that_imports_only_ever_point_downwards() -> None:
    shown = script("graph").graph()
    place = {part: n for n, part in enumerate(shown.parts)}
    assert [(part, other) for part in shown.parts for other in shown.imports[part] if place[other] <= place[part]] == []
