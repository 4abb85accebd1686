"""What teaches the router: cases, and of what ships only what fits them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from app.domain.case import NO_MATCH_WORDS, Case, Task, TaughtExample
from app.domain.route import ROUTE_NAMES, route_label
from app.scoring.text import without_punctuation
from app.services.engine.pupils import Lesson


def gathered(cases: Iterable[Case], quiet: set[str], shipped: Iterable[TaughtExample]) -> tuple[TaughtExample, ...]:
    """What teaches: cases that are not quiet, those that expect nothing as strangers, and what ships, unless a case
    says the same text otherwise; of that only the strangers where the cases name other routes than 001's alone."""
    taught: dict[str, TaughtExample] = {}
    for case in cases:
        if case.text not in quiet:
            taught[without_punctuation(case.text)] = TaughtExample(case.text, _labels(case.expected))
    named = {label for example in taught.values() for label in example.labels}
    is_foreign = bool(named) and ROUTE_NAMES.isdisjoint(named)
    for example in shipped:
        labels = _labels(example.labels)
        if not (labels and is_foreign):
            taught.setdefault(without_punctuation(example.text), replace(example, labels=labels))
    return tuple(taught.values())


def _labels(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(route_label(name) for name in names if name not in NO_MATCH_WORDS))


ROUTE_LESSON = Lesson(Task.ROUTE, gathered, by_subject=True)
"""Where an answer lies goes with what is asked about."""
