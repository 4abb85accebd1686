"""Evaluation as JUnit XML for build servers: one test for each case and each gate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from app.display import numbers
from app.display.evaluation.comparison import expected, outcome_text
from app.evaluation.answers import Answered
from app.evaluation.delivery import passes
from app.evaluation.evaluation import Evaluation

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 excludes: control characters and surrogates."""


@dataclass(frozen=True, slots=True)
class Gated:
    """Gate as it was written, its measured number, and whether it holds."""

    text: str
    value: float | None
    held: bool


def junit_xml(evaluation: Evaluation, gates: Sequence[Gated] = ()) -> str:
    """Return the document: a test suite of the cases, named by task, and one of any gates."""
    suites = [_suite(evaluation.task.value, [_case(one) for one in evaluation.answered])]
    if gates:
        suites.append(_suite("gates", [_gate(one) for one in gates]))
    lines = [line for suite in suites for line in suite]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *lines, "</testsuites>", ""])


_Test = tuple[str, str, str]
"""Name, failure ("" for none) and details of a test."""


def _suite(name: str, tests: Sequence[_Test]) -> Iterable[str]:
    failed = sum(bool(failure) for _, failure, _ in tests)
    yield f'  <testsuite name={_quoted(name)} tests="{len(tests)}" failures="{failed}" errors="0" skipped="0">'
    for what, failure, details in tests:
        opening = f"    <testcase classname={_quoted(f'intentscope.{name}')} name={_quoted(what)}"
        if failure:
            yield f"{opening}>"
            yield f"      <failure message={_quoted(failure)}>{escape(_clean(details))}</failure>"
            yield "    </testcase>"
        else:
            yield f"{opening}/>"
    yield "  </testsuite>"


def _case(answered: Answered) -> _Test:
    if passes(answered):
        return answered.case.text, "", ""
    failure = f"expected {expected(answered)}, got {outcome_text(answered)}"
    best = "\n".join(f"{numbers.score(one.confidence)} {one.name}" for one in answered.candidates)
    return answered.case.text, failure, best


def _gate(gate: Gated) -> _Test:
    if gate.held:
        return gate.text, "", ""
    value = numbers.ABSENT if gate.value is None else f"{gate.value:.6g}"
    return gate.text, f"gate not met: {gate.text} ({value})", ""


def _quoted(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
