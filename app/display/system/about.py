"""What the program says of itself: version, profile, encoder and licences, in the Markdown of the help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ENCODER_LICENCES: Mapping[str, str] = {
    "minilm": "all-MiniLM-L6-v2, Apache-2.0; it ships with the program",
    "accurate": "all-mpnet-base-v2, Apache-2.0; fetched and written with weights of 8 bits on this computer",
    "sentence-transformers": "a model of your own choice, under the licence that its publisher names",
    "ollama": "a model of your own choice, under the licence that its publisher names",
}
"""Under which licence the model of an encoder stands."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package that the program is built with, and the licence that it states."""

    name: str
    version: str
    licence: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is shown of this program; "" where it is not known yet."""

    version: str
    python: str
    qt: str
    profile: str = ""
    encoder: str = ""
    counts: Mapping[str, int] | None = None


def about_markdown(facts: Facts, report: str) -> str:
    """The page About; `report` is the link that opens a report of this system."""
    rows = [
        ("Version", facts.version),
        ("Profile", f"`{facts.profile}`" if facts.profile else ""),
        ("Library", ", ".join(f"{count:,} {what}" for what, count in (facts.counts or {}).items())),
        ("Encoder", f"`{facts.encoder}`" if facts.encoder else ""),
        ("Its licence", ENCODER_LICENCES.get(facts.encoder, "")),
        ("Runs on", f"Python {facts.python}, Qt {facts.qt}"),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows if value)
    return _ABOUT.format(table=table, report=report)


def licences_markdown(packages: Sequence[Package], link: str) -> str:
    """The page of licences: a table, each name leading to the texts; `link` stands before the name."""
    rows = (f"| [{one.name}]({link}{one.name}) | {one.version} | {_cell(one.licence)} |" for one in packages)
    return _LICENCES.format(table="\n".join(rows))


def licence_markdown(name: str, texts: Sequence[str]) -> str:
    """The licence texts of one package, as they are."""
    if not texts:
        return f"# {name}\n\nIts package brings no text of its licence.\n"
    fenced = "\n\n".join(f"```\n{text.replace('```', chr(39) * 3)}\n```" for text in texts)
    return f"# {name}\n\n{fenced}\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_ABOUT = """\
# About Intentscope

Type a query and see, live, what a hybrid intent detector makes of it, and why.

| | |
| --- | --- |
{table}

[A report of this system]({report}) gathers versions, state and settings as a text to read and copy. Nothing is sent,
and what you typed is left out unless you add it.

## Licence

Intentscope is free software under the [Apache licence 2.0](licence:Intentscope). [What it is built with](licences.md)
stands under licences of its own.

## What it connects to

Nothing that you have not set up: a local LLM, powers that you approved, assistants that you let in. What you type and
teach stays in the profile. The Internet is reached only when you ask for it: to fetch the parts of another encoder, to
look for a newer version where `updates.url` says, or to open a link in the browser.
"""

_LICENCES = """\
# Licences

What Intentscope is built with. A name leads to the texts that its package brings. Qt 6 (PySide6) is used under the
LGPL 3; in an installed program its libraries are files of their own and may be replaced. The fonts, Inter and JetBrains
Mono, are used under the SIL Open Font License.

| package | version | licence |
| --- | --- | --- |
{table}
"""
