"""Decision on the store for a query, from rules, cache, examples and LLM; pure (S6.2, S6.3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from app.detect.keywords import CompiledRule
from app.detect.patterns import PatternError
from app.domain.case import Vote
from app.domain.inspection import RouteDecision
from app.domain.intent import Rule, RuleHit, RulePurpose
from app.domain.language import percents, plural
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import (
    CONFIDENCES,
    DOCUMENTED,
    OWN_CONFIDENCE,
    ROUTE_NAMES,
    CacheLookup,
    RouteIntent,
    RouteMethod,
    Routes,
    RouteStage,
    RouteStep,
    StepOutcome,
    route_label,
)

SEVERAL = 0.6
"""Confidence if several intents matched (S6.2)."""


@dataclass(frozen=True, slots=True)
class RulesFound:
    """Hits in the order of the text, including suppressed ones, and the resulting intent.

    `intents` are the matched labels with the confidence of the best rule of each, best first; `intent` is the
    result, "" without a match.
    """

    hits: tuple[RuleHit, ...] = ()
    intents: tuple[tuple[str, float], ...] = ()
    intent: str = ""
    stores: tuple[str, ...] = ()
    confidence: float = 0.0

    @property
    def counting(self) -> tuple[RuleHit, ...]:
        """Hits that are not suppressed."""
        return tuple(hit for hit in self.hits if not hit.held_back)


class RouteRules:
    """Enabled route rules, compiled; invalid ones are skipped and named in `problems`.

    With `labels` only rules of these take part: for a user's own routes, cues of others mislead. Rules of disabled
    `routes` take no part either.
    """

    def __init__(
        self, rules: Iterable[Rule], labels: Collection[str] | None = None, routes: Routes = DOCUMENTED
    ) -> None:
        self._routes = routes
        self._rules: list[tuple[str, CompiledRule]] = []
        self.problems: list[str] = []
        for rule in sorted(rules, key=lambda rule: (rule.pack, rule.position)):
            label = route_label(rule.label)
            if routes.is_off(label) or not (labels is None or label in labels):
                continue
            if rule.enabled and rule.purpose is RulePurpose.ROUTE:
                try:
                    self._rules.append((label, CompiledRule.of(rule)))
                except PatternError as error:
                    self.problems.append(f"Rule {rule.id} is left out. {error}")

    def __len__(self) -> int:
        return len(self._rules)

    def find(self, text: str) -> RulesFound:
        """Match the rules in a text and combine their results."""
        found = [(label, hit) for label, rule in self._rules if (hit := rule.find(text)) is not None]
        hits = tuple(sorted((hit for _, hit in found), key=lambda hit: hit.span))
        sure: dict[str, float] = {}
        for label, hit in found:
            if not hit.held_back:
                sure[label] = max(sure.get(label, 0.0), confidence_of(label, hit.rule))
        intents = tuple(sorted(sure.items(), key=lambda item: -item[1]))
        if not intents:
            return RulesFound(hits)
        single = [label for label, _ in intents if label != RouteIntent.MULTI]
        label, confidence = intents[0]
        if len(intents) == 1:
            return RulesFound(hits, intents, label, self._routes.stores_of(label), confidence)
        if self._routes.is_off(RouteIntent.MULTI):  # then the best one, at most as confident as several
            return RulesFound(hits, intents, label, self._routes.stores_of(label), min(confidence, SEVERAL))
        several = RouteIntent.MULTI.value
        # One of the others and a cue of several: the stores of several.
        stores = self._routes.stores_of_several(single) if len(single) > 1 else self._routes.stores_of(several)
        return RulesFound(hits, intents, several, stores, SEVERAL)


def confidence_of(label: str, rule: Rule) -> float:
    """Return the rule's own confidence, else that of its intent (S6.2)."""
    return CONFIDENCES.get(label, OWN_CONFIDENCE) if rule.confidence is None else rule.confidence


def is_foreign(labels: Collection[str], routes: Routes = DOCUMENTED) -> bool:
    """Return whether these are two or more labels, none of them of the five routes.

    False if the user has set up routes, whose `enabled` then applies.
    """
    return not routes.own and len(labels) > 1 and ROUTE_NAMES.isdisjoint(labels)


def against(value: float, least: float) -> str:
    """Compare a confidence with a threshold: "64.9 % is below 65.0 %", "just below 65.0 %"."""
    if value >= least:
        return f"{percents(value, 0)} reaches {percents(least, 0)}"
    for digits in range(3):
        if round(100.0 * value, digits) < round(100.0 * least, digits):
            return f"{percents(value, digits)} is below {percents(least, digits)}"
    return f"just below {percents(least)}"


def vote_sentence(vote: Vote, abstain: float | None) -> tuple[str, bool]:
    """Explain a vote and return whether it counts; `abstain` overrides its own threshold."""
    if vote.is_none_first:
        return "The examples say that no store is asked for, so they do not decide.", False
    least = vote.threshold if abstain is None else abstain
    what = f"The examples say {vote.label}:"
    if vote.confidence < least:
        return f"{what} {against(vote.confidence, least)}, so they do not decide.", False
    if abstain is None and not vote.grounds.is_backed:
        by = f" by {_words(vote)}" if vote.grounds.words else ""
        none = f"none of the {len(vote.nearest)} nearest examples is for {vote.label}"
        return f"{what} {percents(vote.confidence, 0)}{by}, but {none}, so they do not decide.", False
    return f"{what} {against(vote.confidence, least)}.", True


def none_share(vote: Vote) -> str:
    """Format the share of the votes for no store, and the largest share of a route."""
    label, most = vote.shares[0]
    return f"{percents(vote.for_none, 0)} of the votes say “no store”, {percents(most, 0)} {label}"


def won(vote: Vote) -> str:
    """Explain why the vote's label won: its share, and the nearest examples."""
    return " ".join(part for part in (_shares(vote), nearest(vote)) if part)


def nearest(vote: Vote) -> str:
    """Describe the nearest example, and if it is for another route, the support for the winner."""
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
    """Format the query's words that support the vote's label: its words “same” and “start”."""
    words = [f"“{word}”" for word in vote.grounds.words]
    return f"its word{'s' * (len(words) != 1)} {' and '.join(words)}"


def _shares(vote: Vote) -> str:
    """Format the two largest shares of the vote."""
    if len(vote.shares) < 2:
        return ""
    (first, won), (second, lost) = vote.shares[:2]
    return f"Of their vote {first} has {percents(won, 0)}, {second} {percents(lost, 0)}."


# --------------------------------------------------------------------------------------------------------------------
# Decision on the store for a query, from rules, cache, examples and LLM; pure (S6.3)

NOT_NEEDED = "Not needed: it was decided before."

LEANING = 0.2
"""Minimum vote that is better than the safe store if nothing else decides.

A random choice of five routes is right with probability 0.2.
"""


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """Thresholds of rules, vote (None: the examples' own) and LLM; the routes in force.

    `overrule`: a vote as confident as required of rules overrules one.
    """

    threshold: float = 0.9
    abstain: float | None = None
    llm_least: float = 0.5
    routes: Routes = DOCUMENTED
    overrule: bool = False


@dataclass(frozen=True, slots=True)
class RulesResult:
    """Result of the rules, and their time in ms; empty if off."""

    found: RulesFound = field(default_factory=RulesFound)
    ms: float = 0.0
    are_off: bool = False


@dataclass(frozen=True, slots=True)
class CacheResult:
    """Cached answer of the LLM and its age in seconds; `missing` says why there is none."""

    answer: LlmAnswer | None = None
    age_s: float = 0.0
    missing: str = "No answer of the LLM to this query is kept."
    ms: float = 0.0
    looks: tuple[CacheLookup, ...] = ()
    """Cache lookups in order; empty while the cache is off."""
    refused: str = ""
    """Reason that an answer from the shared cache was rejected, in a sentence."""


@dataclass(frozen=True, slots=True)
class VoteResult:
    """Vote of the training examples.

    `missing` says why there is none, or not yet if `is_coming`.
    """

    vote: Vote | None = None
    missing: str = ""
    ms: float = 0.0
    is_coming: bool = False


@dataclass(frozen=True, slots=True)
class LlmResult:
    """Answer of the LLM, or a sentence why there is none; ASKING while it runs.

    OFF: it was not asked. `cost` is in dollars.
    """

    outcome: LlmOutcome
    answer: LlmAnswer | None = None
    sentence: str = ""
    ms: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence known so far; None: not evaluated."""

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
    """Return whether the evidence decides, so that no further stage is needed."""
    return any(judge(evidence, policy)[1] is not None for judge in STAGES.values())


def decide(evidence: Evidence, policy: RoutePolicy) -> RouteDecision:
    """Decide by the first stage with a verdict, and report the result of every stage."""
    steps: list[RouteStep] = []
    verdict: _Verdict | None = None
    for stage, judge in STAGES.items():
        if verdict is None:
            step, verdict = judge(evidence, policy)
            steps.append(step)
        elif stage is RouteStage.EXAMPLES and (taken := evidence.vote) is not None and taken.vote is not None:
            steps.append(RouteStep(stage, StepOutcome.SKIPPED, "They do not overrule what decides.", taken.ms))
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
        llm_intent=heard.answer.name if heard is not None and heard.answer is not None else "",
        llm_outcome=heard.outcome if heard is not None and asked else None,
        cost=heard.cost if heard is not None else 0.0,
        llm=None if heard is None else heard.answer,
        looks=() if evidence.cache is None else evidence.cache.looks,
        is_final=not any(step.outcome is StepOutcome.WAITING for step in steps)
        and not (verdict.method is RouteMethod.RULE and policy.overrule and awaited is not None and awaited.is_coming),
    )


# ---- Stages


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
        sentence = f"{cues}: {against(found.confidence, policy.threshold)}."
        return RouteStep(RouteStage.RULES, StepOutcome.UNSURE, sentence, ms, found.confidence, found.intent), None
    if (vote := _overruling(evidence, policy)) is not None:
        own, other = percents(found.confidence, 0), percents(vote.confidence, 0)
        sentence = f"{cues}: {own}, but the examples are sure of {vote.label}: {other}."
        return RouteStep(RouteStage.RULES, StepOutcome.UNSURE, sentence, ms, found.confidence, found.intent), None
    sentence = f"{cues}: {against(found.confidence, policy.threshold)}."
    step = RouteStep(RouteStage.RULES, StepOutcome.DECIDED, sentence, ms, found.confidence, found.intent)
    return step, _Verdict(RouteMethod.RULE, found.intent, found.stores, found.confidence, sentence)


def _overruling(evidence: Evidence, policy: RoutePolicy) -> Vote | None:
    """Return the vote, if it is for another route and as confident as required of rules.

    A cue of one route says nothing about the rest of the query.
    """
    vote = evidence.vote.vote if evidence.vote is not None else None
    if not policy.overrule or vote is None or vote.is_none_first or policy.routes.is_off(vote.label):
        return None
    is_sure = vote.confidence >= policy.threshold and vote_sentence(vote, policy.abstain)[1]
    return vote if is_sure and vote.label != evidence.rules.found.intent else None


def _cues(found: RulesFound) -> str:
    """Format the matched words of each route: “similar” → vector_similarity."""
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
    if policy.routes.is_off(answer.name):
        return RouteStep(RouteStage.CACHE, StepOutcome.NOTHING, _off(answer.name), looked.ms), None
    sentence = f"The LLM said {answer.name} {_ago(looked.age_s)}, with {percents(answer.confidence, 0)}."
    if CacheLookup.REDIS_HIT in looked.looks:
        sentence = f"{sentence} Redis had kept it."
    sentence = f"{sentence} {looked.refused}".rstrip()
    step = RouteStep(RouteStage.CACHE, StepOutcome.DECIDED, sentence, looked.ms, answer.confidence, answer.name)
    stores = _stores(answer.name, evidence, policy.routes)
    return step, _Verdict(RouteMethod.CACHE, answer.name, stores, answer.confidence, sentence)


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
        sentence = taken.missing if taken is not None else "The examples are off."
        outcome = StepOutcome.WAITING if taken is not None and taken.is_coming else StepOutcome.SKIPPED
        return RouteStep(RouteStage.EXAMPLES, outcome, sentence), None
    vote = taken.vote
    sentence, is_sure = vote_sentence(vote, policy.abstain)
    if vote.is_none_first:
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
    if policy.routes.is_off(answer.name):
        return RouteStep(RouteStage.LLM, StepOutcome.UNSURE, _off(answer.name), heard.ms), None
    if answer.confidence < policy.llm_least:
        sentence = f"The LLM said {answer.name}, but {against(answer.confidence, policy.llm_least)}."
        return RouteStep(RouteStage.LLM, StepOutcome.UNSURE, sentence, heard.ms, answer.confidence, answer.name), None
    why = f" {answer.reasoning}" if answer.reasoning else ""
    sentence = f"The LLM said {answer.name} with {percents(answer.confidence, 0)}.{why}"
    step = RouteStep(RouteStage.LLM, StepOutcome.DECIDED, sentence, heard.ms, answer.confidence, answer.name)
    stores = _stores(answer.name, evidence, policy.routes)
    return step, _Verdict(RouteMethod.LLM_FALLBACK, answer.name, stores, answer.confidence, sentence)


STAGES: Mapping[RouteStage, Callable[[Evidence, RoutePolicy], _Judged]] = {
    RouteStage.RULES: _by_rules,
    RouteStage.CACHE: _by_cache,
    RouteStage.EXAMPLES: _by_examples,
    RouteStage.LLM: _by_llm,
}
"""Stages in order (S6.3); if none decides, the fallback does."""


def _off(label: str) -> str:
    """Explain that a disabled route decides nothing."""
    return f"It would be {label}, a route that is switched off."


def _fallback(evidence: Evidence, routes: Routes) -> _Verdict:
    """Choose the fallback: the best rule, then a leaning vote, then the safe route.

    A vote of routes outside 001's five leans, too. A vote for no store gives the answer confidence 0.
    """
    found = evidence.rules.found
    vote = evidence.vote.vote if evidence.vote is not None else None
    if found.intent:
        sentence = (
            f"Nothing was more confident, so the best rule decides. {_cues(found)}: {percents(found.confidence, 0)}."
        )
        return _Verdict(RouteMethod.BEST_RULE, found.intent, found.stores, found.confidence, sentence)
    is_own = vote is not None and ROUTE_NAMES.isdisjoint(label for label, _ in vote.shares)
    if vote is not None and vote.is_none_first:
        label = vote.label if is_own and not routes.is_off(vote.label) else routes.safe.name
        named = f"{label} of your own routes is named" if is_own else _safe(routes)
        sentence = f"No store seems to be asked for: {none_share(vote)}. There is always an answer: {named}."
        return _Verdict(RouteMethod.DEGRADED, label, routes.stores_of(label), 0.0, sentence)
    if vote is not None and routes.is_off(vote.label):
        vote = None
    if vote is not None and vote.confidence >= LEANING:
        said = f"the examples lean to {vote.label}: {percents(vote.confidence, 0)}."
        sentence = f"Nothing was more confident; {said} {nearest(vote)}".rstrip()
        stores = _stores(vote.label, evidence, routes)
        return _Verdict(RouteMethod.EXAMPLES, vote.label, stores, vote.confidence, sentence)
    if vote is not None and is_own:
        said = f"{vote.label} is the likeliest: {percents(vote.confidence, 0)}."
        sentence = f"Nothing is sure; of the stores that you taught {said}"
        return _Verdict(RouteMethod.DEGRADED, vote.label, routes.stores_of(vote.label), vote.confidence, sentence)
    sentence = f"Nothing was found that decides, so {_safe(routes)}."
    return _Verdict(RouteMethod.DEGRADED, routes.safe.name, routes.safe.stores, 0.0, sentence)


def _safe(routes: Routes) -> str:
    if routes.safe.name == RouteIntent.VECTOR:
        return "it falls back to vector search"
    return f"it falls back to {routes.safe.name}"


def _stores(label: str, evidence: Evidence, routes: Routes) -> tuple[str, ...]:
    """Return the stores of a label; for several intents those the rules found, else all (S6.1)."""
    found = evidence.rules.found
    return found.stores if label == RouteIntent.MULTI == found.intent else routes.stores_of(label)
