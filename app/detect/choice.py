"""The LLM's choice among the engine's best answers: options, merge, reordered matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.detect.merge import KEYWORD_WEIGHT, LLM_WEIGHT, SHIPPED_CAP, operands
from app.domain.library import Kind, Power
from app.domain.llm import LlmChoice, Option
from app.domain.match import Breakdown, Match, MatchedKeyword, MatchExplanation, Operand, Step, TriggerScores
from app.scoring.arithmetic import step
from app.scoring.index.ranking import band_of, tier_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.settings.model import Settings
    from app.settings.sections import SearchIntentSettings

LABEL, POWER = "label", "power"
"""Kinds of answers to choose among."""

KINDS = {LABEL: Kind.MEMORY, POWER: Kind.POWER}


def wanted(settings: Settings) -> tuple[str, ...]:
    """Return the kinds that the LLM chooses among under these settings."""
    llm = settings.llm
    return tuple(of for of, on in ((LABEL, llm.choose_labels), (POWER, llm.choose_powers)) if on)


def name_of(match: Match) -> str:
    """Return the option name of a match: its label if it has one, else its name."""
    return match.answer.answer_label or match.answer.name


def options(matches: Sequence[Match], of: str, most: int) -> tuple[Option, ...]:
    """Return the best distinct answers of this kind, at most `most`, with confidence above 0."""
    found: dict[str, Option] = {}
    for match in matches:
        if match.kind is KINDS[of] and match.confidence > 0.0:
            about = match.answer.description if isinstance(match.answer, Power) else match.trigger
            found.setdefault(name_of(match), Option(name_of(match), about))
    return tuple(found.values())[:most]


def merged(choice: LlmChoice, matches: Sequence[Match], settings: SearchIntentSettings) -> LlmChoice:
    """Add the merged answer: the LLM's by S4.10 if confident enough, else the engine's own.

    Without an LLM answer there is no penalty: the engine's confidence is not a keyword's.
    """
    own = {name: _chance(match) for match in reversed(matches) if (name := name_of(match)) in choice.options}
    answer, first = choice.answer, next((name for name in choice.options if name in own), None)
    if first is None:
        return replace(choice, name="", confidence=0.0, steps=())
    if answer is None or answer.name not in own:
        return replace(choice, name=first, confidence=own[first])
    if answer.confidence < settings.min_confidence:
        kept = step("engine's result", "take", operands(engine=own[first], llm=answer.confidence))
        return replace(choice, name=first, confidence=kept.result, steps=(kept,))
    both = Operand("llm", answer.confidence, LLM_WEIGHT), Operand("engine", own[answer.name], KEYWORD_WEIGHT)
    steps = [step("weighed", "sum", both)]
    if settings.merge == "shipped":
        steps.append(step("cap", "min", operands(sum=steps[-1].result, most=SHIPPED_CAP)))
    if settings.strict_floor and steps[-1].result < own[first]:
        steps.append(step("strict floor", "max", operands(merged=steps[-1].result, floor=own[first])))
    return replace(choice, name=answer.name, confidence=min(1.0, steps[-1].result), steps=tuple(steps))


def _chance(match: Match) -> float:
    """Return the chance of the option: that of the label, for a memory of one."""
    return match.confidence if match.label_chance is None else match.label_chance


def with_choice(matches: Sequence[Match], choice: LlmChoice, settings: Settings) -> tuple[Match, ...]:
    """Move the chosen match before all others of its kind, with the merged confidence.

    A choice that decided nothing changes nothing.
    """
    if not choice.steps or choice.answer is None or choice.name != choice.answer.name:
        return tuple(matches)
    kind = KINDS[choice.of]
    chosen_ones = (n for n, one in enumerate(matches) if one.kind is kind and name_of(one) == choice.name)
    place = next(chosen_ones, None)
    if place is None:
        return tuple(matches)
    match, rest = matches[place], [*matches[:place], *matches[place + 1 :]]
    chosen = replace(
        match,
        confidence=choice.confidence,
        account=ChosenAccount(match.account, choice.steps),
        band=None if match.band is None else band_of(choice.confidence, settings, match.threshold),
        tier=None if match.tier is None else tier_of(choice.confidence, settings),
        label_chance=None if match.label_chance is None else choice.confidence,
        label_log_odds=0.0,
    )
    at = next((n for n, one in enumerate(rest) if one.kind is kind), place)
    return _with_leads([*rest[:at], chosen, *rest[at:]])


def _with_leads(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Set each match's lead over the next match of its list.

    It is at least 0 if the LLM's choice is not the best.
    """
    after = [*matches[1:], None]
    return tuple(
        replace(
            one,
            lead=None if other is None or other.kind is not one.kind else max(0.0, one.confidence - other.confidence),
        )
        for one, other in zip(matches, after, strict=True)
    )


def none_surer(matches: Sequence[Match], of: str) -> tuple[Match, ...]:
    """Limit confidences of this kind to that of the first match.

    A power that the LLM rejected then activates nothing.
    """
    most: float | None = None
    found: list[Match] = []
    for match in matches:
        if match.kind is not KINDS[of]:
            found.append(match)
            continue
        most = match.confidence if most is None else most
        found.append(replace(match, confidence=min(match.confidence, most)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ChosenAccount:
    """Decorator of an explanation: appends the steps of the choice."""

    own: MatchExplanation
    more: tuple[Step, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        return (*self.own.steps, *self.more)

    @property
    def best_trigger(self) -> Mapping[str, str | None]:
        return self.own.best_trigger

    @property
    def triggers(self) -> tuple[TriggerScores, ...]:
        return self.own.triggers

    @property
    def keywords(self) -> tuple[MatchedKeyword, ...]:
        return self.own.keywords

    def contributions_over(self, rival: Breakdown) -> tuple[Operand, ...]:
        return self.own.contributions_over(rival)
