"""The rows of an answer: one per match, ready to be drawn or printed, with nothing left to work out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.scope.matches.arithmetic import Line, line
from app.display.scope.matches.contributions import Contribution, contributions
from app.display.scope.matches.reasons import Reason, reason_lines, reason_of
from app.domain.language import plural
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import BAND_WORDS, TIER_WORDS, Band, Match, Tier
from app.domain.running import activation_blocker
from app.domain.scope.inspection import Inspection
from app.scoring.scorers import SCORERS

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Cell:
    """One score of one row: where its bar ends (None: absent), its number, and if it put the row ahead.

    A stale one is of the answer before, shown dimmed while the new one is on its way.
    """

    scorer: str
    value: float | None
    text: str
    decides: bool
    stale: bool = False


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One match as it is shown. `key` tells the same answer apart from others across inspections; `label`, if any, is
    shown instead of a trigger that is the name itself; `more` counts the other memories of its label that the match
    stands for."""

    key: str
    kind: Kind
    name: str
    level: Band | Tier | None
    level_word: str
    trigger: str
    cells: tuple[Cell, ...]
    confidence: str
    lead: str
    match: Match = field(compare=False, repr=False)
    label: str = ""
    more: str = ""
    starts_list: bool = False
    """Whether it is the first of its list below another list."""
    share: str = ""
    """The confidence in percent."""
    outcome: str = ""
    """What comes of it: that it would be injected, else its band or tier."""
    is_injected: bool = False
    ends_injected: bool = False
    """Whether it is the last memory that would be injected."""

    @property
    def is_found(self) -> bool:
        """Whether the match is near enough to answer at all; one that is not must never look like a winner."""
        return self.match.is_found

    @property
    def behind(self) -> str:
        """What is shown instead of the trigger; "" where the trigger is shown."""
        return self.more or self.label

    def cell(self, scorer: str) -> Cell | None:
        """The cell of a scorer; None if it was not asked."""
        for cell in self.cells:
            if cell.scorer == scorer:
                return cell
        return None


def thresholds(settings: Settings | None, kind: Kind) -> tuple[float, ...]:
    """The confidences at which something changes for this kind of answer, lowest first."""
    if settings is None:
        return ()
    if kind is Kind.POWER:
        return (settings.tiers.weak, settings.tiers.medium, settings.tiers.high)
    return (settings.fallback_threshold, settings.bands.medium, settings.bands.high)


def limits_of(match: Match, settings: Settings | None) -> tuple[float, ...]:
    """The confidences at which something changes for this match, lowest first; its label's own threshold among them."""
    least, *others = thresholds(settings, match.kind) or (0.0,)
    if settings is None:
        return ()
    return (least, *others) if match.threshold is None else (match.threshold, *others)


def match_rows(inspection: Inspection, settings: Settings | None) -> tuple[MatchRow, ...]:
    """All memories, then all powers, best first each; the scorers that put a found leader ahead are marked."""
    by_label = any(match.others for match in inspection.matches) or (
        settings is not None and settings.group_matches == "label"
    )
    leaders = (inspection.memories[:1], inspection.powers[:1])
    credited = {
        answer_key(one): reason_of(inspection, one).credited for first in leaders for one in first if one.is_found
    }
    return tuple(
        _row(match, limits_of(match, settings), credited.get(answer_key(match), ()), by_label=by_label)
        for match in inspection.matches
    )


LISTED_TOGETHER: Mapping[Kind, int] = {Kind.MEMORY: 6, Kind.POWER: 4}
"""Number of rows of each list that are shown where both share one table."""


def together(rows: Sequence[MatchRow]) -> tuple[MatchRow, ...]:
    """The first rows of both lists, so that neither hides the other."""
    lists = {kind: [row for row in rows if row.kind is kind][:most] for kind, most in LISTED_TOGETHER.items()}
    memories, powers = lists[Kind.MEMORY], lists[Kind.POWER]
    first = [replace(row, starts_list=bool(memories)) for row in powers[:1]]
    return (*memories, *first, *powers[1:])


def with_stale_scores(rows: tuple[MatchRow, ...], before: tuple[MatchRow, ...]) -> tuple[MatchRow, ...]:
    """The rows with what they lack taken from the rows of the same answers before, as stale."""
    shown = {row.key: row for row in before}
    return tuple(_held_over(row, shown[row.key]) if row.key in shown else row for row in rows)


def _held_over(row: MatchRow, before: MatchRow) -> MatchRow:
    cells = []
    for cell in row.cells:
        old = before.cell(cell.scorer) if cell.value is None else None
        cells.append(cell if old is None or old.value is None else replace(old, decides=False, stale=True))
    return replace(row, cells=tuple(cells))


def answer_key(match: Match) -> str:
    """What tells an answer apart: its kind and the store's number, else its name."""
    return key_of_answer(match.answer)


def key_of_answer(answer: Answer) -> str:
    """What tells an answer apart, from the answer itself."""
    return f"{answer.kind}:{answer.key if answer.key is not None else answer.name}"


def scorer_keys(inspection: Inspection | None) -> tuple[str, ...]:
    """The scorers in the order of their columns: those that were asked for any of the matches."""
    if inspection is not None and inspection.matches:
        asked = {key for match in inspection.matches for key in match.scores}
        return (*(key for key in SCORERS if key in asked), *sorted(asked - SCORERS.keys()))
    return tuple(SCORERS)


LEXICAL: Mapping[str, frozenset[str]] = {"learned": frozenset({"exact", "fuzzy", "token_overlap"})}
"""By combination the scorers that do not count where others have a score; without vectors the best of them does."""


def ignored_scorers(inspection: Inspection) -> frozenset[str]:
    """The scorers that decide no confidence of these matches and by their combination cannot, as long as vectors are
    there: where room is short their columns go first."""
    named = [LEXICAL.get(combination, frozenset()) for combination in inspection.combination.values()]
    decided = {key for match in inspection.matches for key in match.winners}
    return frozenset.intersection(*named) - decided if named else frozenset()


def level_of(match: Match) -> Band | Tier | None:
    """How good the match is: a band for a memory, a tier for a power."""
    return match.tier if match.kind is Kind.POWER else match.band


def level_word(level: Band | Tier | None, *, short: bool = False) -> str:
    """The word for a band or tier."""
    if isinstance(level, Band):
        return BAND_WORDS[level]
    if isinstance(level, Tier):
        return (words.SHORT_TIERS if short else TIER_WORDS)[level]
    return ""


def lack_text(power: Power) -> str:
    """What a power that is sure enough lacks before it can be activated, in a word or two; "" for nothing."""
    lack = activation_blocker(power)
    return "" if lack is None else words.SHORT_LACKS[lack]


def match_word(match: Match, *, short: bool = True) -> str:
    """The word for how good a match is; of a power that is sure enough, but lacks something, what that is."""
    answer = match.answer
    if match.lapse is not None:
        return words.LAPSES[match.lapse.kind]
    missing = lack_text(answer) if isinstance(answer, Power) and match.tier is Tier.ACTIVATED else ""
    return missing or level_word(level_of(match), short=short)


@dataclass(frozen=True, slots=True)
class BestTrigger:
    """A trigger with the scorers whose best it gave."""

    scorers: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class AbsentScorer:
    """A scorer without a score, and why it has none."""

    scorer: str
    reason: str


@dataclass(frozen=True, slots=True)
class MatchDetails:
    """Everything about one match, from its title to its triggers; `reason` says why it is where it is in its list."""

    row: MatchRow
    subtitle: str
    lines: tuple[Line, ...]
    reason: Reason
    limits: tuple[float, ...]
    best: tuple[BestTrigger, ...]
    absent: tuple[AbsentScorer, ...]
    parts: tuple[Contribution, ...]
    response_title: str
    response: str
    triggers: tuple[tuple[str, str], ...]


def match_details(inspection: Inspection, match: Match, settings: Settings | None) -> MatchDetails:
    """One match in full."""
    limits = thresholds(settings, match.kind)
    title, response = _response(match)
    reason = reason_of(inspection, match)
    return MatchDetails(
        _row(match, limits, reason.credited if reason.lead > 0.0 else ()),
        _subtitle(match),
        _lines(match, reason, limits),
        reason,
        limits,
        _best_triggers(match),
        _absent(inspection, match),
        contributions(inspection.query.scored, match),
        title,
        response,
        tuple((scored.text, numbers.score(scored.scores.get("semantic"))) for scored in match.triggers),
    )


def _row(match: Match, limits: Sequence[float], credited: Sequence[str], *, by_label: bool = False) -> MatchRow:
    """One row; `credited` scorers are marked, and with `by_label` it is called by the label that it stands for."""
    level = level_of(match)
    label = match.answer.answer_label if by_label else None
    return MatchRow(
        answer_key(match),
        match.kind,
        label or match.answer.name,
        level,
        match_word(match),
        match.trigger,
        tuple(Cell(name, value, numbers.score(value), name in credited) for name, value in match.scores.items()),
        numbers.score(match.confidence, limits),
        numbers.signed(match.lead),
        match,
        "" if label else _label_of(match),
        _more_of(match),
        share=numbers.rough_chance(match.confidence, limits),
        outcome=match_word(match),
    )


def _lines(match: Match, reason: Reason, limits: Sequence[float]) -> tuple[Line, ...]:
    """The steps to the confidence, and before the last of them the contributions over the runner-up."""
    lines = [line(step, limits) for step in match.steps]
    return (*lines[:-1], *reason_lines(reason), *lines[-1:])


def _more_of(match: Match) -> str:
    """How many memories of its label it stands for beside itself, which is the nearest; "" for itself alone."""
    if not match.others or not isinstance(match.answer, Memory):
        return ""
    return f"{match.answer.name} and {match.others} more"


def _label_of(match: Match) -> str:
    """The label, where the trigger is the name itself and would only say the same again."""
    answer = match.answer
    if isinstance(answer, Memory) and answer.intent and match.trigger == answer.name:
        return f"intent {answer.intent}"
    return ""


def _subtitle(match: Match) -> str:
    answer = match.answer
    if isinstance(answer, Memory):
        parts = [
            answer.namespace,
            f"success {numbers.score(answer.success)}",
            words.marked_right(answer),
        ]
        if answer.intent:
            parts.insert(0, f"intent {answer.intent}")
        return ", ".join(parts)
    parts = [
        plural(len(answer.tools), "{n} tool", "{n} tools"),
        plural(len(answer.keywords), "{n} keyword", "{n} keywords"),
        "approved" if answer.approved else "not approved",
    ]
    return ", ".join(parts)


def _best_triggers(match: Match) -> tuple[BestTrigger, ...]:
    grouped: dict[str, list[str]] = {}
    for scorer, score in match.scores.items():
        if not score:
            continue
        text = match.best_trigger.get(scorer)
        if text is None and scorer == "centroid":
            text = plural(match.label_size, "its one trigger", "mean of {n} triggers")
        if text:
            grouped.setdefault(text, []).append(scorer)
    return tuple(BestTrigger(tuple(scorers), text) for text, scorers in grouped.items())


def _absent(inspection: Inspection, match: Match) -> tuple[AbsentScorer, ...]:
    """The scorers that gave no score (S2.9), each with its reason."""
    return tuple(
        AbsentScorer(scorer, inspection.absent.get(scorer) or _why_absent(scorer, match.kind))
        for scorer, score in match.scores.items()
        if score is None
    )


def _why_absent(scorer: str, kind: Kind) -> str:
    row = words.scorer(scorer)
    if kind not in row.kinds:
        return "Memories declare no keywords." if kind is Kind.MEMORY else "Not for powers."
    if scorer == "regression":
        return "Too few examples to learn from, or learning is not finished."
    if row.needs_encoder:
        return "The vectors are still being computed."
    return "It could not run."


def _response(match: Match) -> tuple[str, str]:
    answer = match.answer
    if isinstance(answer, Memory):
        return "Response", answer.response
    return "Tools", "\n".join(
        f"{tool.name}: {tool.description}" if tool.description else tool.name for tool in answer.tools
    )
