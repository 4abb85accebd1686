"""Every text that a person sees passes through a translation: no literal goes straight to Qt."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QApplication

from app.domain.language import Catalogue
from app.gui.shell.application import CatalogueTranslator
from tests.speaking import speaking

GUI = Path(__file__).parents[3] / "app" / "gui"

SETTERS = frozenset(
    {
        "addAction",
        "addItem",
        "addMenu",
        "addTab",
        "drawStaticText",
        "drawText",
        "insertItem",
        "setAccessibleDescription",
        "setAccessibleName",
        "setPlaceholderText",
        "setStatusTip",
        "setText",
        "setTitle",
        "setToolTip",
        "setWhatsThis",
        "setWindowTitle",
        # our own
        "button",
        "draw_empty",
        "EmptyState",
        "PaneHeader",
        "paragraph",
        "plain_tip",
        "scrolled",
        "set_more",
        "notify",
        "set_text",
        "show_bug",
        "show_change",
        "show_fault",
        "show_hint",
        "show_message",
        "show_note",
        "show_refusal",
        "show_text",
        "text",
        "QLabel",
        "QCheckBox",
        "QPushButton",
        "QRadioButton",
    }
)
"""Whatever puts words on the screen, or into a screen reader's mouth."""

NAMES = frozenset({"Intentscope", "all-minilm", "all-MiniLM-L6-v2"})
"""Words that are the same in every language."""
PLACES = {"EmptyState": (2, 3), "draw_empty": (2, 3), "text": (1,), "paragraph": (1,)}
"""Which arguments of ours are texts, where not all are: others name pictures and colours."""


def literals(node: ast.expr) -> Iterator[str]:
    """The words in an expression that no call has touched; a format's places, and what has no letter, are none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.BinOp):
        yield from literals(node.left)
        yield from literals(node.right)
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from literals(value)


def is_words(text: str) -> bool:
    return text not in NAMES and sum(map(str.isalpha, text)) > 1 and not text.startswith("<")


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def untranslated(source: str) -> list[tuple[int, str]]:
    """Line and words of every literal that goes straight to a setter or a painter."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or name_of(node) not in SETTERS:
            continue
        places = PLACES.get(name_of(node), range(len(node.args)))
        texts = [value for place, value in enumerate(node.args) if place in places]
        texts += [word.value for word in node.keywords if word.arg in ("tip", "text", "title", "name")]
        found += [(node.lineno, text) for value in texts for text in literals(value) if is_words(text)]
    return found


def made_up(source: str) -> list[int]:
    """The lines in which `tr` is given something else than one literal, which no catalogue could hold."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and name_of(node) in ("tr", "say", "say_n")
        and node.args
        and isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
    ]


FILES = sorted(GUI.rglob("*.py"))


def test_that_no_literal_goes_straight_to_the_screen() -> None:
    found = {str(file.relative_to(GUI)): untranslated(file.read_text("utf-8")) for file in FILES}
    assert {file: literals for file, literals in found.items() if literals} == {}


def test_that_what_is_translated_is_one_literal() -> None:
    found = {str(file.relative_to(GUI)): made_up(file.read_text("utf-8")) for file in FILES}
    assert {file: lines for file, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('self.label.setText("Some words")', ["Some words"]),
        ('canvas.text(rect, f"{n} words", font)', [" words"]),
        ('button("", tip="Some words")', ["Some words"]),
        ('label.setText("Yes" if on else self.tr("No"))', ["Yes"]),
        ('label.setText(self.tr("Some words"))', []),
        ('label.setText(say("Some words"))', []),
        ('label.setText("–")', []),
        ('Empty(theme, "chart", self.tr("Nothing"), self.tr("Type."))', []),
    ],
)
def test_that_the_search_finds_what_it_should(line: str, found: list[str]) -> None:
    assert [text for _, text in untranslated(line)] == found


def test_that_the_search_finds_what_is_put_together() -> None:
    assert made_up('self.tr(f"{n} words")\nself.tr("words")\nsay("a" + b)') == [1, 3]


class QueryPart(QObject):
    """A part of ours whose name begins as those of Qt do."""


def test_that_the_window_asks_the_catalogue_and_leaves_the_rest_to_qt(qapp: QApplication) -> None:
    with speaking(Catalogue("pl", {"Scope": ("Zakres",)})):
        sentences = CatalogueTranslator(qapp)
        assert not sentences.isEmpty()
        QCoreApplication.installTranslator(sentences)
        try:
            assert QCoreApplication.translate("AnyClass", "Scope") == "Zakres"
            assert QCoreApplication.translate("AnyClass", "Unknown") == "Unknown"
            assert QueryPart().tr("Scope") == "Zakres"
            assert QCoreApplication.translate("QShortcut", "Scope") == "Scope"
        finally:
            QCoreApplication.removeTranslator(sentences)
    assert QCoreApplication.translate("AnyClass", "Scope") == "Scope"
