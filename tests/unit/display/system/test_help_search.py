"""Tests of the help's search and contents."""

from __future__ import annotations

from app.display.system.help_pages import CHAPTERS, Section, chapters, find

BOOKS = {
    "one": [
        Section("one", "Colours", "Colours", "", "The window is dark."),
        Section("one", "Colours", "High contrast", "high-contrast", "Lines are stronger."),
    ],
    "two": [Section("two", "Lines", "Wrapping", "wrapping", "Long texts wrap, in dark and light windows.")],
}


def test_that_every_word_has_to_be_there_and_titles_come_first() -> None:
    assert [one.section.title for one in find(BOOKS, "LINES")] == ["Wrapping", "High contrast"]
    assert [one.section.title for one in find(BOOKS, "dark window")] == ["Colours", "Wrapping"]
    assert [one.section.title for one in find(BOOKS, "contrast")] == ["High contrast"]
    assert find(BOOKS, "dark penguin") == []
    assert find(BOOKS, "  ") == []


def test_that_a_finding_shows_the_words_around_it() -> None:
    text = f"{'before ' * 40}needle {'after ' * 40}"
    (found,) = find({"t": [Section("t", "T", "T", "", text)]}, "needle")
    assert found.around.startswith("… before")
    assert "needle" in found.around
    assert found.around.endswith("after …")
    assert len(found.around) < 120


def test_that_a_page_nobody_placed_is_still_in_the_contents() -> None:
    there = {topic.key for chapter in CHAPTERS for topic in chapter.topics} - {"cases"} | {"brand-new"}
    shown = chapters(there)
    assert [topic.title for topic in shown[-2].topics] == ["Brand new"]
    assert "cases" not in {topic.key for chapter in shown for topic in chapter.topics}
    assert [chapter.title for chapter in chapters(set())] == ["About"]
