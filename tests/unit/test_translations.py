"""Every translation is whole: it holds what the program says, with the same places and keys, and is compiled."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters.local.languages import read_catalogue
from tests.scripts import PROJECT, script

ts = script("translations")
FILES = sorted((PROJECT / "resources" / "translations").glob("*.ts"))
PLACE = re.compile(r"\{(\w*)(?::[^}]*)?\}")
NAMES = [file.stem for file in FILES]


def places(text: str) -> list[str]:
    return sorted(set(PLACE.findall(text.replace("{{", "").replace("}}", ""))))


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_that_a_translation_holds_what_is_said_and_is_compiled(file: Path) -> None:
    assert ts.faults(file, ts.gathered()) == [], "run packaging/translations.py, and translate what is new"


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_that_every_sentence_is_translated(file: Path) -> None:
    waiting = [one.source for one in ts.read(file).values() if not one.finished or not all(one.forms)]
    assert waiting == []


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_that_a_translation_has_the_places_of_its_sentence(file: Path) -> None:
    odd = []
    for one in ts.read(file).values():
        # A form for one thing may say so in words, without the number and what else is for many.
        least = [set(), *[set(places(one.source))] * (len(one.forms) - 1)] if one.counts else [set(places(one.source))]
        for form, needed in zip(one.forms, least, strict=True):
            if not needed <= set(places(form)) <= set(places(one.source)):
                odd.append(form)
    assert odd == []


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_that_a_translation_has_a_key_where_its_sentence_has_one(file: Path) -> None:
    keyed = re.compile(r"&\w")
    assert [one.source for one in ts.read(file).values() if any(
        len(keyed.findall(form)) != len(keyed.findall(one.source)) for form in one.forms
    )] == []  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_that_the_program_reads_what_was_compiled(file: Path) -> None:
    found = read_catalogue(file.with_suffix(".qm"), ts.code_of(file))
    assert dict(found.sentences) == {one.source: one.forms for one in ts.read(file).values()}


def test_that_nothing_is_said_before_the_language_is_known() -> None:
    """What the front door imports before it has looked for the language may only speak when it is called."""
    listing = (
        "import sys, app.__main__, app.adapters.local.languages, app.surfaces.cli.program;"
        "import app.surfaces.cli.arguments.command_line, app.surfaces.cli.arguments.parser;"
        "print(*(module.__file__ for name, module in sys.modules.items() if name[:4] == 'app.'))"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True, cwd=PROJECT)
    early = {}
    for name in done.stdout.split():
        tree = ast.parse(Path(name).read_text("utf-8"))
        outside = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        said = [
            node.lineno
            for part in outside
            for node in ast.walk(part)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say" and not _is_later(node, part)
        ]
        if said:
            early[Path(name).name] = said
    assert early == {}


def _is_later(call: ast.Call, part: ast.AST) -> bool:
    """If a call stands in a method, and so is no matter of the import."""
    methods = [node for node in ast.walk(part) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(call in ast.walk(method) for method in methods)


def test_that_sentences_are_found_and_kept_by_their_english() -> None:
    source = 'say("One {a}.", a=1); self.tr("Two"); say_n(n, "1 three", "{n} threes"); forms("1 four", "{n} fours")'
    found = dict(ts.sentences(source))
    assert found == {"One {a}.": False, "Two": False, "{n} threes": True, "{n} fours": True}
    known = {"Two": ts.Message("Two", False, ("Zwei",), True), "Gone": ts.Message("Gone", False, ("Weg",), True)}
    made = ts.updated(known, found, 2)
    assert [(one.source, one.forms, one.finished) for one in made] == [
        ("One {a}.", ("",), False),
        ("Two", ("Zwei",), True),
        ("{n} threes", ("", ""), False),
        ("{n} fours", ("", ""), False),
    ]


def test_that_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    messages = [
        ts.Message("a & <b> “c” 'd'", False, ("ä",), True),
        ts.Message("{n} x", True, ("{n} y", ""), False),
        ts.Message("lines\nand\ttabs ", False, ("Zeilen\nund ",), True),
    ]
    file = tmp_path / "intentscope_de.ts"
    file.write_text(ts.written(messages, "de"), "utf-8")
    assert list(ts.read(file).values()) == messages
    assert [fault.partition(":")[0] for fault in ts.faults(file, {"a & <b> “c” 'd'": False, "new": False})] == [
        "intentscope_de.ts lacks",
        "intentscope_de.ts holds what nobody says",
        "intentscope_de.ts holds what nobody says",
        "intentscope_de.qm is not made of intentscope_de.ts",
    ]
