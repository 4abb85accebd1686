"""Tests of the help's Markdown: parsed, searched and formatted without loss."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.system.help_markdown import (
    BulletList,
    Code,
    Heading,
    PageStyle,
    Paragraph,
    Picture,
    Table,
    as_html,
    blocks,
    plain,
    slug,
    spans,
)
from app.display.system.help_pages import CHAPTERS, chapters, find, sections

FORM = PageStyle("Sans", "Mono", 2.0, "#000000", "#111111", "#222222", "#333333", "#444444", pictures={"a.png": 300})

PAGE = """\
# A page

First **line**,
second line.

![what it shows](a.png)

- one
  goes on
- two
  - deeper

1. first
2. second

| name | value |
| --- | --: |
| `a\\|b` | 1 |
| short |

```
# no heading
  kept
```

## Under *it*
Last.
"""


def test_that_a_page_is_taken_apart() -> None:
    assert blocks(PAGE) == [
        Heading(1, "A page"),
        Paragraph("First **line**, second line."),
        Picture("a.png", "what it shows"),
        BulletList(((0, "one goes on"), (0, "two"), (1, "deeper")), are_numbered=False),
        BulletList(((0, "first"), (0, "second")), are_numbered=True),
        Table(("name", "value"), (False, True), (("`a|b`", "1"), ("short", ""))),
        Code("# no heading\n  kept"),
        Heading(2, "Under *it*"),
        Paragraph("Last."),
    ]


@pytest.mark.parametrize(
    ("marked", "bare"),
    [
        ("a `b*c*` d", "a b*c* d"),
        ("**strong `code`** and *stressed*", "strong code and stressed"),
        ("[a `link`](x.md#y), 2 * 3 * 4", "a link, 2 * 3 * 4"),
        ("snake_case and \\*star\\*", "snake_case and *star*"),
        ("0.4 × 4/6 [not a link] (here)", "0.4 × 4/6 [not a link] (here)"),
    ],
)
def test_that_marks_are_read_and_nothing_else_is(marked: str, bare: str) -> None:
    assert plain(marked) == bare


def test_that_a_mark_in_a_mark_keeps_both() -> None:
    (link,) = spans("[**a**](b.md)")
    assert (link.text, link.is_strong, link.link) == ("a", True, "b.md")


@given(st.text(alphabet="ab `*[]()#|-\\\n1.", max_size=80))
def test_that_any_text_is_read_and_set(text: str) -> None:
    letters = re.sub(r"[^a-b]", "", text)
    html = re.sub(r"<[^>]*>", "", as_html(text, FORM))
    kept = re.sub(r"[^a-b]", "", html)
    assert len(kept) <= len(letters)
    if not re.search(r"[\[\]`|]", text):
        assert kept == letters


def test_that_a_bar_above_a_point_is_no_table() -> None:
    assert blocks("|\n-") == [Paragraph("| -")]


def test_that_what_a_page_says_is_never_markup() -> None:
    html = as_html("a <b>bold</b> & `<i>`\n\n```\n</pre><img src=x>\n```\n", FORM)
    assert "<b>" not in html
    assert "<i>" not in html
    assert "<img" not in html
    assert "&lt;b&gt;bold&lt;/b&gt; &amp;" in html


def test_that_sizes_follow_the_scale_and_headings_can_be_gone_to() -> None:
    html = as_html(PAGE, FORM)
    assert "font-size:40px" in html
    assert f'<a name="{slug("Under *it*")}">' in html
    assert '<img src="a.png" alt="what it shows" width="300">' in html


# ---- search


BOOKS = {
    "one": sections("one", "# Colours\n\nThe window is dark.\n\n## High contrast\n\nLines are stronger.\n"),
    "two": sections("two", "# Lines\n\n## Wrapping\n\nLong texts wrap, in dark and light windows.\n"),
}


def test_that_a_page_is_searched_by_its_headings() -> None:
    assert [(one.title, one.anchor, one.text) for one in BOOKS["one"]] == [
        ("Colours", "", "The window is dark."),
        ("High contrast", "high-contrast", "Lines are stronger."),
    ]


def test_that_every_word_has_to_be_there_and_titles_come_first() -> None:
    assert [one.section.title for one in find(BOOKS, "LINES")] == ["Wrapping", "High contrast"]
    assert [one.section.title for one in find(BOOKS, "dark window")] == ["Colours", "Wrapping"]
    assert [one.section.title for one in find(BOOKS, "contrast")] == ["High contrast"]
    assert find(BOOKS, "dark penguin") == []
    assert find(BOOKS, "  ") == []


def test_that_a_finding_shows_the_words_around_it() -> None:
    text = f"# T\n\n{'before ' * 40}needle {'after ' * 40}\n"
    (found,) = find({"t": sections("t", text)}, "needle")
    assert found.around.startswith("… before")
    assert "needle" in found.around
    assert found.around.endswith("after …")
    assert len(found.around) < 120


# ---- contents


def test_that_a_page_nobody_placed_is_still_in_the_contents() -> None:
    there = {topic.key for chapter in CHAPTERS for topic in chapter.topics} - {"cases"} | {"brand-new"}
    shown = chapters(there)
    assert [topic.title for topic in shown[-2].topics] == ["Brand new"]
    assert "cases" not in {topic.key for chapter in shown for topic in chapter.topics}
    assert [chapter.title for chapter in chapters(set())] == ["About"]
