"""Changes that may make an expected answer win, before it is known what they do."""

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
from app.services.engine.routing.route_stages import Router
from app.services.evaluation.trials import TrialEdit
from app.settings.model import Settings, SettingsError, value_of

MOST_OF_A_FAMILY = 2
"""Of changes that are alike, such as one combination or another, so many are told."""

SettingsUnder = Callable[[Mapping[str, str]], Settings]


@dataclass(frozen=True, slots=True)
class Trial:
    """How things would be: settings, and what else would be otherwise; None stands for "as it is"."""

    settings: Settings
    edit: TrialEdit | None = None
    rules: KeywordRules | None = None
    router: Router | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that was not tried yet. `size` orders changes that do as much, the smaller first; of one `family` only
    the best few are shown; with `anyway` it is shown even if it does not win the query, as it has to be made first."""

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
        """The change, now that it was tried."""
        return Change(self.key, wins, effect, self.act, self.moved, self.about, self.text, self.sure)


def down(value: float) -> float:
    """The nearest number of two decimals that is not above."""
    return math.floor(round(value * 100.0, 9)) / 100.0


def up(value: float) -> float:
    """The nearest number of two decimals that is not below."""
    return math.ceil(round(value * 100.0, 9)) / 100.0


def in_words(value: object) -> str:
    """A setting's value as it is written."""
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
    """A change of settings; None where it is refused, or where nothing would be otherwise."""
    try:
        settings = under(pairs)
    except SettingsError:
        return None
    changed = {name: value for name, value in pairs.items() if value_of(settings, name) != value_of(now, name)}
    if not changed:
        return None
    moved = tuple(
        ValueChange(name, in_words(value_of(now, name)), in_words(value_of(settings, name))) for name in changed
    )
    act = ChangeSettings(tuple(changed.items()), point)
    return Draft(f"setting.{moved[0].name}", act, Trial(settings), size, family, moved, anyway=anyway)


# --------------------------------------------------------------------------------------------------------------------
# Rules as changes: a cue of the query as a new rule, one that misleads switched off, one that sleeps switched on

OWN_PACK = "mine"
"""Where rules of one's own go."""

OPENING_WORDS = (2, 3, 4)
"""So many words of the query's opening are tried as a cue."""

WEIGHTS = (1.0, 2.0, 3.0)
"""A new rule weighs no more than it must."""

_WORD = re.compile(r"\w+(?:['’\-_]\w+)*")


def cues(text: str) -> list[str]:
    """What of a query may serve as a rule's cue: how it opens, and the words that it is about."""
    words = _WORD.findall(text)
    opening = [" ".join(words[:count]) for count in OPENING_WORDS if count <= len(words)]
    if not opening and words:
        opening = [words[0]]
    return list(dict.fromkeys([*opening, *topics(text)]))


def pattern_of(cue: str) -> str:
    """A pattern that finds the words of a cue, one after the other."""
    return r"\W+".join(re.escape(word) for word in cue.split())


def new_rules(
    rules: Sequence[Rule], text: str, label: str, purpose: RulePurpose, weights: Iterable[float] = WEIGHTS
) -> Iterator[tuple[str, Rule]]:
    """For each cue a rule for the label, in each weight; nothing where the pattern would not find the text."""
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
    """Where the rule is found in the text; None if nowhere, or if it does not compile."""
    try:
        return CompiledRule.of(rule).find(text)
    except PatternError:
        return None


def asleep(rules: Iterable[Rule], text: str, labels: frozenset[str], purpose: RulePurpose) -> list[Rule]:
    """The rules for these labels that are switched off and would be found in the text."""
    return [
        rule
        for rule in rules
        if not rule.enabled and rule.purpose is purpose and rule.label.lower() in labels and hit_of(rule, text)
    ]
