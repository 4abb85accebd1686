"""Gather the sentences of the program for translators, and compile what they made of them.

    python packaging/translations.py            bring every resources/translations/*.ts up to date, and compile it
    python packaging/translations.py --new fr   begin a language
    python packaging/translations.py --check    exit 1 if a file lacks a sentence, holds one that is gone, or the
                                                compiled one beside it is another

The files are Qt Linguist's: `pyside6-linguist resources/translations/intentscope_de.ts` opens one. A
translation is kept by its English, so that code may move; where the English changes, a person looks at it again.
Where two changes meet in a compiled file, take either and run this.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

PROJECT = Path(__file__).resolve().parent.parent
APP = PROJECT / "app"
FOLDER = PROJECT / "resources" / "translations"
PREFIX = "intentscope_"
CONTEXT = "Intentscope"
"""The one context of all sentences: which class says one makes no difference."""
PLACES = {"tr": 0, "say": 0, "say_n": 2, "forms": 1}
"""What says a sentence, and which of its arguments that is: of two forms the one for many."""
FORMS = {
    **dict.fromkeys(("ja", "ko", "zh"), 1),
    **dict.fromkeys(("cs", "he", "lt", "pl", "ro", "ru", "sk", "uk"), 3),
    "sl": 4,
    "ar": 6,
}
"""How many forms of what is counted a language has, where not two: those of Qt Linguist."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence: its English, if it counts, and what a translator made of it (a form each), empty where nothing."""

    source: str
    counts: bool = False
    forms: tuple[str, ...] = ()
    finished: bool = False


def sentences(source: str) -> Iterator[tuple[str, bool]]:
    """Every literal that is said in a module, and if it counts."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        place = PLACES.get(name, len(node.args))
        said = node.args[place] if place < len(node.args) else None
        if isinstance(said, ast.Constant) and isinstance(said.value, str) and any(map(str.isalpha, said.value)):
            yield said.value, name in ("say_n", "forms")


def gathered(folder: Path = APP) -> dict[str, bool]:
    """Every sentence of the program, and if it counts, in the order of the alphabet."""
    found: dict[str, bool] = {}
    for file in sorted(folder.rglob("*.py")):
        for text, counts in sentences(file.read_text("utf-8")):
            found[text] = counts or found.get(text, False)
    for text in derived_titles():
        found.setdefault(text, False)
    return dict(sorted(found.items(), key=lambda item: (item[0].casefold(), item[0])))


def derived_titles() -> Iterable[str]:
    """What the program makes of the keys of its settings."""
    sys.path.insert(0, str(PROJECT))
    from app.display.system.settings import derived_titles as made

    return made()


def read(file: Path) -> dict[str, Message]:
    """The messages of a translator's file by their English."""
    found = {}
    for node in ElementTree.parse(file).iter("message"):
        text, source = node.find("translation"), node.findtext("source") or ""
        if text is None or text.get("type") in ("vanished", "obsolete"):
            continue
        counts = node.get("numerus") == "yes"
        forms = tuple(form.text or "" for form in text.iter("numerusform")) if counts else (text.text or "",)
        found[source] = Message(source, counts, forms, text.get("type") != "unfinished")
    return found


def updated(known: Mapping[str, Message], wanted: Mapping[str, bool], forms: int) -> list[Message]:
    """The messages that a file should hold: those that are said, with what is known of them."""
    made = []
    for source, counts in wanted.items():
        old = known.get(source)
        if old is None or old.counts != counts:
            made.append(Message(source, counts, ("",) * (forms if counts else 1)))
        else:
            made.append(old)
    return made


def written(messages: Iterable[Message], code: str) -> str:
    """The text of a translator's file, as Linguist lays it out."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<!DOCTYPE TS>"]
    lines += [f'<TS version="2.1" language="{code}" sourcelanguage="en">', "<context>", f"    <name>{CONTEXT}</name>"]
    for message in messages:
        unfinished = "" if message.finished else ' type="unfinished"'
        lines.append('    <message numerus="yes">' if message.counts else "    <message>")
        lines.append(f"        <source>{_escaped(message.source)}</source>")
        if message.counts:
            lines.append(f"        <translation{unfinished}>")
            lines += [f"            <numerusform>{_escaped(form)}</numerusform>" for form in message.forms]
            lines.append("        </translation>")
        else:
            lines.append(f"        <translation{unfinished}>{_escaped(message.forms[0])}</translation>")
        lines.append("    </message>")
    return "\n".join((*lines, "</context>", "</TS>", ""))


def _escaped(text: str) -> str:
    return escape(text, {'"': "&quot;", "'": "&apos;"})


def compile_to(source: Path, target: Path) -> None:
    """What the program reads, by Qt's own compiler."""
    tool = Path(sys.executable).with_name("pyside6-lrelease")
    subprocess.run([str(tool), "-silent", str(source), "-qm", str(target)], check=True)


def code_of(file: Path) -> str:
    return file.stem.removeprefix(PREFIX)


def update(file: Path, wanted: Mapping[str, bool]) -> int:
    """Bring a file up to date and compile it; how many sentences wait for a translator."""
    code = code_of(file)
    messages = updated(read(file) if file.exists() else {}, wanted, FORMS.get(code.partition("_")[0], 2))
    file.write_text(written(messages, code), "utf-8")
    compile_to(file, file.with_suffix(".qm"))
    return sum(not message.finished for message in messages)


def faults(file: Path, wanted: Mapping[str, bool]) -> list[str]:
    """What keeps a file from saying what the program says."""
    held = read(file)
    found = [f"{file.name} lacks: {text}" for text in wanted if text not in held]
    found += [f"{file.name} holds what nobody says: {text}" for text in held if text not in wanted]
    with tempfile.TemporaryDirectory() as folder:
        compile_to(file, made := Path(folder) / "made.qm")
        if not file.with_suffix(".qm").exists() or made.read_bytes() != file.with_suffix(".qm").read_bytes():
            found.append(f"{file.with_suffix('.qm').name} is not made of {file.name}")
    return found


def main(words: list[str]) -> int:
    """Update or check every file, or begin one."""
    wanted = gathered()
    if words[:1] == ["--new"] and len(words) == 2:
        print(update(FOLDER / f"{PREFIX}{words[1]}.ts", wanted), "sentences wait for a translator")
        return 0
    files = sorted(FOLDER.glob(f"{PREFIX}*.ts"))
    if words == ["--check"]:
        found = [fault for file in files for fault in faults(file, wanted)]
        print(*found, sep="\n", end="\n" if found else "")
        return int(bool(found))
    for file in files:
        print(f"{file.name}: {len(wanted)} sentences, {update(file, wanted)} wait for a translator")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
