"""Trial of an edited rule in words: its effect on the query, and on the labelled cases."""

from __future__ import annotations

from dataclasses import dataclass

from app.detect.patterns import PatternFault
from app.detect.rule_trial import Outcome, RuleEffect
from app.display import numbers, words
from app.domain.intent import IntentType, RuleHit, RulePurpose
from app.domain.language import plural
from app.domain.scope.inspection import Detection, Inspection
from app.services.library.rules import RuleSample, RuleTrialResult

BEFORE_HIT, LONGEST = 28, 160
"""Maximum characters of a text before the match, and in total."""

FATES = {
    RuleEffect.TURNS_WRONG: "turns wrong",
    RuleEffect.TURNS_RIGHT: "turns right",
    RuleEffect.CHANGES: "another wrong answer",
    RuleEffect.STAYS_RIGHT: "stays right",
    RuleEffect.STAYS_WRONG: "stays wrong",
}


@dataclass(frozen=True, slots=True)
class HighlightedText:
    """Text on one line with a match: before, match, after; without a match all in `before`."""

    before: str
    found: str = ""
    after: str = ""
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class SampleLine:
    """One sample text, and what is detected in it."""

    text: HighlightedText
    outcome: str
    moves: bool


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case: text, effect, both answers, and the right one."""

    text: HighlightedText
    rule_effect: RuleEffect
    word: str
    answers: str


def highlighted(text: str, hit: RuleHit | None) -> HighlightedText:
    """Cut a text so that a rule's match is visible."""
    flat = text.replace("\n", " ")
    if hit is None:
        return HighlightedText(_cut(flat))
    start, end = hit.span
    from_ = max(0, start - BEFORE_HIT) if len(flat) > LONGEST else 0
    lead = "…" if from_ else ""
    found = flat[start : min(end, start + LONGEST)]
    return HighlightedText(lead + flat[from_:start], found, _cut(flat[end : end + LONGEST + 1]), hit.held_back)


def deciding_rule(answer: Inspection | None) -> str:
    """Return the id of the rule with the most evidence for the type that the rules pick; "" for none."""
    ranking = () if answer is None else answer.detection.ranking
    return max(ranking[0].hits, key=lambda hit: hit.evidence).rule.id if ranking else ""


def decision_sentence(answer: Inspection | None) -> str:
    """Return which rule matched a query, and what decided its type; "" without a query."""
    if answer is None or not answer.query.text:
        return ""
    query, ranking = f"“{_cut(answer.query.text)}”", answer.detection.ranking
    said = f"No rule matches {query}."
    if ranking:
        more = sum(len(found.hits) for found in ranking) - 1
        beside = plural(more, ", {n} more rule matches", ", {n} more rules match") if more else ""
        said = f"{query}: the rule {deciding_rule(answer)} says {words.type_word(ranking[0].type)}{beside}."
    if (intent := answer.intent) is None:
        return f"{said} No type is detected."
    return f"{said} {words.SOURCES[intent.source]}: {words.type_word(intent.type)} {numbers.chance(intent.confidence)}."


def sample_line(sample: RuleSample, trial: RuleTrialResult) -> SampleLine:
    """Return the outcome of one sample text."""
    before, after = _detected(sample.before), _detected(sample.after)
    said = "Does not match." if sample.hit is None else "Overruled by Unless." if sample.hit.held_back else "Matches."
    if trial.attempt.draft.purpose is RulePurpose.ROUTE and before == after:
        return SampleLine(highlighted(sample.text, sample.hit), said, moves=False)
    if before == after:
        said += f" The rules say {after} either way."
    elif trial.is_edit:
        said += f" Saved, the rules say {after} instead of {before}."
    else:
        said += f" With it the rules say {after}, without it {before}."
    return SampleLine(highlighted(sample.text, sample.hit), said, before != after)


def case_line(outcome: Outcome) -> CaseLine:
    before, after = _answer(outcome.before), _answer(outcome.after)
    answers = after if before == after else f"{before} → {after}"
    right = sorted(outcome.subject.right or ())
    if outcome.rule_effect in (RuleEffect.CHANGES, RuleEffect.STAYS_WRONG):
        expected = ", ".join(words.type_word(name) for name in right) or "no type"
        answers = f"{answers}, not {expected}"
    return CaseLine(
        highlighted(outcome.subject.text, outcome.hit), outcome.rule_effect, FATES[outcome.rule_effect], answers
    )


def verdict(trial: RuleTrialResult) -> str:
    """Return the cases that change with the rule, in a sentence; "" while running."""
    if trial.rule_effects is None:
        return ""
    right, wrong = trial.rule_effects.get(RuleEffect.TURNS_RIGHT, 0), trial.rule_effects.get(RuleEffect.TURNS_WRONG, 0)
    if not right and not wrong and trial.attempt.draft.purpose is RulePurpose.ROUTE:
        return "A rule for routes changes no type. The page Routing shows the route of a query."
    if not trial.cases:
        return "No cases are labelled with a type yet. Import some to see which answers change."
    if not right and not wrong:
        if trial.is_edit:
            return "Saving turns no case."
        return "Without this rule no case would turn."
    if trial.is_edit:
        return f"Saving turns {_cases(right)} right and {numbers.count(wrong)} wrong."
    return f"This rule turns {_cases(right)} right and {numbers.count(wrong)} wrong, compared with none."


def match_counts(trial: RuleTrialResult) -> str:
    """Return the number of cases and other texts that the rule matches."""
    if trial.rule_effects is None:
        return CHECKING
    parts = []
    if trial.cases:
        parts.append(f"Matches {numbers.count(trial.matched)} of {numbers.count(trial.cases)} cases")
    if trial.held_back:
        parts.append(f"overruled in {numbers.count(trial.held_back)}")
    if trial.others:
        parts.append(
            (
                "in {n} of {all} taught phrases and other cases"
                if parts
                else "Matches {n} of {all} taught phrases and cases"
            ).format(n=numbers.count(trial.others_matched), all=numbers.count(trial.others))
        )
    return f"{', '.join(parts)}." if parts else ""


CHECKING = "Checking the cases…"


def trial_limits(trial: RuleTrialResult) -> str:
    """Return what the live test leaves out."""
    return f"Tried by rules alone, under {words.policy(trial.policy)}: examples may decide otherwise."


def unlisted_cases(trial: RuleTrialResult) -> str:
    """Return the number of affected cases that are not listed; "" if all are."""
    subjects = sum((trial.rule_effects or {}).values())
    more = subjects - len(trial.outcomes)
    return plural(more, "and {n} more case", "and {n} more cases") if more > 0 else ""


def fault_sentence(fault: PatternFault, *, in_unless: bool = False) -> str:
    """Return place, reason and remedy of a pattern's fault."""
    where = f"Unless, character {fault.place}" if in_unless else None
    where = where or f"Character {fault.place}"
    return f"{where}: {fault.sentence} {fault.remedy}"


def _cases(n: int) -> str:
    return plural(n, "{n} case", "{n} cases")


def _answer(type_: IntentType | None) -> str:
    return "no type" if type_ is None else words.type_word(type_)


def _detected(detection: Detection) -> str:
    intent = detection.intent
    if intent is None:
        return "no type"
    return f"{words.type_word(intent.type)} {numbers.chance(intent.confidence)}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
