"""Sentences of voice assistants: Home Assistant, Padatious, Rhasspy and Snips."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import BinaryIO

from app.adapters.formats.documents import (
    Found,
    NothingToTakeError,
    TextReader,
    TreeReader,
    memories_of,
    memory_line,
    name_of,
    numbered_texts,
    said,
    text_in,
)
from app.adapters.formats.records import MAX_CHARACTERS, FileKind
from app.adapters.formats.syntax.trees import Node
from app.domain.errors import FormatError
from app.domain.library import Problem

MOST = 20
"""Maximum number of sentences per template."""

MAX_DEPTH = 16
"""Maximum depth of groups and rules; deeper ones are not expanded."""

TOKEN = re.compile(r"\\.|[()\[\]|;]|<[^<>]*>|[^\\()\[\]|;<>]+|.", re.DOTALL)
CLOSING = {"(": ")", "[": "]"}


class _MalformedError(ValueError):
    """Template that is not closed, or nested too deep."""


def written_out(
    template: str, rules: Mapping[str, str] | None = None, bare: Callable[[str], str] = str
) -> tuple[str, ...]:
    """Expand a template to at most MOST sentences; a malformed one is returned unchanged.

    An unknown rule is replaced by its name. `bare` removes marks that are no words.
    """
    if len(template) > MAX_CHARACTERS:  # refused as a text
        return (template,)
    try:
        variants = _Template(template, rules or {}, 0).alternatives("")
    except _MalformedError:
        variants = [template]
    sentences = (" ".join(bare(variant).split()) for variant in variants)
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence))


class _Template:
    """Parser of one template from left to right."""

    def __init__(self, template: str, rules: Mapping[str, str], depth: int) -> None:
        self._tokens = TOKEN.findall(template)
        self._at = 0
        self._rules = rules
        self._depth = depth

    def alternatives(self, closing: str) -> list[str]:
        """Return the variants up to the closing mark, including all alternatives."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _MalformedError
        found = self._sequence()
        while self._at < len(self._tokens) and self._tokens[self._at] == "|":
            self._at += 1
            found += self._sequence()
        if closing and (self._at >= len(self._tokens) or self._tokens[self._at] != closing):
            raise _MalformedError
        if not closing and self._at < len(self._tokens):
            raise _MalformedError
        self._at += 1
        self._depth -= 1
        return found[:MOST]

    def _sequence(self) -> list[str]:
        variants = [""]
        while self._at < len(self._tokens) and self._tokens[self._at] not in ("|", ")", "]"):
            token = self._tokens[self._at]
            self._at += 1
            if token in CLOSING:
                pieces = self.alternatives(CLOSING[token])
                pieces = [*pieces, ""] if token == "[" else pieces
            elif token.startswith("<") and token.endswith(">"):
                pieces = self._rule(token[1:-1])
            else:
                pieces = [" " if token == ";" else token.removeprefix("\\")]
            variants = ["".join(pair) for pair in islice(product(variants, pieces), MOST)]
        return variants

    def _rule(self, name: str) -> list[str]:
        if name not in self._rules:
            return [re.split(r"[.:]", name)[-1].replace("_", " ")]
        return _Template(self._rules[name], self._rules, self._depth).alternatives("")


def _blocks(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield labels with their blocks of sentences."""
    intents, tests = root.get("intents"), root.get("tests")
    for name, intent in () if intents is None else intents.members():
        data = intent.get("data")
        yield from ((name, block) for block in (() if data is None else data.items()))
    for test in () if tests is None else tests.items():
        expected = test.get("intent")
        label = None if expected is None else text_in(expected.get("name")) or text_in(expected)
        if label is not None:
            yield label, test


def _fits_home_assistant(root: Node) -> bool:
    return any(block.get("sentences") is not None for _, block in _blocks(root)) or (
        root.get("language") is not None and any(root.get(name) for name in ("expansion_rules", "lists"))
    )


def _home_assistant(root: Node, _: str) -> Found:
    rules = root.get("expansion_rules")
    known = {name: text for name, rule in (rules.members() if rules else ()) if (text := text_in(rule)) is not None}
    found = False
    for label, block in _blocks(root):
        found = True
        sentences = block.get("sentences")
        alone = [sentences] if sentences is not None and isinstance(sentences.value, str) else []
        for sentence in (*alone, *(() if sentences is None else sentences.items())):
            text = said(sentence)
            yield memory_line(sentence.line, written_out(text, known) if isinstance(text, str) else text, label, {})
    if not found:
        raise NothingToTakeError(
            "This file of Home Assistant holds lists and rules, but no sentences. Import the files that have “intents”."
        )


HOME_ASSISTANT = TreeReader(
    "Home Assistant's sentences",
    FileKind.MEMORIES,
    "“intents” by name, each with “data” that has “sentences”",
    _fits_home_assistant,
    _home_assistant,
)


def _padatious(source: Path | BinaryIO) -> Found:
    label = name_of(source)
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif text.strip() and not text.startswith("#"):
            yield memory_line(number, written_out(text), label, {})


PADATIOUS = TextReader("Intents of Padatious", _padatious)


SECTION = re.compile(r"\[\s*([^\[\]|]+?)\s*\]\s*")
RULE = re.compile(r"\s*([\w.-]+)\s*=\s*(.+)")
MARKS = re.compile(r"\{[^{}]*\}|(?<=[^\s:]):[^\s(){}\[\]|]*|:\(|![a-z]+\b")
"""Tags, substitutions and converters, which are not spoken."""


def _rhasspy(source: Path | BinaryIO) -> Found:
    section, sentences = "", []
    rules: dict[str, str] = {}
    for number, text in numbered_texts(source):
        if isinstance(text, Problem):
            yield text
        elif not text.strip() or text.lstrip().startswith(("#", ";")):
            continue
        elif heading := SECTION.fullmatch(text):
            section = heading[1]
        elif rule := RULE.fullmatch(text):
            rules[f"{section}.{rule[1]}"] = rule[2]
        elif section:
            sentences.append((number, section, text.strip().removeprefix("\\")))
    if not sentences:
        raise FormatError("Sentences of Rhasspy were expected: the name of an intent in [ ], and lines below it.")
    for number, label, text in sentences:
        yield memory_line(number, written_out(text, _known(rules, label), partial(MARKS.sub, "")), label, {})


def _known(rules: Mapping[str, str], section: str) -> Mapping[str, str]:
    """Return the rules as a section names them: its own without prefix."""
    own = {name.removeprefix(f"{section}."): rule for name, rule in rules.items() if name.startswith(f"{section}.")}
    return {**rules, **own}


RHASSPY = TextReader("Sentences of Rhasspy", _rhasspy)


SLOT = re.compile(r"\[[^\[\]]+\]\(([^()]*)\)")
"""Slot as [slot](words) or [slot:entity](words), reversed from other formats."""

TYPES = ("intent", "entity")


def _snips(root: Node, _: str) -> Found:
    name, utterances = text_in(root.get("name")), root.get("utterances")
    if text_in(root.get("type")) != TYPES[0]:
        return
    if name is None or utterances is None:
        yield Problem(root.line, "The intent has no “name”, or no “utterances”.")
        return
    yield from memories_of(name, utterances.items(), {}, lambda text: SLOT.sub(r"\1", text))


SNIPS = TreeReader(
    "Snips datasets",
    FileKind.MEMORIES,
    "documents with “type: intent”, “name” and “utterances”",
    lambda root: text_in(root.get("type")) in TYPES and (root.get("utterances") or root.get("values")) is not None,
    _snips,
)
