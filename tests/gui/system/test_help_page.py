"""Tests of the help page: reading on request, search in all pages, and links."""

import re
from importlib.metadata import distribution
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextCursor, QTextDocument, QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.kit.theme import Appearance, Mode, Preference, Theme
from app.gui.shell.main_window import MainWindow
from app.gui.system.help_page import HelpPage
from app.gui.system.help_repository import (
    FOLDER,
    OURS,
    installed,
    licence_page,
    licences_page,
    listed,
    parse,
    sections,
    stated,
    texts_in,
    typeset,
)
from app.gui.system.help_text import recoloured
from tests.build import of_type, some
from tests.gui.conftest import Opener
from tests.gui.contrast import contrast
from tests.gui.inspections import FakeWorkbench
from tests.gui.pages import opened_page
from tests.scripts import PROJECT


@pytest.fixture
def window(open_window: Opener) -> MainWindow:
    return open_window(FakeWorkbench())


def opened(qtbot: QtBot, window: MainWindow, topic: str = "") -> HelpPage:
    page = opened_page(window, "help", HelpPage)
    if topic:
        page.go_to(topic)
    shows(qtbot, page, topic or "index")
    qtbot.waitUntil(lambda: len(page.list.model_.rows) > 0)
    return page


def shows(qtbot: QtBot, page: HelpPage, topic: str) -> None:
    text = (FOLDER / f"{topic}.md").read_text("utf-8") if (FOLDER / f"{topic}.md").is_file() else ""
    qtbot.waitUntil(
        lambda: (
            page.location.key == topic
            and bool(page.text.content.markdown)
            and page.text.content.markdown == (text or page.text.content.markdown)
        )
    )


def found(page: HelpPage) -> list[tuple[str, str]]:
    return [(line.key, line.title) for line in page.list.model_.rows]


def test_that_the_first_page_opens_alone_and_a_search_reads_all_pages(qtbot: QtBot, window: MainWindow) -> None:
    page = opened(qtbot, window)
    assert page.text.toPlainText().startswith("Five minutes with Intentscope")
    assert page.books is None
    assert page.search.hasFocus()
    titles = [line.title for line in page.list.model_.rows]
    assert titles.index("Five minutes with Intentscope") < titles.index("The scope") < titles.index("How it is built")
    assert some(page.list.current).key == "index"
    QTest.keyClicks(page.search, "macro_f1")
    qtbot.waitUntil(lambda: ("metrics", "macro_f1") in found(page))
    assert found(page)[0] == ("metrics", "macro_f1")
    books = page.books
    QTest.keyClick(page.search, Qt.Key.Key_Return)
    shows(qtbot, page, "metrics")
    assert set(page.text.marked) == {"macro_f1"}
    assert page.text.verticalScrollBar().value() > 0
    page.search.setText("penguin")
    assert page.empty.isVisibleTo(page)
    assert page.books is books
    page.search.clear()
    assert ("keys", "Keys") in found(page)
    assert not page.empty.isVisibleTo(page)
    page.search.setText("threshold")
    qtbot.waitUntil(lambda: page.books is not None and len(found(page)) > 2)
    first = page.list.currentIndex().row()
    QTest.keyClick(page.search, Qt.Key.Key_Down)
    assert page.list.currentIndex().row() == first + 1
    QTest.keyClick(page.search, Qt.Key.Key_Up)
    assert page.list.currentIndex().row() == first
    assert page.search.hasFocus()
    page.search.clear()
    page.list.select("keys")
    page.list.move_by(1)
    assert page.list.current is not None
    assert some(page.list.current).key == "scope"
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    shows(qtbot, page, "scope")


REFERENCES = {"architecture", "commands", "formats-of-programs", "keys", "metrics", "promises", "running", "scorers"}
REFERENCES |= {"settings", "stores", "team", "tiers"}
"""Pages that are looked up rather than read, and may be longer than two screens."""


def test_that_every_page_is_drawn_with_pictures_and_those_to_read_are_short(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 800)
    for topic in sorted(path.stem for path in FOLDER.glob("*.md")):
        text = opened(qtbot, window, topic).text
        assert text.toPlainText().startswith(text.content.markdown.splitlines()[0].removeprefix("# ")), topic
        assert all(text.picture(name).width() > 200 for name in text.content.pictures), topic
        assert text.loadResource(2, "file:///etc/hostname") is None
        bar = text.verticalScrollBar()
        assert topic in REFERENCES or bar.maximum() <= bar.pageStep(), topic


def test_that_pictures_follow_the_palette_and_can_be_read_in_every_theme(qtbot: QtBot, window: MainWindow) -> None:
    page = opened(qtbot, window)
    window.theme.set_appearance(Appearance(mode=Mode.LIGHT))
    light = page.text.picture("scope.png").pixelColor(4, 300).lightness()
    window.theme.set_appearance(Appearance(mode=Mode.DARK))
    assert page.text.picture("scope.png").pixelColor(4, 300).lightness() < 80 < light
    page = opened(qtbot, window, "architecture")
    for theme in product((Mode.LIGHT, Mode.DARK), (Preference.OFF, Preference.ON)):
        window.theme.set_appearance(Appearance(mode=theme[0], high_contrast=theme[1]))
        image = page.text.picture("architecture.svg")
        ground = image.pixelColor(2, 2).name()
        assert ground == window.theme.tokens.surface.lower(), theme
        inks = {image.pixelColor(x, y).name() for x in range(16, 120) for y in range(16, 40)}
        assert max(contrast(ink, ground) for ink in inks) > 7, theme


def test_that_links_lead_from_page_to_page_and_back_to_the_same_lines(qtbot: QtBot, window: MainWindow) -> None:
    page = opened(qtbot, window, "inbox")
    page.follow("history.md#doubts")
    shows(qtbot, page, "history")
    assert page.text.verticalScrollBar().value() > 0
    assert page.list.current is not None
    assert page.list.current.key == "history"
    QTest.keyClick(page.text, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    shows(qtbot, page, "inbox")
    assert page.forward.isEnabled()
    QTest.keyClick(page.text, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    shows(qtbot, page, "history")
    assert not page.forward.isEnabled()
    page.step(1)
    assert page.location.key == "history"
    page = opened(qtbot, window, "settings")
    page.text.verticalScrollBar().setValue(900)
    page.follow("files.md")
    shows(qtbot, page, "files")
    page.step(-1)
    shows(qtbot, page, "settings")
    assert page.text.verticalScrollBar().value() == 900
    page = opened(qtbot, window, "index")
    page.open("nowhere")
    qtbot.waitUntil(lambda: "cannot be read" in page.fault.sentence)
    assert page.text.toPlainText() == ""
    page.step(-1)
    shows(qtbot, page, "index")
    assert page.fault.sentence == ""


def test_that_shift_f1_opens_the_help_of_a_page_and_goes_back(qtbot: QtBot, window: MainWindow) -> None:
    window.open_page("context")
    window.act("help_here")
    page = of_type(window.page, HelpPage)
    shows(qtbot, page, "context")
    assert page.text.hasFocus()
    window.act("help_here")
    assert window.page is window.pages["context"]


def test_that_a_link_out_asks_first(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: gone.append(url.toString()))
    page = opened(qtbot, window, "llm")
    page.follow("https://ollama.com")
    assert page.close_prompt.isVisibleTo(page)
    assert page.close_prompt.stay.hasFocus()
    assert "https://ollama.com" in page.close_prompt.accessibleName()
    page.close_prompt.stay.click()
    assert gone == []
    page.follow("https://ollama.com")
    page.close_prompt.copy_actions.click()
    assert QGuiApplication.clipboard().text() == "https://ollama.com"
    assert gone == []
    page.follow("https://ollama.com")
    page.close_prompt.go.click()
    assert gone == ["https://ollama.com"]
    assert not page.close_prompt.isVisibleTo(page)


def test_that_the_page_stays_where_it_was_when_the_text_grows(qtbot: QtBot, window: MainWindow) -> None:
    bar = opened(qtbot, window, "settings").text.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    window.theme.set_appearance(Appearance(text_scale=2.0))
    # The text above wraps differently from the text below.
    qtbot.waitUntil(lambda: 0.35 < bar.value() / bar.maximum() < 0.65)


def test_that_only_known_colours_are_exchanged() -> None:
    assert recoloured(b'fill="#FFFFFF" stroke="#123456"', {"#ffffff": "#000000"}) == b'fill="#000000" stroke="#123456"'


# ---- about


def test_that_the_program_says_what_it_is_and_its_licences(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.act("about")
    page = of_type(window.page, HelpPage)
    qtbot.waitUntil(lambda: "About Intentscope" in page.text.toPlainText())
    page.persist_in(tmp_path)
    page.open("licences")
    page.open("about")
    qtbot.waitUntil(lambda: str(tmp_path) in page.text.toPlainText())
    told = page.text.toPlainText()
    assert distribution(OURS).version in told
    assert "all-MiniLM-L6-v2, Apache-2.0" in told
    page.follow("do:report")
    some(window.remedies.dialog).close()
    page.open("licences")
    qtbot.waitUntil(lambda: "numpy" in page.text.toPlainText())
    page.follow("licence:numpy")
    qtbot.waitUntil(lambda: "Redistribution and use" in page.text.toPlainText())
    page.open("licences")
    page.follow("licence:JetBrains-Mono")
    qtbot.waitUntil(lambda: "SIL OPEN FONT LICENSE" in page.text.toPlainText())
    page.follow("licence:Intentscope")
    qtbot.waitUntil(lambda: "Apache License" in page.text.toPlainText())


def test_that_licences_are_those_of_what_the_program_needs() -> None:
    names = {package.name.casefold() for package in installed()}
    assert {"intentscope", "numpy", "rapidfuzz", "sqlalchemy", "inter", "jetbrains-mono"} <= names
    assert "pytest" not in names
    assert [package.name for package in installed() if not package.licence] == []
    assert stated(distribution(OURS)) == "Apache-2.0"
    assert "brings no text" in licence_page("nowhere-to-be-found")


def test_that_a_bundle_tells_the_licences_of_its_own_file(tmp_path: Path) -> None:
    rule = "=" * 100
    table = f"{'Python':44}{'':14}Python-2.0\n{'numpy':44}{'2.0':14}BSD-3-Clause"
    terms = f"{rule}\nnumpy 2.0\n{rule}\nDo as you like."
    text = f"Intentscope and what it is built with\n\n{table}\n\nQt is LGPL.\n\n{terms}\n"
    file = tmp_path / "LICENCES.txt"
    file.write_text(text, "utf-8")
    assert [(one.name, one.version, one.licence) for one in listed(text)] == [
        ("Python", "", "Python-2.0"),
        ("numpy", "2.0", "BSD-3-Clause"),
    ]
    assert texts_in(text, "numpy") == ["Do as you like."]
    assert "[numpy](licence:numpy)" in licences_page(file)
    assert "Do as you like." in licence_page("numpy", file)


def test_that_the_bundle_writes_its_file_as_it_is_read() -> None:
    source = (PROJECT / "packaging" / "licences.py").read_text("utf-8")
    assert ":44}{package.version:14}" in source
    assert 'RULE = "=" * 100' in source


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
