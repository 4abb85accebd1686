"""The verdict on a query in words: what would answer it, what its asker would get, why, and what would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from app.detect.surfacing import Limits
from app.display import numbers, words
from app.display.scope.matches.leads import compared
from app.display.scope.matches.rows import ahead_of_next, is_found, level_of, level_word, limits_of, thresholds
from app.display.scope.surfacing import surfacing_limits
from app.domain.language import plural
from app.domain.library import Kind, Memory, Power
from app.domain.llm import LlmOutcome
from app.domain.match import Band, Match, Tier
from app.domain.running import ActivationBlocker, activation_blocker
from app.domain.scope.inspection import Inspection

if TYPE_CHECKING:
    from app.settings.model import Settings


class Help(StrEnum):
    """What a person can do about a verdict; the value names it, whoever shows it knows how it is done."""

    WHY_NOT = "why not"
    TEACH = "teach"
    APPROVE = "approve"
    COMMAND = "command"
    LEAST_ANSWER = "least answer"
    LEAST_FOUND = "least found"
    LEAST_OF_LABEL = "least of label"
    LEAST_ACTIVATED = "least activated"
    LEAST_SURFACED = "least surfaced"
    LEAST_CONFIDENCE = "least confidence"
    CONNECT_LLM = "connect llm"


HELP_WORDS: Mapping[Help, str] = {
    Help.WHY_NOT: "Expected another?",
    Help.TEACH: "Teach it",
    Help.APPROVE: "Approve…",
    Help.COMMAND: "Give it a command",
    Help.LEAST_ANSWER: "Change the least confidence",
    Help.LEAST_FOUND: "Change the least confidence",
    Help.LEAST_OF_LABEL: "Change its threshold",
    Help.LEAST_ACTIVATED: "Change the threshold",
    Help.LEAST_SURFACED: "Change the threshold",
    Help.LEAST_CONFIDENCE: "Change the threshold",
    Help.CONNECT_LLM: "Connect an LLM",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first line of an answer: `headline` with the glyph of `level`, below it the `response` that a user or an
    assistant would receive, then one sentence `why`. `help` is what to do, the most useful first; `terms` name what the
    glossary explains of the headline. `match` is what it is about, where that answers."""

    level: Band | Tier | None
    headline: str
    response: str
    why: str
    help: tuple[Help, ...] = ()
    terms: tuple[str, ...] = ()
    match: Match | None = None


def verdict(inspection: Inspection, settings: Settings) -> Verdict:
    """What the best match of an inspection comes to under these settings."""
    if not inspection.matches:
        sentence = "Nothing that is taught can answer it: the library is empty, or all of it is paused."
        return Verdict(None, "No answer", "", sentence, (Help.TEACH,))
    best = next((match for match in _answering(inspection) if is_found(match)), None)
    if best is None:
        return _none(inspection.matches[0], settings)
    if isinstance(best.answer, Power):
        return _power(inspection, best, best.answer, settings)
    return _answer(inspection, best, best.answer, settings)


def _answering(inspection: Inspection) -> Iterator[Match]:
    """What may answer: powers, and of memories the best alone. If its label's threshold rejects it, none of the others
    takes its place."""
    memory = next((match for match in inspection.matches if match.kind is Kind.MEMORY), None)
    return (match for match in inspection.matches if match.kind is Kind.POWER or match is memory)


def _none(best: Match, settings: Settings) -> Verdict:
    """Nothing is near enough; the best of it is named, so that a person sees how far away that is."""
    limits = limits_of(best, settings)
    own = "No answer: best is {confidence}, below its own threshold {least}"
    said = "No answer: best is {confidence}, {least} is needed" if best.threshold is None else own
    shown, needed = numbers.score(best.confidence, limits), numbers.score(limits[0], (best.confidence,))
    headline = said.format(confidence=shown, least=needed)
    response = "Nothing would be surfaced or activated."
    why = f"The nearest is {best.answer.name}, by {_won_by(best)}."
    least = Help.LEAST_FOUND if best.kind is Kind.POWER else Help.LEAST_ANSWER
    helps = (Help.TEACH, Help.WHY_NOT, least)
    if best.threshold is not None:
        helps = (Help.LEAST_OF_LABEL, Help.WHY_NOT, Help.TEACH)
    return Verdict(level_of(best), headline, response, why, helps, ("surfaced", "activated"))


def _power(inspection: Inspection, best: Match, power: Power, settings: Settings) -> Verdict:
    resolution = inspection.resolution
    status = Tier.NOT_FOUND if resolution is None else resolution.status
    helps: tuple[Help, ...] = (Help.WHY_NOT,)
    if status is Tier.ACTIVATED:
        outcome, first = _started(power)
        helps = (*first, *helps)
    elif resolution is not None and resolution.tied:
        outcome = "not activated: a second power is as near"
    else:
        outcome = (
            f"not activated: {numbers.score(best.confidence, thresholds(settings, Kind.POWER))}, "
            f"{numbers.fixed(settings.tiers.high)} is needed"
        )
        helps = (Help.LEAST_ACTIVATED, Help.WHY_NOT)
    headline = f"Power: {power.name}, {outcome}"
    terms = ("power", "activated", *(("approval",) if Help.APPROVE in helps else ()))
    return Verdict(best.tier, headline, _power_response(power), _why(inspection, best), helps, terms, best)


def _started(power: Power) -> tuple[str, tuple[Help, ...]]:
    """What becomes of a power that is sure enough: it would be activated, or lacks a yes or a command."""
    lack = activation_blocker(power)
    if lack is None:
        return "would be activated", ()
    return words.LACKS[lack], (Help.COMMAND if lack is ActivationBlocker.COMMAND else Help.APPROVE,)


def _answer(inspection: Inspection, best: Match, memory: Memory, settings: Settings) -> Verdict:
    outcome, helps = _surfaced(inspection, best, settings)
    headline = f"Answer: {memory.name}, {level_word(best.band).lower()}; {outcome}"
    response = " ".join(memory.response.split()) or "It has no response: an assistant would get nothing."
    return Verdict(best.band, headline, response, _why(inspection, best), (*helps, Help.WHY_NOT), ("surfaced",), best)


def _surfaced(inspection: Inspection, best: Match, settings: Settings) -> tuple[str, tuple[Help, ...]]:
    """Whether an assistant would get the memory by itself (S4.12), and what helps where it would not."""
    intent, limits = inspection.intent, Limits.of(settings)
    row, least = limits.row(intent), limits.threshold
    if best.confidence >= limits.least(row):
        return "would be surfaced", ()
    if row is not None:
        return (
            f"not surfaced: {numbers.score(best.confidence, (limits.confidence,))}, "
            f"{numbers.fixed(limits.confidence)} is needed"
        ), (Help.LEAST_CONFIDENCE,)
    is_off = inspection.trace.llm is None or inspection.trace.llm.outcome is LlmOutcome.OFF
    llm = (Help.CONNECT_LLM,) if is_off else ()
    if intent is None:
        return "not surfaced: no type is detected", llm
    return (
        f"not surfaced: {words.type_word(intent.type)} is at "
        f"{numbers.score(intent.confidence, surfacing_limits(least))}, {numbers.fixed(least)} "
        "is needed"
    ), (Help.LEAST_SURFACED, *llm)


def _why(inspection: Inspection, best: Match) -> str:
    """One sentence: what decided, and how far ahead it is; a power that would start beside it is named too."""
    ahead = ahead_of_next(inspection, best)
    sentence = f"Won by {_won_by(best)}"
    sentence = f"{sentence}, {ahead}." if ahead else f"{sentence}."
    resolution = inspection.resolution
    if best.kind is Kind.MEMORY and resolution is not None and resolution.status is Tier.ACTIVATED:
        power = resolution.matches[0].power
        would, lacks = _started(power)
        beside = f"The power {power.name} is {would}."
        sentence += " " + (beside if lacks else f"The power {power.name} would be activated too.")
    return sentence


def _won_by(match: Match) -> str:
    """The scorers that decide the confidence, each as what it compares and with its score."""
    said = [f"{compared(scorer)} {numbers.score(match.scores.get(scorer))}" for scorer in match.winners]
    return " and ".join(said) or f"confidence {numbers.score(match.confidence)}"


def _power_response(power: Power) -> str:
    """What an assistant would receive of a power: what it is for, and how many tools it brings."""
    description = " ".join(power.summary.split())
    if description and description[-1] not in ".!?":
        description += "."
    tools = plural(len(power.tools), "It brings {n} tool.", "It brings {n} tools.") if power.tools else ""
    return " ".join(filter(None, (description, tools)))
