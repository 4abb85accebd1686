"""Two merge policies side by side: what each makes of the same floor and LLM answer, and where they part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.merging import ORDER, Sum, in_force, limits, merge_rows
from app.domain.inspection import Inspection, Merged

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One row of both: what it is, how each policy comes to it, the amounts, and if this is where they part."""

    what: str
    hows: tuple[str, ...]
    values: tuple[str, ...]
    parts: bool = False

    @property
    def how(self) -> str:
        """What there is to say once for all policies; "" where they say different things."""
        said = {how for how, value in zip(self.hows, self.values, strict=True) if value}
        return said.pop() if len(said) == 1 else ""


@dataclass(frozen=True, slots=True)
class Policies:
    """The table: policies by name, rows, types, confidences, a sentence; `used` is the place of the one in force."""

    names: tuple[str, ...]
    used: int
    rows: tuple[PolicyRow, ...]
    types: tuple[str, ...]
    confidences: tuple[str, ...]
    topics: tuple[str, ...]
    sentence: str


def policies(inspection: Inspection, settings: Settings | None) -> Policies | None:
    """All policies of the inspection; None where it holds fewer than two."""
    if len(inspection.by_merger) < 2:
        return None
    names = tuple(inspection.by_merger)
    columns = [
        {row.key: row for row in merge_rows(inspection, merged, name, settings)}
        for name, merged in inspection.by_merger.items()
    ]
    rows = [_row([column.get(key) for column in columns]) for key in ORDER if any(key in c for c in columns)]
    first = next((place for place, row in enumerate(rows) if len(set(row.values)) > 1), None)
    if first is not None:
        rows[first] = PolicyRow(rows[first].what, rows[first].hows, rows[first].values, parts=True)
    mergeds = tuple(inspection.by_merger.values())
    used, _ = in_force(inspection, settings)
    types = tuple(_type(merged) for merged in mergeds)
    topics = tuple(", ".join(merged.intent.topics) if merged.intent else "" for merged in mergeds)
    return Policies(
        names,
        names.index(used) if used in names else 0,
        tuple(rows),
        types,
        tuple(_confidence(merged, settings) for merged in mergeds),
        topics if len(set(topics)) > 1 else (),
        _sentence(used, rows[first].what if first is not None else "", types, topics),
    )


def _row(found: list[Sum | None]) -> PolicyRow:
    known = [row for row in found if row is not None]
    return PolicyRow(
        known[0].what,
        tuple(row.how if row is not None else "" for row in found),
        tuple(row.value if row is not None else "" for row in found),
    )


def _type(merged: Merged) -> str:
    return words.type_word(merged.intent.type) if merged.intent else words.say("No intent")


def _confidence(merged: Merged, settings: Settings | None) -> str:
    return numbers.score(merged.intent.confidence if merged.intent else 0.0, limits(settings))


def _sentence(used: str, first: str, types: tuple[str, ...], topics: tuple[str, ...]) -> str:
    if first:
        return words.say("In force: {policy}. They part at “{row}”.", policy=used, row=first)
    if len(set(types)) > 1 or len(set(topics)) > 1:
        return words.say("In force: {policy}. The number is the same, the topics are not.", policy=used)
    return words.say("In force: {policy}. Here they come to the same.", policy=used)
