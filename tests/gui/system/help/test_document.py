"""Tests of help pages as Qt documents: parsed, split and typeset without loss."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor, QTextDocument, QTextTable
from PySide6.QtWidgets import QApplication

from app.gui.kit.theme.theme import Theme
from app.gui.system.help.repository import parse, sections, typeset

PAGE = """\
# A page

First **line**,
second `line`.

![what it shows](a.png)

- one
  goes on
- two

| | |
| --- | --: |
| `a\\|b` | 1 |

```
# no heading
  a\\|b
```

## Under *it*
A <b>bold</b> [link](b.md) & `<i>`.

```
alone
```
"""


@pytest.fixture
def page(qapp: QApplication) -> QTextDocument:
    document = parse(PAGE)
    typeset(document, Theme(), {"a.png": 300})
    return document


def test_that_a_page_is_split_by_its_headings(qapp: QApplication) -> None:
    assert [(one.page_title, one.title, one.anchor, one.text) for one in sections("key", PAGE)] == [
        ("A page", "A page", "", "First line, second line. one goes on two a|b 1 # no heading a\\|b"),
        ("A page", "Under it", "under-it", "A <b>bold</b> link & <i>. alone"),
    ]


def test_that_headings_code_and_links_have_formats_of_their_own(page: QTextDocument) -> None:
    theme = Theme()

    def form(text: str) -> dict[str, object]:
        found = page.find(text).charFormat()
        return {
            "size": found.font().pixelSize(),
            "mono": found.fontFamilies() == [theme.mono],
            "names": found.anchorNames(),
            "link": found.anchorHref(),
        }

    body = {"size": theme.px(13), "mono": False, "names": [], "link": ""}
    assert form("A page") == {**body, "size": theme.px(20), "names": ["a-page"]}
    assert form("it") == {**body, "size": theme.px(15), "names": ["under-it"]}
    assert form("link") == {**body, "link": "b.md"}
    assert form("<i>") == form("no heading") == form("alone") == {**body, "size": theme.px(12), "mono": True}
    picture = page.find("\N{OBJECT REPLACEMENT CHARACTER}").charFormat().toImageFormat()
    assert (picture.name(), picture.width()) == ("a.png", 300)


def test_that_empty_headings_of_a_table_are_left_out_and_code_has_a_ground(page: QTextDocument) -> None:
    table, code, _ = page.rootFrame().childFrames()
    assert isinstance(table, QTextTable)
    assert (table.rows(), table.cellAt(0, 0).firstCursorPosition().block().text()) == (1, "a|b")
    inside = QTextCursor(page)
    inside.setPosition(code.firstPosition())
    inside.setPosition(code.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    assert inside.selectedText().split("\N{PARAGRAPH SEPARATOR}") == ["# no heading", "  a\\|b"]


@given(st.text(alphabet="ab `*[]()#|-\\\n1.", max_size=80))
def test_that_any_text_is_read_and_typeset(qapp: QApplication, text: str) -> None:
    document = parse(text)
    typeset(document, Theme(), {})
    letters, kept = (re.sub(r"[^ab]", "", one) for one in (text, document.toPlainText()))
    assert len(kept) <= len(letters)
    if not re.search(r"[\[\]`|]", text):
        assert kept == letters
