"""Expansion of sentence templates: (one|other), [optional], <rule>, {slot}."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice, product

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
            variants = _joined(variants, pieces)
        return variants

    def _rule(self, name: str) -> list[str]:
        if name not in self._rules:
            return [re.split(r"[.:]", name)[-1].replace("_", " ")]
        return _Template(self._rules[name], self._rules, self._depth).alternatives("")


def _joined(before: Iterable[str], after: Iterable[str]) -> list[str]:
    return ["".join(pair) for pair in islice(product(before, after), MOST)]
