"""Surfacing by the intent's confidence, as a sentence and a table (S4.12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.detect.surfacing import (
    SURFACING,
    Cut,
    Entry,
    Surfaced,
    SurfacingRow,
    Weighed,
    is_dead,
    most_surfaced,
    success_factor,
    surfacing_row,
)
from app.display import numbers, words
from app.domain.documents import fields_of
from app.domain.inspection import Inspection
from app.domain.language import plural, quantity

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class TableRow:
    """Row of the table; `holds` marks the present row."""

    least: str
    count: str
    note: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Surfacing:
    """Surfacing section: sentence, and table, highest row first."""

    sentence: str
    rows: tuple[TableRow, ...]


def surfacing(inspection: Inspection, settings: Settings) -> Surfacing:
    """Return what an inspection would surface under these settings."""
    threshold = settings.search_intent.surfacing_threshold
    intent = inspection.intent
    now = surfacing_row(intent.confidence, threshold) if intent is not None else None
    is_off = not settings.search_intent.enabled
    return Surfacing(
        _sentence(inspection, now, settings),
        tuple(_row(row, threshold, holds=row is now, is_off=is_off) for row in SURFACING),
    )


def has_type(inspection: Inspection, settings: Settings | None) -> bool:
    """Check if the type of a query reaches the threshold of answers (S8.5)."""
    intent = inspection.intent
    return intent is not None and (settings is None or intent.confidence >= settings.fallback_threshold)


def surfacing_limits(*thresholds: float) -> tuple[float, ...]:
    """Return the confidences at which surfacing changes; displayed numbers must not cross them."""
    return (*thresholds, *(row.least for row in SURFACING))


def _sentence(inspection: Inspection, now: SurfacingRow | None, settings: Settings) -> str:
    threshold, certain = settings.search_intent.surfacing_threshold, settings.search_intent.certain_confidence
    otherwise = f"{numbers.chance(certain)} is needed to be injected."
    if inspection.intent is None or (now is None and not has_type(inspection, settings)):
        return f"No type is detected: {otherwise}" if certain else "Nothing is injected: no type is detected."
    confidence, needed = inspection.intent.confidence, max(threshold, SURFACING[-1].least)
    type_has = f"the type has {numbers.chance(confidence, surfacing_limits(threshold))}"
    if now is not None:
        beyond = "the threshold itself" if confidence == threshold else f"above {numbers.chance(threshold)}"
        most = plural(now.count, "At most {n} memory is injected", "At most {n} memories are injected")
        return f"{most}: {type_has}, {beyond}."
    below = f"{type_has}, below {numbers.chance(needed)}"
    return f"T{below[1:]}: {otherwise}" if certain else f"Nothing is injected: {below}."


def coverage_sentence(count: int, covered: float | None, wanted: float) -> str:
    """Format reached and wanted coverage; "" if it does not decide, or nothing is injected."""
    if covered is None or not count:
        return ""
    said = plural(count, "{n} memory is", "{n} memories are")
    enough = "is enough" if covered >= wanted else "would be enough"
    return f"{said} {numbers.chance(covered, (wanted,))} likely to answer; {numbers.chance(wanted)} {enough}."


def _row(row: SurfacingRow, threshold: float, *, holds: bool, is_off: bool) -> TableRow:
    note = ""
    if is_off:
        note = "detection is off"
    elif is_dead(row, threshold):
        note = "below threshold"
    elif threshold > row.least:
        note = f"only from {numbers.chance(threshold)}"
    return TableRow(numbers.chance(row.least), quantity(row.count, "memory", "memories"), note, holds)


# --------------------------------------------------------------------------------------------------------------------
# Surfaced memories as rows: order, arithmetic, tokens, cut, and rank changes

MOST_DIGITS, SLIGHT = 6, 0.01


@dataclass(frozen=True, slots=True)
class ContextRow:
    """One memory: rank, rank change by weights, arithmetic and tokens.

    `why` is the reason why it is left out, "" if it is surfaced.
    """

    rank: str
    move: int
    name: str
    namespace: str
    confidence: str
    weight: str
    product: str
    tokens: str
    why: str

    @property
    def is_inside(self) -> bool:
        return not self.why

    @property
    def is_slight(self) -> bool:
        return float(self.confidence.removeprefix("<")) < SLIGHT


@dataclass(frozen=True, slots=True)
class ContextList:
    """List of memories: `inside` rows, cut lines with the rows below, unscored ones, and totals."""

    inside: tuple[ContextRow, ...]
    cuts: tuple[tuple[str, tuple[ContextRow, ...]], ...]
    aside: tuple[ContextRow, ...]
    tokens: str
    remark: str


def context_list(surfaced: Surfaced, sentence: str, before: Mapping[int | None, int] | None = None) -> ContextList:
    """Make the rows of a query's surfaced memories; `sentence` describes the intent's effect.

    Moves are counted from the ranks `before`, by default from those by confidence alone.
    """
    inside = [entry for entry in surfaced.entries if entry.cut is None]
    outside = surfaced.entries[len(inside) :]
    groups = [
        group
        for cuts in _IN_ORDER
        if (group := [entry for entry in outside if (entry.cut in cuts if cuts else entry.cut not in _ENOUGH)])
    ]
    return ContextList(
        tuple(_list_row(entry, surfaced, before) for entry in inside),
        tuple(
            (_cut(surfaced, group[0], sentence), tuple(_list_row(entry, surfaced, before) for entry in group))
            for group in groups
        ),
        tuple(_context_row(one, cut, surfaced) for one, cut in surfaced.set_aside),
        f"{numbers.count(surfaced.tokens)} of {numbers.count(surfaced.limits.tokens)} tokens",
        _remark(surfaced),
    )


_FULL, _COVERED = (Cut.COUNT, Cut.BUDGET), (Cut.COVERED,)
"""Cuts of memories that are confident enough; less confident ones are listed after them."""

_ENOUGH, _IN_ORDER = (*_FULL, *_COVERED), (_FULL, _COVERED, ())


def rules_of_surfacing(settings: Settings) -> str:
    """Return the conditions for surfacing in a sentence, and if success counts in the order."""
    wanted = settings.search_intent
    said = [_rules_of_entry(settings)]
    if wanted.surfacing_coverage:
        enough = numbers.chance(wanted.surfacing_coverage)
        said.append(
            "Two intents are injected together if one of them is almost certainly right. "
            f"As few memories are injected as reach {enough} together, with similar ones of their intents."
        )
    if counts := wanted.surfacing_success:
        lowest, highest = (weight_text(success_factor(score, counts)) for score in (0.0, 1.0))
        said.append(f"Success counts: the weight times {lowest} at 0, times {highest} at 1.")
    return " ".join(said)


def _rules_of_entry(settings: Settings) -> str:
    wanted = settings.search_intent
    least, certain = numbers.chance(wanted.surfacing_confidence), numbers.chance(wanted.certain_confidence)
    what = "intents" if wanted.surfacing_coverage else "memories"
    with_type = (
        f"If the type has at least {_threshold(settings)}, {what} from {least} on are injected."
        if wanted.surfacing_confidence
        else f"If the type has at least {_threshold(settings)}, {what} of any confidence are injected."
    )
    if not wanted.certain_confidence:
        return f"{with_type} Without a type nothing is injected."
    return f"{with_type} From {certain} on, the type does not matter."


def _threshold(settings: Settings) -> str:
    return numbers.chance(max(settings.search_intent.surfacing_threshold, SURFACING[-1].least))


def surfacing_document(surfaced: Surfaced) -> dict[str, object]:
    """Make the JSON document of the limits, and of the memories left out."""
    limits = surfaced.limits
    out = [(entry.weighed, entry.cut) for entry in surfaced.entries if entry.cut is not None]
    return {
        "limits": {
            "type": limits.threshold,
            **fields_of(limits, "confidence", "certain", "success", "tokens"),
            "memories": most_surfaced(surfaced.row),
            "coverage": limits.coverage,
        },
        "covered": surfaced.covered,
        "cut": [
            {
                "id": one.memory.id,
                "name": one.memory.name,
                "confidence": one.confidence,
                "product": one.product,
                "why": cut.value,
            }
            for one, cut in (*out, *surfaced.set_aside)
        ],
    }


def surfaced_document(surfaced: Surfaced) -> list[dict[str, object]]:
    return [
        {
            "rank": entry.rank,
            **fields_of(entry.memory, "id", "name", "namespace"),
            **fields_of(entry.weighed, "confidence", "weight", "product"),
            **fields_of(entry, "tokens", "total"),
        }
        for entry in surfaced.inside
    ]


def memory_ranks(surfaced: Surfaced) -> dict[int | None, int]:
    """Return the rank of each listed memory by its key."""
    return {entry.memory.key: entry.rank for entry in surfaced.entries}


def weight_text(weight: float) -> str:
    return f"{weight:.10g}"


def _list_row(entry: Entry, surfaced: Surfaced, before: Mapping[int | None, int] | None) -> ContextRow:
    old = entry.plain_rank if before is None else before.get(entry.memory.key, entry.rank)
    row = _context_row(entry.weighed, entry.cut, surfaced)
    return replace(row, rank=str(entry.rank), move=old - entry.rank, tokens=numbers.count(entry.tokens))


def _context_row(one: Weighed, cut: Cut | None, surfaced: Surfaced) -> ContextRow:
    """Return the row of a memory without a rank."""
    confidence, product = _equation(one)
    why = "" if cut is None else exclusion_reason(cut, surfaced)
    name, weight = words.full_title(one.memory, 32), weight_text(one.weight)
    return ContextRow("", 0, name, one.memory.namespace, confidence, weight, product, "", why)


LAPSE_WORDS: Mapping[Cut, str] = {
    Cut.EXPIRED: "no longer valid",
    Cut.REPLACED: "replaced by another memory",
    Cut.NOT_YET: "not valid yet",
}
"""Reasons why a memory outside its validity is left out."""


_REASONS: Mapping[Cut, str] = {
    **LAPSE_WORDS,
    Cut.PAUSED: "paused",
    Cut.NAMESPACE: "another namespace",
    Cut.SILENT: "no response",
    Cut.THRESHOLD: "type below the threshold",
    Cut.LABEL: "below the threshold of its intent",
    Cut.COVERED: "covered by those above",
    Cut.BUDGET: "over the budget",
}


def exclusion_reason(cut: Cut, surfaced: Surfaced) -> str:
    """Return why a memory is left out, in a few words."""
    if cut in _REASONS:
        return _REASONS[cut]
    if cut is Cut.SUCCESS:
        return f"success below {numbers.fixed(surfaced.limits.success)}"
    if cut is Cut.CONFIDENCE:
        return f"confidence below {numbers.chance(surfaced.limits.confidence)}"
    return f"beyond the first {most_surfaced(surfaced.row)}"


def _cut(surfaced: Surfaced, first: Entry, sentence: str) -> str:
    if first.cut is Cut.BUDGET:
        return (
            f"Cut by the budget: the next memory would make it {numbers.count(first.total)} of "
            f"{numbers.count(surfaced.limits.tokens)} tokens."
        )
    if first.cut is Cut.COVERED:
        covered = coverage_sentence(len(surfaced.inside), surfaced.covered, surfaced.limits.coverage)
        return f"The rest is not needed: {covered or 'the memories above are enough.'}"
    if first.cut is Cut.CONFIDENCE:
        return f"Not injected: confidence below {numbers.chance(surfaced.limits.confidence)}, whatever the weight."
    if first.cut is Cut.LABEL:
        return "Below the threshold of their intent: not injected."
    if first.cut is Cut.COUNT:
        count = most_surfaced(surfaced.row)
        return f"Cut by the count: at most {plural(count, '{n} memory is', '{n} memories are')} injected."
    return sentence


def _remark(surfaced: Surfaced) -> str:
    all_ = numbers.count(surfaced.memories)
    looked = f"Memories compared for this order, which is exact: {numbers.count(surfaced.pool)} of {all_}."
    head = f"The line above the memories takes {quantity(surfaced.head_tokens, 'token')}."
    return " ".join(filter(None, (f"Tokens: {surfaced.counted_by}.", surfaced.count_fault, head, looked)))


def _equation(one: Weighed) -> tuple[str, str]:
    """Format confidence and product, with enough digits to be consistent."""
    product = round(one.product, numbers.SCORE_DIGITS)
    for digits in range(numbers.SCORE_DIGITS, MOST_DIGITS + 1):
        if round(round(one.confidence, digits) * one.weight, numbers.SCORE_DIGITS) == product:
            break
    return _operand(one.confidence, digits), _operand(one.product)


def _operand(value: float, digits: int = numbers.SCORE_DIGITS) -> str:
    """Format a factor; a tiny one is not shown as 0."""
    return numbers.fixed(value, digits) if not value or round(value, digits) else f"<{10**-digits:.{digits}f}"
