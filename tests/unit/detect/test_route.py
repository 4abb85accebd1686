"""Tests of routes: the first certain stage decides, and every stage has a reason (S6.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.detect.route import (
    LEANING,
    CacheResult,
    Evidence,
    LlmResult,
    RoutePolicy,
    RouteRules,
    RulesResult,
    VoteResult,
    decide,
    is_settled,
)
from app.domain.case import NearExample, Vote, VoteBasis
from app.domain.intent import Rule, RulePurpose
from app.domain.llm import LlmAnswer, LlmOutcome
from app.domain.route import DOCUMENTED, Routes
from tests.golden import line, written

POLICY = RoutePolicy()


def rule(name: str, label: str, confidence: float | None = None, unless: str | None = None) -> Rule:
    return Rule(name, label, name, "p", 0, confidence=confidence, unless=unless, purpose=RulePurpose.ROUTE)


RULES = RouteRules(
    [rule("sure", "graph"), rule("near", "vector"), rule("once", "temporal"), rule("held", "graph", unless="back")]
)
NEAREST = (NearExample("an example", "hybrid_search", 0.8),)


def looked(text: str) -> RulesResult:
    return RulesResult(RULES.find(text), 0.5)


def vote(label: str = "hybrid_search", sure: float = 0.8, threshold: float = 0.7, **more: Any) -> VoteResult:
    return VoteResult(
        Vote(label, sure, threshold, **{"shares": ((label, 0.7), ("graph_traversal", 0.3)), **more}), ms=0.2
    )


def answer(intent: str = "multi_database", sure: float = 0.8, why: str = "") -> LlmAnswer:
    return LlmAnswer(intent, sure, "json", reasoning=why)


OWN = NearExample("another one", "hybrid_search", 0.4)
OTHER = NearExample("far from it", "graph_traversal", 0.5)
OTHER_TOO = (NearExample("farther", "vector_similarity", 0.3),)


MOSTLY_NONE: dict[str, Any] = {"shares": (("hybrid_search", 0.3), ("graph_traversal", 0.1))}
"""Vote with a share of 0.6 for no store."""
GOLDEN = Path(__file__).with_name("route.txt")
"""Reviewed text of decisions; `GOLDEN.write_text(read(), "utf-8")` writes it again."""
COMING = VoteResult(missing="The query’s vector is being made.", is_coming=True)
OVERRULING = RoutePolicy(overrule=True)
WITHOUT_HYBRID = Routes(tuple(replace(row, enabled=row.name != "hybrid_search") for row in DOCUMENTED.rows))
ALONE = VoteBasis(is_backed=False, backing=(OWN,), words=("same as",))
HEARD = LlmResult(LlmOutcome.ANSWERED, answer(why="Both are named."), ms=90.0, cost=0.1)
EVIDENCE: dict[str, Evidence] = {
    "a sure rule": Evidence(looked("sure"), CacheResult(answer()), vote()),
    "a sure rule, and examples to come": Evidence(looked("sure"), vote=COMING),
    "several rules": Evidence(looked("sure and near")),
    "a rule that is overruled": Evidence(looked("held back"), vote=VoteResult(missing="Soon.", is_coming=True)),
    "kept for 10 s": Evidence(looked(""), CacheResult(answer(), 10.0), vote()),
    "kept for 10 min": Evidence(looked(""), CacheResult(answer(), 600.0), vote()),
    "kept for 2 h": Evidence(looked(""), CacheResult(answer(), 7_300.0), vote()),
    "examples": Evidence(looked("once"), CacheResult(), vote(nearest=NEAREST)),
    "examples at 20 %": Evidence(looked(""), CacheResult(), vote(sure=0.2)),
    "examples at 69.9 %": Evidence(looked(""), CacheResult(), vote(sure=0.699)),
    "examples just below": Evidence(looked(""), CacheResult(), vote(sure=0.69999)),
    "examples closer below": Evidence(looked(""), CacheResult(), vote(sure=0.7 - 2**-53)),
    "examples without one that is near": Evidence(
        looked(""), CacheResult(), vote(nearest=(OTHER, *OTHER_TOO), grounds=ALONE)
    ),
    **{
        f"examples against the nearest, {len(words)} words": Evidence(
            looked(""), CacheResult(), vote(nearest=(OTHER, OWN), grounds=VoteBasis(backing=(OWN,), words=words))
        )
        for words in ((), ("start",), ("start", "as"))
    },
    "examples with the nearest": Evidence(
        looked(""), CacheResult(), vote(nearest=(OWN, OTHER), grounds=VoteBasis(backing=(OWN,), words=("start",)))
    ),
    "examples that lean": Evidence(vote=vote(sure=LEANING)),
    "examples that do not lean": Evidence(vote=vote(sure=LEANING - 0.01)),
    "examples of routes of one's own": Evidence(vote=vote("orders", 0.1, shares=(("orders", 0.6), ("stock", 0.4)))),
    "no store": Evidence(vote=vote(sure=0.9, **MOSTLY_NONE)),
    "no store of one's own": Evidence(vote=vote("billing", 0.4, shares=(("billing", 0.2), ("refunds", 0.1)))),
    "no store, and a sure rule": Evidence(looked("sure"), vote=vote(**MOSTLY_NONE)),
    "no store, and a rule": Evidence(looked("once"), vote=vote(**MOSTLY_NONE)),
    "no encoder": Evidence(vote=VoteResult(missing="No encoder.")),
    "nothing": Evidence(),
    "LLM among the routes of rules": Evidence(looked("sure near"), None, vote(sure=0.1), HEARD),
    "LLM alone": Evidence(looked(""), llm=LlmResult(LlmOutcome.ANSWERED, answer())),
    **{
        f"LLM {llm.outcome}": Evidence(looked("once"), vote=vote(sure=0.1), llm=llm)
        for llm in (
            LlmResult(LlmOutcome.OFF, sentence="It is off."),
            LlmResult(LlmOutcome.TIMED_OUT),
            LlmResult(LlmOutcome.UNREACHABLE, sentence="Nobody answers."),
            LlmResult(LlmOutcome.LOW_CONFIDENCE, answer(sure=0.2)),
            LlmResult(LlmOutcome.ASKING),
        )
    },
}
OVERRULED: dict[str, VoteResult] = {
    "examples as sure as it must be": vote(sure=0.9),
    "examples less sure": vote(sure=0.899),
    "examples of the same route": vote("graph_traversal", sure=0.95),
    "examples without one that is near": vote(sure=0.95, grounds=VoteBasis(is_backed=False)),
    "examples for no store": vote(sure=0.95, shares=(("hybrid_search", 0.1), ("graph_traversal", 0.1))),
    "no examples": VoteResult(missing="The query’s vector is being made."),
    "examples to come": COMING,
}


def told(evidence: Evidence, policy: RoutePolicy = POLICY) -> Iterator[str]:
    """Yield a decision in a line, its reasoning, and its stages."""
    found = decide(evidence, policy)
    when = "" if found.is_final else ", for now"
    yield f"{found.intent} ({', '.join(found.databases)}) {found.confidence:g} by {found.method}{when}, {found.ms:g} ms"
    yield found.reasoning
    for step in found.steps:
        sure = "" if step.confidence is None else f" {step.confidence:.9g}"
        yield f"  {step.stage} {step.outcome}{f' {step.label}' if step.label else ''}{sure}: {step.sentence}"
    rule_, llm = (found.rule_intent, found.rule_confidence), (found.llm_outcome, found.llm_intent, found.cost)
    yield f"  rule {line(rule_)}; LLM {line(llm)}; shares {line(found.shares)}; nearest {line(found.nearest)}"
    yield f"  grounds {line(found.grounds)}"


def read() -> str:
    made = {name: told(evidence) for name, evidence in EVIDENCE.items()}
    for name, taken in OVERRULED.items():
        made[f"a sure rule that may be overruled by {name}"] = told(Evidence(looked("sure"), vote=taken), OVERRULING)
    off = RoutePolicy(overrule=True, routes=WITHOUT_HYBRID)
    made["a sure rule and examples of a route that is off"] = told(Evidence(looked("sure"), vote=vote(sure=0.95)), off)
    two = RouteRules([rule("held", "graph", unless="back"), rule("back", "graph", unless="held")])
    made["two rules that are overruled"] = told(Evidence(RulesResult(two.find("held back"))))
    anyway = RoutePolicy(abstain=0.0)
    made["no store, whatever the threshold"] = told(Evidence(vote=vote(sure=0.9, **MOSTLY_NONE)), anyway)
    return written(made)


def test_that_decisions_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_examples_below_the_threshold_may_be_settled() -> None:
    voted = vote(nearest=(OTHER, *OTHER_TOO), grounds=ALONE)
    assert is_settled(Evidence(vote=voted), RoutePolicy(abstain=0.2))
