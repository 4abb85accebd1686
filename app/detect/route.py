"""Which store should answer a query: a pure decision over what rules, cache, examples and the LLM said (S6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.detect.rules.route_rules import RulesFound
from app.domain.case import Vote
from app.domain.language import percents, plural
from app.domain.llm import LlmOutcome
from app.domain.route import (
    DOCUMENTED,
    ROUTE_NAMES,
    CacheLookup,
    RouteAnswer,
    RouteIntent,
    RouteMethod,
    Routes,
    RouteStage,
    RouteStep,
    StepOutcome,
    route_label,
)
from app.domain.scope.resolution import RouteDecision

DIGITS = 3
"""So many the numbers of a vote have wherever they are shown."""

_MOST_DIGITS = 17
"""No two floats in [0, 1] that differ are the same in so many."""


def below(value: float, least: float, fewest: int = 2) -> str:
    """A number and the threshold that it misses, in as many digits as show that it does: "0.649 is below 0.650"."""
    digits = next((n for n in range(fewest, _MOST_DIGITS) if round(value, n) < round(least, n)), _MOST_DIGITS)
    said, limit = f"{value:.{digits}f}", f"{least:.{digits}f}"
    return f"{said} is below {limit}"


def vote_sentence(vote: Vote, abstain: float | None) -> tuple[str, bool]:
    """What a vote says and why it counts or abstains, and which of both; `abstain` is the threshold that a person
    chose, None: its own."""
    if vote.says_none:
        return (f"The taught examples say that no store is asked for: {none_share(vote)}, so they abstain."), False
    least = vote.threshold if abstain is None else abstain
    what = f"The taught examples say {vote.label}:"
    if vote.confidence < least:
        return f"{what} {below(vote.confidence, least, DIGITS)}, so they abstain.", False
    if abstain is None and not vote.grounds.is_backed:
        by = f" by {_words(vote)}" if vote.grounds.words else ""
        none = f"none of the {len(vote.nearest)} nearest examples is for {vote.label}"
        return f"{what} {vote.confidence:.3f}{by}, but {none}, so they abstain.", False
    # A number that reaches its threshold must not look as if it did not.
    digits = next(n for n in range(DIGITS, _MOST_DIGITS + 1) if round(vote.confidence, n) >= round(least, n))
    return f"{what} {vote.confidence:.{digits}f} reaches {least:.{digits}f}.", True


def none_share(vote: Vote) -> str:
    """The share of the votes for no store, and the largest share of a route."""
    label, most = vote.shares[0]
    return f"{percents(vote.for_none, 0)} of the votes say “no store”, {percents(most, 0)} {label}"


def won(vote: Vote) -> str:
    """Why the vote's label wins over others: its share, and what is near."""
    return " ".join(part for part in (_shares(vote), nearest(vote)) if part)


def nearest(vote: Vote) -> str:
    """The nearest example, and where that is for another route, what speaks for the one that wins."""
    if not vote.nearest:
        return ""
    first, grounds = vote.nearest[0], vote.grounds
    sentence = f"Nearest is “{first.text}” ({first.label}, {first.similarity:.3f})"
    if not grounds.backing or first.text == grounds.backing[0].text:
        return f"{sentence}."
    own = grounds.backing[0]
    like = f"“{own.text}” ({own.similarity:.3f})"
    if not grounds.words:
        return f"{sentence}; taken together they are more for {vote.label}, as {like}."
    speak = "speaks" if len(grounds.words) == 1 else "speak"
    return f"{sentence}, but {_words(vote)} {speak} for {vote.label}, and so does {like}."


def _words(vote: Vote) -> str:
    """What speaks for the vote's label in the query: its words “same” and “start”."""
    words = [f"“{word}”" for word in vote.grounds.words]
    return plural(len(words), "its word {words}", "its words {words}", words=" and ".join(words))


def _shares(vote: Vote) -> str:
    """Which share of the vote won over which."""
    if len(vote.shares) < 2:
        return ""
    (first, won), (second, lost) = vote.shares[:2]
    return f"Of their vote {first} has {won:.3f}, {second} {lost:.3f}."


# --------------------------------------------------------------------------------------------------------------------
# Which store should answer a query: a pure decision over what rules, cache, examples and the LLM said (S6.3)

NOT_NEEDED = "Not needed: it was decided before."
NOT_OVERRULING = "They do not overrule what decides."

LEANING = 0.2
"""Where nothing else has a word to say and no LLM can be asked, a vote that is likelier right than one of five routes
drawn at random is better than the safe store."""


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """From which confidence rules decide, the vote (None: as its own examples say) and the LLM; which routes there are;
    and whether a vote that is as sure as rules must be overrules one."""

    threshold: float = 0.9
    abstain: float | None = None
    llm_least: float = 0.5
    routes: Routes = DOCUMENTED
    overrule: bool = False


@dataclass(frozen=True, slots=True)
class RulesResult:
    """What the rules found, and in how many ms; nothing where they are off."""

    found: RulesFound = field(default_factory=RulesFound)
    ms: float = 0.0
    are_off: bool = False


@dataclass(frozen=True, slots=True)
class CacheResult:
    """An answer that the LLM gave before, and how many seconds ago; `missing` says why there is none."""

    answer: RouteAnswer | None = None
    age_s: float = 0.0
    missing: str = "No answer of the LLM to this query is kept."
    ms: float = 0.0
    looks: tuple[CacheLookup, ...] = ()
    """Where it was looked for, in that order; nowhere while the cache is off."""
    refused: str = ""
    """Why an answer that was found in front was not believed, in a sentence."""


@dataclass(frozen=True, slots=True)
class VoteResult:
    """What the taught examples said; `missing` says why they did not, or not yet if `is_coming`."""

    vote: Vote | None = None
    missing: str = ""
    ms: float = 0.0
    is_coming: bool = False


@dataclass(frozen=True, slots=True)
class LlmResult:
    """What the LLM said, or in a sentence why nothing; ASKING while it is still being waited for.

    OFF: it was not asked. `cost` is what asking cost, in dollars.
    """

    outcome: LlmOutcome
    answer: RouteAnswer | None = None
    sentence: str = ""
    ms: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known so far; None: not looked at."""

    rules: RulesResult = field(default_factory=RulesResult)
    cache: CacheResult | None = None
    vote: VoteResult | None = None
    llm: LlmResult | None = None


@dataclass(frozen=True, slots=True)
class _Verdict:
    method: RouteMethod
    intent: str
    stores: tuple[str, ...]
    confidence: float
    reasoning: str


_Judged = tuple[RouteStep, _Verdict | None]


def is_settled(evidence: Evidence, policy: RoutePolicy) -> bool:
    """Whether what is known decides, so that nothing more need be asked."""
    return any(judge(evidence, policy)[1] is not None for judge in STAGES.values())


def decide(evidence: Evidence, policy: RoutePolicy) -> RouteDecision:
    """The decision: that of the first stage that has one, and what every other stage said or why it was skipped."""
    steps: list[RouteStep] = []
    verdict: _Verdict | None = None
    for stage, judge in STAGES.items():
        if verdict is None:
            step, verdict = judge(evidence, policy)
            steps.append(step)
        elif stage is RouteStage.EXAMPLES and (taken := evidence.vote) is not None and taken.vote is not None:
            steps.append(RouteStep(stage, StepOutcome.SKIPPED, NOT_OVERRULING, taken.ms))
        else:
            steps.append(RouteStep(stage, StepOutcome.SKIPPED, NOT_NEEDED))
    if verdict is None:
        verdict = _fallback(evidence, policy.routes)
        said, sure, intent = verdict.reasoning, verdict.confidence, verdict.intent
        steps.append(RouteStep(RouteStage.FALLBACK, StepOutcome.DECIDED, said, 0.0, sure, intent))
    else:
        steps.append(RouteStep(RouteStage.FALLBACK, StepOutcome.SKIPPED, NOT_NEEDED))
    found = evidence.rules.found
    awaited = evidence.vote
    vote = awaited.vote if awaited is not None else None
    heard = evidence.llm
    asked = heard is not None and heard.outcome not in (LlmOutcome.OFF, LlmOutcome.ASKING)
    return RouteDecision(
        intent=verdict.intent,
        databases=verdict.stores,
        confidence=verdict.confidence,
        method=verdict.method.value,
        rule_confidence=found.confidence,
        reasoning=verdict.reasoning,
        steps=tuple(steps),
        hits=found.hits,
        nearest=vote.nearest if vote is not None else (),
        shares=vote.shares if vote is not None else (),
        grounds=vote.grounds if vote is not None else None,
        rule_intent=found.intent,
        llm_intent=heard.answer.intent if heard is not None and heard.answer is not None else "",
        llm_outcome=heard.outcome if heard is not None and asked else None,
        cost=heard.cost if heard is not None else 0.0,
        llm=None if heard is None else heard.answer,
        looks=() if evidence.cache is None else evidence.cache.looks,
        is_final=not any(step.outcome is StepOutcome.WAITING for step in steps)
        and not (verdict.method is RouteMethod.RULE and policy.overrule and awaited is not None and awaited.is_coming),
    )


# ---- the stages


def _by_rules(evidence: Evidence, policy: RoutePolicy) -> _Judged:
    found, ms = evidence.rules.found, evidence.rules.ms
    if evidence.rules.are_off:
        return RouteStep(RouteStage.RULES, StepOutcome.SKIPPED, "Rules are off."), None
    if not found.intent:
        held = sum(hit.held_back for hit in found.hits)
        sentence = (
            plural(held, "No rule matched; {n} was overruled.", "No rule matched; {n} were overruled.")
            if held
            else "No rule matched."
        )
        return RouteStep(RouteStage.RULES, StepOutcome.NOTHING, sentence, ms), None
    cues = _cues(found)
    if found.confidence < policy.threshold:
        sentence = f"{cues}: {below(found.confidence, policy.threshold)}."
        return RouteStep(RouteStage.RULES, StepOutcome.UNSURE, sentence, ms, found.confidence, found.intent), None
    if (vote := _overruling(evidence, policy)) is not None:
        sentence = (
            f"{cues}: {found.confidence:.2f}, but the taught examples are sure of {vote.label}: {vote.confidence:.3f}."
        )
        return RouteStep(RouteStage.RULES, StepOutcome.UNSURE, sentence, ms, found.confidence, found.intent), None
    sentence = f"{cues}: {found.confidence:.2f} reaches {policy.threshold:.2f}."
    step = RouteStep(RouteStage.RULES, StepOutcome.DECIDED, sentence, ms, found.confidence, found.intent)
    return step, _Verdict(RouteMethod.RULE, found.intent, found.stores, found.confidence, sentence)


def _overruling(evidence: Evidence, policy: RoutePolicy) -> Vote | None:
    """The vote, where it is for another route than the rules and as sure as they must be: a cue of one route says
    nothing of what else the query asks for."""
    vote = evidence.vote.vote if evidence.vote is not None else None
    if not policy.overrule or vote is None or vote.says_none or policy.routes.is_off(vote.label):
        return None
    is_sure = vote.confidence >= policy.threshold and vote_sentence(vote, policy.abstain)[1]
    return vote if is_sure and vote.label != evidence.rules.found.intent else None


def _cues(found: RulesFound) -> str:
    """Which intents were found by which words: “similar” says vector_similarity, “ties” graph_traversal."""
    by_label: dict[str, list[str]] = {}
    for hit in found.counting:
        by_label.setdefault(route_label(hit.rule.label), []).append(f"“{hit.text}”")
    parts = [f"{' and '.join(dict.fromkeys(texts))} → {label}" for label, texts in by_label.items()]
    joined = "; ".join(parts)
    return joined if len(found.intents) == 1 else f"Several routes matched ({joined})"


def _by_cache(evidence: Evidence, policy: RoutePolicy) -> _Judged:
    looked = evidence.cache
    if looked is None:
        is_overruled = _overruling(evidence, policy) is not None and evidence.rules.found.confidence >= policy.threshold
        why = "Skipped: a rule decided." if is_overruled else "The cache is off."
        return RouteStep(RouteStage.CACHE, StepOutcome.SKIPPED, why), None
    if looked.answer is None:
        why = f"{looked.refused} {looked.missing}".lstrip()
        return RouteStep(RouteStage.CACHE, StepOutcome.NOTHING, why, looked.ms), None
    answer = looked.answer
    if policy.routes.is_off(answer.intent):
        return RouteStep(RouteStage.CACHE, StepOutcome.NOTHING, _off(answer.intent), looked.ms), None
    sentence = f"The LLM said {answer.intent} {_ago(looked.age_s)}, with {answer.confidence:.2f}."
    if CacheLookup.REDIS_HIT in looked.looks:
        sentence = f"{sentence} Redis had kept it."
    sentence = f"{sentence} {looked.refused}".rstrip()
    step = RouteStep(RouteStage.CACHE, StepOutcome.DECIDED, sentence, looked.ms, answer.confidence, answer.intent)
    stores = _stores(answer.intent, evidence, policy.routes)
    return step, _Verdict(RouteMethod.CACHE, answer.intent, stores, answer.confidence, sentence)


def _ago(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 1:
        return "less than a minute ago"
    if minutes < 120:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago"


def _by_examples(evidence: Evidence, policy: RoutePolicy) -> _Judged:
    taken = evidence.vote
    if taken is None or taken.vote is None:
        sentence = taken.missing if taken is not None else "Taught examples are off."
        outcome = StepOutcome.WAITING if taken is not None and taken.is_coming else StepOutcome.SKIPPED
        return RouteStep(RouteStage.EXAMPLES, outcome, sentence), None
    vote = taken.vote
    sentence, is_sure = vote_sentence(vote, policy.abstain)
    if vote.says_none:
        return RouteStep(RouteStage.EXAMPLES, StepOutcome.UNSURE, sentence, taken.ms), None
    if not is_sure:
        return RouteStep(RouteStage.EXAMPLES, StepOutcome.UNSURE, sentence, taken.ms, vote.confidence, vote.label), None
    if policy.routes.is_off(vote.label):
        return RouteStep(RouteStage.EXAMPLES, StepOutcome.UNSURE, _off(vote.label), taken.ms), None
    step = RouteStep(RouteStage.EXAMPLES, StepOutcome.DECIDED, sentence, taken.ms, vote.confidence, vote.label)
    stores = _stores(vote.label, evidence, policy.routes)
    reasoning = f"{sentence} {won(vote)}".rstrip()
    return step, _Verdict(RouteMethod.EXAMPLES, vote.label, stores, vote.confidence, reasoning)


def _by_llm(evidence: Evidence, policy: RoutePolicy) -> _Judged:
    heard = evidence.llm
    if heard is None:
        return RouteStep(RouteStage.LLM, StepOutcome.SKIPPED, "Not asked yet."), None
    if heard.outcome is LlmOutcome.ASKING:
        return RouteStep(RouteStage.LLM, StepOutcome.WAITING, "The LLM is being asked.", heard.ms), None
    if heard.answer is None:
        outcome = StepOutcome.SKIPPED if heard.outcome is LlmOutcome.OFF else StepOutcome.FAILED
        sentence = heard.sentence or f"The LLM gave no answer: {heard.outcome.value.replace('_', ' ')}."
        return RouteStep(RouteStage.LLM, outcome, sentence, heard.ms), None
    answer = heard.answer
    if policy.routes.is_off(answer.intent):
        return RouteStep(RouteStage.LLM, StepOutcome.UNSURE, _off(answer.intent), heard.ms), None
    if answer.confidence < policy.llm_least:
        sentence = f"The LLM said {answer.intent}, but {below(answer.confidence, policy.llm_least)}."
        return RouteStep(RouteStage.LLM, StepOutcome.UNSURE, sentence, heard.ms, answer.confidence, answer.intent), None
    why = f" {answer.reasoning}" if answer.reasoning else ""
    sentence = f"The LLM said {answer.intent} with {answer.confidence:.2f}.{why}"
    step = RouteStep(RouteStage.LLM, StepOutcome.DECIDED, sentence, heard.ms, answer.confidence, answer.intent)
    stores = _stores(answer.intent, evidence, policy.routes)
    return step, _Verdict(RouteMethod.LLM_FALLBACK, answer.intent, stores, answer.confidence, sentence)


STAGES: Mapping[RouteStage, Callable[[Evidence, RoutePolicy], _Judged]] = {
    RouteStage.RULES: _by_rules,
    RouteStage.CACHE: _by_cache,
    RouteStage.EXAMPLES: _by_examples,
    RouteStage.LLM: _by_llm,
}
"""What is asked in turn (S6.3); where none decides there is always a fallback."""


def _off(label: str) -> str:
    """Why what was found decides nothing."""
    return f"It would be {label}, a route that is switched off."


def _fallback(evidence: Evidence, routes: Routes) -> _Verdict:
    """The best rule; without one the vote if it leans that way, or if it knows other stores than 001's; else the safe
    choice, qdrant as 001 has it.

    A vote for no store speaks for no route: then the answer that there always is has no confidence and says so."""
    found = evidence.rules.found
    vote = evidence.vote.vote if evidence.vote is not None else None
    if found.intent:
        sentence = f"Nothing was more confident, so the best rule decides. {_cues(found)}: {found.confidence:.2f}."
        return _Verdict(RouteMethod.BEST_RULE, found.intent, found.stores, found.confidence, sentence)
    is_own = vote is not None and ROUTE_NAMES.isdisjoint(label for label, _ in vote.shares)
    if vote is not None and vote.says_none:
        label = vote.label if is_own and not routes.is_off(vote.label) else routes.safe.name
        named = f"{label} of your own routes is named" if is_own else _safe(routes)
        sentence = f"No store seems to be asked for: {none_share(vote)}. There is always an answer: {named}."
        return _Verdict(RouteMethod.DEGRADED, label, routes.stores_of(label), 0.0, sentence)
    if vote is not None and routes.is_off(vote.label):
        vote = None
    if vote is not None and vote.confidence >= LEANING:
        sentence = (
            f"Nothing was more confident; the examples lean to {vote.label}: {vote.confidence:.3f}. {nearest(vote)}"
        )
        stores = _stores(vote.label, evidence, routes)
        return _Verdict(RouteMethod.EXAMPLES, vote.label, stores, vote.confidence, sentence)
    if vote is not None and is_own:
        sentence = (
            f"Nothing is sure; of the stores that you taught {vote.label} is the likeliest: {vote.confidence:.2f}."
        )
        return _Verdict(RouteMethod.DEGRADED, vote.label, routes.stores_of(vote.label), vote.confidence, sentence)
    sentence = f"Nothing was found that decides, so {_safe(routes)}."
    return _Verdict(RouteMethod.DEGRADED, routes.safe.name, routes.safe.stores, 0.0, sentence)


def _safe(routes: Routes) -> str:
    """What the safe choice is."""
    if routes.safe.name == RouteIntent.VECTOR:
        return "it falls back to vector search"
    return f"it falls back to {routes.safe.name}"


def _stores(label: str, evidence: Evidence, routes: Routes) -> tuple[str, ...]:
    """The stores of a label; those of several intents are what the rules found of them, else all (S6.1)."""
    found = evidence.rules.found
    return found.stores if label == RouteIntent.MULTI == found.intent else routes.stores_of(label)
