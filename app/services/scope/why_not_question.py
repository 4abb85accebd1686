"""Question why not, drafts of changes that would help, and the verdict on one answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.detect.keywords import CompiledRule
from app.detect.patterns import PatternError
from app.detect.surfacing import Cut, Surfaced
from app.detect.topics import topics
from app.domain.case import Task
from app.domain.inspection import MULTIPLE, WEAK
from app.domain.intent import IntentType, Rule, RuleHit, RulePurpose, intent_type
from app.domain.journal import Binned, ItemKey
from app.domain.library import Answer, Memory, Power
from app.domain.match import Breakdown, Match, Tier
from app.domain.why_not import (
    Action,
    ChangeSettings,
    Expectation,
    Injection,
    LostAt,
    ScorerGap,
    ValueChange,
    WhyNot,
)
from app.evaluation.evaluation import threshold_of
from app.ports.store import Library
from app.scoring.combiners import COMBINERS
from app.scoring.index.layout import utc_now
from app.scoring.index.ranking import Ranking, matches, tier_of
from app.scoring.index.scales import confidences, scale_for
from app.scoring.scorers import SCORERS
from app.scoring.shares import Shares
from app.scoring.text import without_punctuation
from app.services.evaluation.trial_snapshot import Trial, TrialSnapshot
from app.services.evaluation.trials import NameRanking, TaughtAnswers, TrialQuery
from app.services.scope.surfacing import injection_of, unscored_memories
from app.settings.model import Settings, SettingsError, value_of

MOST_PER_FAMILY = 2
"""Limit of shown changes of one family, such as combinations."""

MOST_LEARNED = 4_000
"""Maximum number of examples for retraining a voter to try one more."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An untried change; `size` orders changes of equal effect, smaller first.

    Of one `family` only the best few are shown; `anyway` shows a change that must come first, if none wins.
    """

    key: str
    act: Action
    trial: Trial
    size: int
    family: str = ""
    moved: tuple[ValueChange, ...] = ()
    about: tuple[Answer, ...] = ()
    text: str = ""
    sure: float | None = None
    anyway: bool = False


def round_down(value: float) -> float:
    return math.floor(round(value * 100.0, 9)) / 100.0


def round_up(value: float) -> float:
    return math.ceil(round(value * 100.0, 9)) / 100.0


def setting_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def settings_drafts(
    snapshot: TrialSnapshot,
    pairs: Mapping[str, str],
    *,
    size: int,
    point: tuple[str, str] | None = None,
    family: str = "",
    anyway: bool = False,
) -> Iterator[Draft]:
    """Draft a change of settings, unless it is refused or changes nothing."""
    now = snapshot.settings
    try:
        settings = snapshot.under(pairs)
    except SettingsError:
        return
    changed = {name: value for name, value in pairs.items() if value_of(settings, name) != value_of(now, name)}
    if changed:
        moved = tuple(
            ValueChange(name, setting_text(value_of(now, name)), setting_text(value_of(settings, name)))
            for name in changed
        )
        act = ChangeSettings(tuple(changed.items()), point)
        yield Draft(f"setting.{moved[0].name}", act, Trial(settings), size, family, moved, anyway=anyway)


# ---- Changes of rules: a new rule for a cue of the query; a rule disabled or enabled

OWN_PACK = "mine"
"""Pack of the user's own rules."""

OPENING_WORDS = (2, 3, 4)
"""Lengths, in words, of the query's opening that are tried as a cue."""

WEIGHTS = (1.0, 2.0, 3.0)
"""Weights tried for a new rule, smallest first."""

_WORD = re.compile(r"\w+(?:['’\-_]\w+)*")


def cues(text: str) -> list[str]:
    """Return candidate cues of a query for a rule: its opening words and its topics."""
    words = _WORD.findall(text)
    opening = [" ".join(words[:count]) for count in OPENING_WORDS if count <= len(words)]
    if not opening and words:
        opening = [words[0]]
    return list(dict.fromkeys([*opening, *topics(text)]))


def new_rules(
    rules: Sequence[Rule], text: str, label: str, purpose: RulePurpose, weights: Iterable[float] = WEIGHTS
) -> Iterator[tuple[str, Rule]]:
    """Yield a rule for the label per cue and weight, if its pattern matches the text."""
    taken = {rule.id for rule in rules}
    number = next(n for n in range(1, len(taken) + 2) if _id(label, n) not in taken)
    position = 1 + max((rule.position for rule in rules if rule.pack == OWN_PACK), default=-1)
    weights = tuple(weights)
    for cue in cues(text):
        pattern = r"\W+".join(map(re.escape, cue.split()))
        rule = Rule(_id(label, number), label, pattern, OWN_PACK, position, purpose=purpose)
        if hit_of(rule, text) is not None:
            yield from ((cue, replace(rule, weight=weight)) for weight in weights)


def _id(label: str, number: int) -> str:
    stem = f"{OWN_PACK}.{re.sub(r'[^a-z0-9]+', '-', label.lower()).strip('-') or 'rule'}"
    return stem if number == 1 else f"{stem}-{number}"


def hit_of(rule: Rule, text: str) -> RuleHit | None:
    """Return the rule's hit in the text; None without one, or if the rule does not compile."""
    try:
        return CompiledRule.of(rule).find(text)
    except PatternError:
        return None


def disabled_matching_rules(
    rules: Iterable[Rule], text: str, labels: frozenset[str], purpose: RulePurpose
) -> list[Rule]:
    return [
        rule
        for rule in rules
        if not rule.enabled and rule.purpose is purpose and rule.label.lower() in labels and hit_of(rule, text)
    ]


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The explanation before any change is tried.

    `wins` tells if a draft, once its edit is prepared, gives the query the expected answer.
    """

    answer: WhyNot
    drafts: Sequence[Draft] = ()
    wins: Callable[[Draft], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class WhyNotQuestion:
    """A query and its expected answer, with the snapshot for the explanation."""

    snapshot: TrialSnapshot
    text: str
    expected: Expectation
    surfaced: Surfaced

    def injection(self, name: str) -> Injection | None:
        found = injection_of(self.surfaced, replace(self.expected, name=name)) if name else None
        own = [one for one in self.snapshot.taught.answers.values() if isinstance(one, Memory)]
        lapses = [self.snapshot.taught.index.lapses.of(one, utc_now()) for one in own if name in (one.name, one.intent)]
        kinds = [lapse.kind.value for lapse in lapses if lapse is not None]
        return replace(found, cut=Cut(kinds[0])) if found and kinds and len(kinds) == len(lapses) else found


# ---- Resolution of an expected name: scored, unscored, deleted, or similar to others.


TASKS = {"intent": Task.INTENT, "memory": Task.MEMORY, "power": Task.POWER}


@dataclass(frozen=True, slots=True)
class UnscoredItems:
    """Stored answers that are not scored: paused or below min_score, and those in the bin."""

    answers: tuple[Answer, ...] = ()
    binned: tuple[Binned, ...] = ()

    def of(self, name: str, task: Task) -> list[Answer]:
        return [answer for answer in self.answers if name in names_of(answer, task)]

    def deleted(self, name: str, task: Task) -> list[tuple[ItemKey, Answer]]:
        found = ((one.key, one.item) for one in self.binned)
        return [(key, item) for key, item in found if isinstance(item, Memory | Power) and name in names_of(item, task)]


def unscored_items(library: Library, least: float) -> UnscoredItems:
    """Read the unscored answers, among them memories below the success score `least`."""
    powers = [power for power in library.powers() if power.paused]
    return UnscoredItems((*unscored_memories(library, least), *powers), tuple(library.binned()))


def names_of(answer: Answer, task: Task) -> tuple[str, ...]:
    """Return every name of an answer in a task; () if it is of another kind."""
    if isinstance(answer, Power):
        return (answer.name,) if task is Task.POWER else ()
    if task is Task.MEMORY:
        return (answer.name, *answer.triggers)
    return (answer.intent,) if task is Task.INTENT and answer.intent is not None else ()


def expected_type(expected: Expectation, labels: Iterable[str]) -> IntentType | None:
    """Return the expected search-intent type (one of six names, or an alias) unless it names a label."""
    is_label = not expected.is_type and expected.name.casefold() in map(str.casefold, labels)
    return None if expected.kind != "intent" or is_label else intent_type(expected.name)


def labels_of(taught: TaughtAnswers) -> set[str]:
    """Return every intent label of the scored memories."""
    return {one.intent for one in taught.answers.values() if isinstance(one, Memory) and one.intent is not None}


def resolved_name(taught: TaughtAnswers, name: str, task: Task) -> str | None:
    """Resolve a name, in any case, or a memory's trigger to a ranked one; None if unknown."""
    names = taught.candidates[task].names if task is not Task.INTENT else sorted(labels_of(taught))
    if name in names:
        return name
    folded = [one for one in names if one.casefold() == name.casefold()]
    if len(folded) == 1:
        return folded[0]
    if task is Task.MEMORY:
        same = taught.index.same_but_punctuation(without_punctuation(name))
        return next((one.name for one in same if isinstance(one, Memory)), None)
    return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result for an expected name: the stage that loses it (None: it wins), and its rival.

    Confidences are in [0, 1], ranks start at 1; the rival is the winner or the runner-up.
    """

    stage: LostAt | None
    place: int
    rival: int | None
    confidence: float
    rival_confidence: float | None
    rank: int | None


def verdict(ranking: NameRanking, place: int, task: Task, settings: Settings) -> Verdict:
    """Return the verdict on the name at a place under these settings."""
    order = ranking.best(WEAK)
    value = float(ranking.values[place])
    rank = ranking.rank(place)
    others = [other for other in order if other != place]
    rival = others[0] if others else None
    rival_value = None if rival is None else float(ranking.values[rival])
    own = ranking.thresholds.get(ranking.names[place])
    stage = _stage(value, rank, rival_value, task, settings, own)
    return Verdict(stage, place, rival, value, rival_value, rank)


def _stage(
    value: float, rank: int | None, rival: float | None, task: Task, settings: Settings, own: float | None
) -> LostAt | None:
    is_power = task is Task.POWER
    if rank != 1 and rival is not None:
        return _behind(value, rank, rival, task, settings)
    line = settings.tiers.high if is_power else threshold_of(task, settings, own)
    if rank is None or value < line:
        return LostAt.THRESHOLD
    margin = settings.tiers.ambiguity_margin
    if is_power and rival is not None and margin > 0 and value - rival <= margin:
        return LostAt.AMBIGUITY
    return None


def _behind(value: float, rank: int | None, first: float, task: Task, settings: Settings) -> LostAt:
    """Return why a name is behind the first: its score, or on a tie the order or the list size."""
    is_power = task is Task.POWER
    near = settings.tiers.ambiguity_margin if is_power else 0.0
    is_named = tier_of(first, settings) in (Tier.ACTIVATED, Tier.MULTIPLE_MATCHES) if is_power else True
    if rank is None or first - value > near or not is_named:
        return LostAt.SCORING
    return LostAt.AMBIGUITY if rank <= (MULTIPLE if is_power else settings.matches) else LostAt.RANKING


def leads_somewhere(trial_query: TrialQuery, place: int, task: Task, settings: Settings) -> bool:
    """Return whether a combination or single scorer would rank the name at a place first."""
    for name in COMBINERS:
        chosen = {"combination": name, "use_hybrid_retrieval": True, "power_combination": "same"}
        values = trial_query.ranking(task, settings.model_copy(update=chosen)).values
        if values[place] > np.delete(values, place).max(initial=0.0) and (task is Task.POWER or name != "keyword"):
            return True
    return False


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """The answer that gives a name its score, its match, and the scores of the name."""

    answer: Answer
    match: Match
    scores: Breakdown


def candidate(trial_query: TrialQuery, place: int, task: Task, settings: Settings) -> ScoredCandidate:
    """Return the best answer under the name at a place, scored exactly at any rank."""
    library, scores = trial_query.library, trial_query.scores(settings)
    candidates = library.candidates[task]
    end = candidates.starts[place + 1] if place + 1 < len(candidates.starts) else len(candidates.places)
    places = candidates.places[candidates.starts[place] : end]
    values = confidences(scores, settings)[places]
    best = int(places[int(np.argmax(values))])
    answer = library.index.candidate(int(scores.layout.slots[best])).answer
    nothing = np.zeros(0, np.intp)
    own = np.array([best], np.intp)
    is_power = task is Task.POWER
    scales = {is_power: scale_for(scores, settings, power=is_power)}
    ranking = Ranking(nothing if is_power else own, own if is_power else nothing, {best: float(values.max())}, scales)
    (match,) = matches(library.index, scores, ranking, settings)
    if not candidates.as_one or isinstance(scales[is_power], Shares):
        return ScoredCandidate(answer, match, match.scores)
    joined = {name: _largest(column[places]) for name, column in scores.by_slot.items()}
    return ScoredCandidate(answer, match, {name: joined.get(name) for name in SCORERS})


def _largest(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float | None:
    found = float(np.fmax.reduce(values))
    return None if np.isnan(found) else found


def gaps(expected: Breakdown, winner: Breakdown, names: Iterable[str] = SCORERS) -> tuple[ScorerGap, ...]:
    """Return the scores of both sides, for every scorer present on one side."""
    rows = (ScorerGap(name, expected.get(name), winner.get(name)) for name in names)
    return tuple(gap for gap in rows if gap.expected is not None or gap.winner is not None)
