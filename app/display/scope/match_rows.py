"""Rows of an answer, one per match, and cards of powers and route."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING

from app.display import numbers, words
from app.display.scope.arithmetic import Line, Reason, line, reason_lines, reason_of
from app.display.scope.contributions import Contribution, contributions
from app.display.words import Level
from app.domain.inspection import METHODS, REFUSED, WEAK, Inspection, Resolution, RouteDecision, TierChances
from app.domain.language import plural, quantity
from app.domain.library import Answer, Kind, Memory, Power
from app.domain.match import BAND_WORDS, TIER_WORDS, Band, Match, Tier
from app.domain.route import RouteIntent, RouteMethod, is_fallback
from app.domain.running import ActivationBlocker, activation_blocker
from app.scoring.scorers import SCORERS

if TYPE_CHECKING:
    from app.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Cell:
    """One score of a row: bar length (None if absent), and if it decides.

    A stale cell is from the answer before, dimmed until the new one arrives.
    """

    scorer: str
    value: float | None
    decides: bool
    stale: bool = False

    @property
    def text(self) -> str:
        return numbers.score(self.value)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One match as shown. `key` identifies the answer across inspections.

    `more` counts the other memories of its label.
    """

    key: str
    kind: Kind
    name: str
    level: Level | None
    level_word: str
    trigger: str
    cells: tuple[Cell, ...]
    confidence: str
    lead: str
    match: Match = field(compare=False, repr=False)
    more: str = ""
    starts_list: bool = False
    """True for the first row of a list below another list."""
    share: str = ""
    """Confidence in percent."""
    outcome: str = ""
    """Outcome: "Would be injected", "Not injected", "Not offered", a tier, or why there is none."""
    is_injected: bool = False
    ends_injected: bool = False
    """True for the last memory that would be injected."""

    @property
    def is_found(self) -> bool:
        """True if the match reaches its threshold or is injected; others must not look like winners."""
        return self.is_injected or self.match.is_found

    @property
    def shows_outcome(self) -> bool:
        """False for a match below its threshold, whose outcome has no glyph."""
        return self.match.lapse is not None or self.is_found or self.level not in words.UNREACHED

    def cell(self, scorer: str) -> Cell | None:
        """Return the cell of a scorer; None if it was not used."""
        return next((cell for cell in self.cells if cell.scorer == scorer), None)

    def cells_of(self, scorers: Iterable[str]) -> list[Cell]:
        """Return a cell for each of these scorers, absent where it was not used."""
        return [self.cell(key) or Cell(key, None, decides=False) for key in scorers]


def limits_of(match: Match, settings: Settings | None) -> tuple[float, ...]:
    """Return the confidences at which a match's status changes, the minimum of an answer first."""
    if settings is None:
        return ()
    if match.kind is Kind.MEMORY:
        return settings.memory_limits(match.threshold)
    return settings.tiers.weak, settings.tiers.medium, settings.tiers.high


def match_rows(
    inspection: Inspection, settings: Settings | None, shown: Sequence[Match] | None = None
) -> tuple[MatchRow, ...]:
    """Make the rows of these matches; by default of all memories, then of all powers."""
    by_label = any(match.others for match in inspection.matches) or (
        settings is not None and settings.group_matches == "label"
    )
    leaders = (inspection.memories[:1], inspection.powers[:1])
    credited = {
        answer_key(one): reason_of(inspection, one).credited for first in leaders for one in first if one.is_found
    }
    return tuple(
        _row(match, limits_of(match, settings), credited.get(answer_key(match), ()), by_label=by_label)
        for match in (inspection.matches if shown is None else shown)
    )


LISTED_TOGETHER: Mapping[Kind, tuple[int, int]] = {Kind.MEMORY: (3, 5), Kind.POWER: (2, WEAK)}
"""Rows of each list if both share a table: minimum, and maximum if that many are found."""


def together(matches: Sequence[Match], times: int = 1, room: int = 0) -> list[Match]:
    """Return the first matches of both lists, so that neither hides the other.

    Few of them are not found. `times` as many are listed where there is room for them, and twice if there is one list.
    If only `room` are seen at once (0: any number), a third of them are powers, at least one; of one, only the list
    with a found answer is shown, memories first.
    """
    times *= 3 - min(2, len({match.kind for match in matches}))
    lists = []
    for kind, counts in LISTED_TOGETHER.items():
        own, (least, most) = [one for one in matches if one.kind is kind], (times * count for count in counts)
        lists.append(own[: min(most, max(least, sum(one.is_found for one in own)))])
    memories, powers = lists
    if room == 1 and memories and powers:
        return memories if any(one.is_found for one in memories) or not powers[0].is_found else powers
    if room and memories and powers and len(memories) + len(powers) > room:
        powers = powers[: max(1, room // 3, room - len(memories))]
        memories = memories[: max(1, room - len(powers))]
    return [*memories, *powers]


def with_stale_scores(rows: tuple[MatchRow, ...], before: tuple[MatchRow, ...]) -> tuple[MatchRow, ...]:
    """Fill missing scores from the same answers' previous rows, as stale."""
    shown = {(row.key, cell.scorer): cell for row in before for cell in row.cells if cell.value is not None}

    def filled(row: MatchRow, cell: Cell) -> Cell:
        old = shown.get((row.key, cell.scorer)) if cell.value is None else None
        return cell if old is None else replace(old, decides=False, stale=True)

    return tuple(replace(row, cells=tuple(filled(row, cell) for cell in row.cells)) for row in rows)


def answer_key(match: Match) -> str:
    """Return the key that identifies a match's answer: kind and number, otherwise name."""
    return key_of_answer(match.answer)


def key_of_answer(answer: Answer) -> str:
    return f"{answer.kind}:{answer.key if answer.key is not None else answer.name}"


def scorer_keys(inspection: Inspection | None) -> tuple[str, ...]:
    """Return the scorers of any match, in column order."""
    if inspection is not None and inspection.matches:
        asked = {key for match in inspection.matches for key in match.scores}
        return (*(key for key in SCORERS if key in asked), *sorted(asked - SCORERS.keys()))
    return tuple(SCORERS)


LEXICAL: Mapping[str, frozenset[str]] = {"learned": frozenset({"exact", "fuzzy", "token_overlap"})}
"""Scorers that only count without vectors, by combination."""


def ignored_scorers(inspection: Inspection) -> frozenset[str]:
    """Return the scorers that decide no match and cannot under this combination.

    Their columns are hidden first if space is short.
    """
    named = [LEXICAL.get(combination, frozenset()) for combination in inspection.combination.values()]
    decided = {key for match in inspection.matches for key in match.winners}
    return frozenset.intersection(*named) - decided if named else frozenset()


def level_of(match: Match) -> Level | None:
    """Return the match's level: a band for a memory; a tier for a power, or what it lacks to be activated."""
    return power_level(match.answer, match.tier) if isinstance(match.answer, Power) else match.band


def power_level(power: Power, tier: Tier | None) -> Level | None:
    """Return the tier of a power, or what it lacks to be activated although it is confident enough."""
    return (activation_blocker(power) if tier is Tier.ACTIVATED else None) or tier


def level_word(level: Level | None) -> str:
    """Return the word for a level; "" for None."""
    if isinstance(level, Band):
        return BAND_WORDS[level]
    if isinstance(level, Tier):
        return TIER_WORDS[level]
    return "" if level is None else words.SHORT_LACKS[level]


def match_word(match: Match) -> str:
    """Return the word for a match's level, or for why a memory is not valid."""
    return level_word(level_of(match)) if match.lapse is None else words.LAPSES[match.lapse.kind]


@dataclass(frozen=True, slots=True)
class BestTrigger:
    """A trigger with the scorers whose best score it gave."""

    scorers: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class AbsentScorer:
    """A scorer without a score, and the reason."""

    scorer: str
    reason: str


@dataclass(frozen=True, slots=True)
class MatchDetails:
    """All details of one match; `reason` explains its rank in its list."""

    row: MatchRow
    subtitle: str
    use: str
    lines: tuple[Line, ...]
    reason: Reason
    limits: tuple[float, ...]
    best: tuple[BestTrigger, ...]
    absent: tuple[AbsentScorer, ...]
    parts: tuple[Contribution, ...]
    response: str
    triggers: tuple[tuple[str, str], ...]


def match_details(inspection: Inspection, match: Match, settings: Settings | None) -> MatchDetails:
    limits = limits_of(match, settings)
    reason = reason_of(inspection, match)
    lines = [line(step, limits) for step in match.steps]
    return MatchDetails(
        _row(match, limits, reason.credited if reason.lead > 0.0 else ()),
        _subtitle(match),
        _use(match),
        (*lines[:-1], *reason_lines(reason), *lines[-1:]),
        reason,
        limits[:3],
        _best_triggers(match),
        _absent(inspection, match),
        contributions(inspection.query.scored, match),
        _response(match),
        tuple((scored.text, numbers.score(scored.scores.get("semantic"))) for scored in match.triggers),
    )


def _row(match: Match, limits: Sequence[float], credited: Sequence[str], *, by_label: bool = False) -> MatchRow:
    """Make a row with the `credited` scorers marked; `by_label` titles it with the intent."""
    level = level_of(match)
    answer = match.answer
    title = (answer.answer_label if by_label else None) or words.title(answer)
    grouped = f"{answer.name} and {match.others} more" if match.others and match.kind is Kind.MEMORY else ""
    return MatchRow(
        answer_key(match),
        match.kind,
        title,
        level,
        match_word(match),
        match.trigger,
        tuple(Cell(name, value, name in credited) for name, value in match.scores.items()),
        numbers.score(match.confidence, limits),
        numbers.signed(match.lead),
        match,
        grouped or ("" if by_label or title == answer.name else f"“{answer.name}”"),
        share=numbers.rough_chance(match.confidence, limits),
        outcome=match_word(match),
    )


def _subtitle(match: Match) -> str:
    answer = match.answer
    if isinstance(answer, Memory):
        if words.title(answer) != answer.name:
            return f"“{answer.name}”"
        return f"intent {answer.intent}" if answer.intent else ""
    blocker = activation_blocker(answer)
    if blocker is None:
        return "approved" if answer.approved else ""  # a text needs no approval
    return "not approved" if blocker is ActivationBlocker.APPROVAL else "no command"


def _use(match: Match) -> str:
    """Return the success of a memory, or the contents of a power."""
    answer = match.answer
    if isinstance(answer, Memory):
        return f"success {words.success_text(answer)}, {words.marked_right(answer)}"
    tools = quantity(len(answer.tools), "tool")
    return f"{tools}, {quantity(len(answer.keywords), 'keyword')}"


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
    """Return the scorers without a score (S2.9), each with its reason."""
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


def _response(match: Match) -> str:
    answer = match.answer
    if isinstance(answer, Memory):
        return answer.response
    return "\n".join(f"{tool.name}: {tool.description}" if tool.description else tool.name for tool in answer.tools)


@dataclass(frozen=True, slots=True)
class Card:
    """Badge, name in bold, text after it, and a sentence below."""

    level: Level | None
    badge: str
    name: str
    rest: str
    sentence: str
    color: str = ""
    """Colour of the named route; "" for none."""
    is_fallback: bool = False
    """True if nothing decided the route."""


def power_card(
    inspection: Inspection, settings: Settings | None, *, is_untaught: bool = False, is_typing: bool = True
) -> Card | None:
    """Make the card of powers; None without a resolution.

    `is_untaught`: there are no powers. `is_typing`: say that nothing starts while the query is typed.
    """
    resolution = inspection.resolution
    if resolution is None:
        return None
    level: Level | None = resolution.status
    if resolution.matches and not resolution.started:
        level = power_level(resolution.matches[0].power, resolution.status)
    badge = "Activated" if resolution.started else level_word(level)
    if is_untaught and not resolution.matches and not resolution.available:
        said = "No powers are taught yet: add one on their page (Ctrl+3)."
        return Card(level, badge, "", said, "A power is what an assistant can start.")
    if not resolution.matches:
        why = "" if REFUSED in inspection.notes else _sentence(resolution, settings, is_typing=is_typing)
        return Card(level, badge, "", _nothing(resolution), why)
    first = resolution.matches[0]
    limits = (settings.tiers.weak, settings.tiers.medium, settings.tiers.high) if settings else ()
    rest = " " + numbers.rough_chance(first.confidence, limits) + _ahead(inspection)
    return Card(level, badge, first.power.name, rest, _sentence(resolution, settings, is_typing=is_typing))


def can_start(inspection: Inspection) -> bool:
    """Check if the first power is confident and has a command; approval is requested later."""
    resolution = inspection.resolution
    if resolution is None or resolution.status is not Tier.ACTIVATED:
        return False
    return activation_blocker(resolution.matches[0].power) is not ActivationBlocker.COMMAND


_LACKS = {
    ActivationBlocker.APPROVAL: "is not approved",
    ActivationBlocker.COMMAND: "has neither a command nor an address",
}

_MOST_DECIMALS = 12
"""Maximum decimals of a percentage; a sum still too near to a threshold is shown as equal."""

ADVICE = "No store is connected; the embedded one answers."
NO_POWERS = "No power is in use: the library has none, or all are paused."


def route_card(route: RouteDecision, settings: Settings | None = None, *, is_run: bool = False) -> Card:
    """Make the route's card: intent, stores (if connected) and confidence; method as badge.

    With `is_run` the note that no store is connected is left out.
    """
    is_there = settings is not None and settings.route.has_any_store
    stores = f" to {', '.join(route.databases)}" if is_there else ""
    advice, method = "" if is_there or is_run else f" {ADVICE}", method_word(route)
    badge = method if route.is_final else f"{method}, so far"
    color = "" if settings is None else settings.all_routes.color_of(route.intent)
    if is_safe_choice(route):
        sentence = f"{safe_words(route)}.{advice}"
        return Card(None, badge, route.intent, stores, sentence, color, is_fallback=True)
    rest = f"{stores}, {numbers.rough_chance(route.confidence)}"
    return Card(None, badge, route.intent, rest, f"{route.reasoning}{advice}", color)


def is_safe_choice(route: RouteDecision) -> bool:
    """Check if nothing decided and the route is the fallback; its confidence means nothing."""
    return is_fallback(route.method, route.confidence) and bool(route.steps)


def method_word(route: RouteDecision) -> str:
    """Return what decided a route, short enough for a badge."""
    return "fallback" if is_safe_choice(route) else METHODS[RouteMethod(route.method)]


def safe_words(route: RouteDecision) -> str:
    """Return a phrase on the fallback, without a full stop."""
    if route.intent != RouteIntent.VECTOR:
        return f"Nothing decided, so it falls back to {route.intent}"
    return "Nothing decided, so it falls back to vector search"


def _ahead(inspection: Inspection) -> str:
    powers = [match for match in inspection.matches if match.kind is Kind.POWER]
    if len(powers) < 2:
        return ""
    own, other, name = powers[0].confidence, powers[1].confidence, powers[1].answer.name
    return f", level with {name}" if own == other else f", {numbers.points_apart(own, other)} ahead of {name}"


def _nothing(resolution: Resolution) -> str:
    if not resolution.available:
        return NO_POWERS
    return plural(len(resolution.available), "{n} power is available.", "{n} powers are available.")


def _sentence(resolution: Resolution, settings: Settings | None, *, is_typing: bool) -> str:
    while_typing = " Nothing starts while you type." if is_typing else ""
    if settings is None:
        return ""
    if resolution.tied:
        return f"Not activated: a second power is within {numbers.points(settings.tiers.ambiguity_margin)}."
    if resolution.chances is not None:
        high = numbers.chance(settings.tiers.high)
        return f"{chances_sentence(resolution.status, resolution.chances, settings)} Needs {high} to activate."
    lack = activation_blocker(resolution.matches[0].power) if resolution.status is Tier.ACTIVATED else None
    if lack is not None and not resolution.started:
        return f"It reaches {numbers.chance(settings.tiers.high)}, but {_LACKS[lack]}.{while_typing}"
    if resolution.status is Tier.NOT_FOUND:
        return (
            f"A weak match needs {numbers.chance(settings.tiers.weak)}.{while_typing}" if resolution.available else ""
        )
    said = "It reaches {}." if resolution.status is Tier.ACTIVATED else "Needs {} to activate."
    return f"{said.format(numbers.chance(settings.tiers.high))}{while_typing}"


def chances_sentence(status: Tier, chances: TierChances, settings: Settings) -> str:
    """Return the chances of the tiers, and the limits that decided the tier."""
    tiers = settings.tiers
    shown = _adding_up(chances, tiers.medium, tiers.weak)
    exact = (*chances.by_tier.values(), chances.served, chances.related)
    one, several, hint, nothing, served, related = map(numbers.rounded_chance, shown, exact)
    medium, weak = numbers.chance(tiers.medium), numbers.chance(tiers.weak)
    said = f"Chances: one power {one}, several {several}, a hint {hint}, none {nothing}."
    for_several = f"first two add up to {served}, several matches need {medium}"
    if status is Tier.MULTIPLE_MATCHES:
        return f"{said} The {for_several}."
    for_weak = f"The first three add up to {related}, a weak match needs {weak}"
    return f"{said} {for_weak}; the {for_several}." if status is Tier.WEAK_MATCHES else f"{said} {for_weak}."


def _adding_up(chances: TierChances, medium: float, weak: float) -> tuple[Decimal, ...]:
    """Return four chances in percent and the sums of the first two and three, rounded.

    The four add up to 100, the sums add up, and each sum stays on its side of its threshold.
    """
    exact = [100.0 * part for part in chances.by_tier.values()]
    shown = _rounded(exact, 0)
    for digits in range(1, _MOST_DECIMALS):
        sides = ((shown[4], chances.served, medium), (shown[5], chances.related, weak))
        if all((float(sum_) >= 100.0 * limit) == (value >= limit) for sum_, value, limit in sides):
            break
        shown = _rounded(exact, digits)
    return shown


def _rounded(exact: Sequence[float], digits: int) -> tuple[Decimal, ...]:
    """Round the sums of four parts of 100; return the parts by these, and both sums.

    So the first chance and both sums are as they are elsewhere.
    """
    unit = Decimal(1).scaleb(-digits)
    one, served, related = (Decimal(sum_).quantize(unit) for sum_ in accumulate(exact[:3]))
    return one, served - one, related - served, 100 - related, served, related
