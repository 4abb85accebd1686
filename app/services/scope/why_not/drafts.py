"""Drafts of changes that may make an expected answer win: settings and keyword rules."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.detect.keywords import CompiledRule, KeywordRules
from app.detect.patterns import PatternError
from app.detect.topics import topics
from app.domain.intent import Rule, RuleHit, RulePurpose
from app.domain.library import Answer
from app.domain.scope.why_not import Action, Change, ChangeSettings, Effect, ValueChange
from app.services.engine.example_voters import TypeDetector, TypeVoter
from app.services.engine.routing.route_stages import Router
from app.services.evaluation.trials import TrialEdit
from app.settings.model import Settings, SettingsError, value_of

MOST_PER_FAMILY = 2
"""Limit of shown changes of one family, such as combinations."""

SettingsUnder = Callable[[Mapping[str, str]], Settings]


@dataclass(frozen=True, slots=True)
class Trial:
    """Conditions of a trial: settings, and an edit, rules, a router or a voter of types.

    None stands for those in force.
    """

    settings: Settings
    edit: TrialEdit | None = None
    rules: KeywordRules | None = None
    router: Router | None = None
    voter: TypeVoter | None = None

    def detector(self, now: TypeDetector) -> TypeDetector:
        """Return the type detector under the trial; `now` is the one in force."""
        return replace(now, rules=self.rules or now.rules, votes=self.voter or now.votes)


@dataclass(frozen=True, slots=True)
class Draft:
    """An untried change; `size` orders changes of equal effect, smaller first.

    Of one `family` only the best few are shown; `anyway` shows a change that does not win alone but must come first.
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

    def change(self, effect: Effect | None, *, wins: bool) -> Change:
        """Return the change with its effect."""
        return Change(self.key, wins, effect, self.act, self.moved, self.about, self.text, self.sure)


def round_down(value: float) -> float:
    """Round down to two decimals."""
    return math.floor(round(value * 100.0, 9)) / 100.0


def round_up(value: float) -> float:
    """Round up to two decimals."""
    return math.ceil(round(value * 100.0, 9)) / 100.0


def setting_text(value: object) -> str:
    """Return the text form of a setting's value."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def settings_draft(
    under: SettingsUnder,
    now: Settings,
    pairs: Mapping[str, str],
    *,
    size: int,
    point: tuple[str, str] | None = None,
    family: str = "",
    anyway: bool = False,
) -> Draft | None:
    """Draft a change of settings; None if it is refused or changes nothing."""
    try:
        settings = under(pairs)
    except SettingsError:
        return None
    changed = {name: value for name, value in pairs.items() if value_of(settings, name) != value_of(now, name)}
    if not changed:
        return None
    moved = tuple(
        ValueChange(name, setting_text(value_of(now, name)), setting_text(value_of(settings, name))) for name in changed
    )
    act = ChangeSettings(tuple(changed.items()), point)
    return Draft(f"setting.{moved[0].name}", act, Trial(settings), size, family, moved, anyway=anyway)


# --------------------------------------------------------------------------------------------------------------------
# Changes of rules: a new rule for a cue of the query; a rule disabled or enabled

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


def pattern_of(cue: str) -> str:
    """Return a pattern that matches the words of a cue in sequence."""
    return r"\W+".join(re.escape(word) for word in cue.split())


def new_rules(
    rules: Sequence[Rule], text: str, label: str, purpose: RulePurpose, weights: Iterable[float] = WEIGHTS
) -> Iterator[tuple[str, Rule]]:
    """Yield a rule for the label per cue and weight, if its pattern matches the text."""
    taken = {rule.id for rule in rules}
    number = next(n for n in range(1, len(taken) + 2) if _id(label, n) not in taken)
    position = 1 + max((rule.position for rule in rules if rule.pack == OWN_PACK), default=-1)
    weights = tuple(weights)
    for cue in cues(text):
        rule = Rule(_id(label, number), label, pattern_of(cue), OWN_PACK, position, purpose=purpose)
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
    """Return the disabled rules for these labels that match the text."""
    return [
        rule
        for rule in rules
        if not rule.enabled and rule.purpose is purpose and rule.label.lower() in labels and hit_of(rule, text)
    ]
