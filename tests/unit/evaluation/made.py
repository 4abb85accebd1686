"""Answered cases in one line each, for tests."""

from app.display.evaluation.results import evaluation_lines
from app.domain.case import Case, Task
from app.domain.match import Tier
from app.evaluation.answers import Answered, RankedName, acceptable
from app.evaluation.evaluation import Evaluation

THRESHOLD = 0.3


def answer(
    expected: str,
    candidates: str,
    *,
    task: Task = Task.INTENT,
    rank: int | None = None,
    tier: Tier | None = None,
    meant: Tier | None = None,
    offered: int = 0,
) -> Answered:
    """Make an answered case.

    `expected` are names separated by blanks, `candidates` are "name:confidence" pairs, best first. The rank is
    computed from these, unless it is given for an answer beyond them.
    """
    ranked = tuple(
        RankedName(name, float(confidence)) for name, confidence in (word.split(":") for word in candidates.split())
    )
    right = acceptable(expected.split())
    found = next((place for place, candidate in enumerate(ranked, 1) if candidate.name in right), rank)
    top = ranked[0].confidence if ranked else 0.0
    case = Case("?", tuple(expected.split()), task, tier=meant)
    return Answered(case, right, ranked, found, rejected=top < THRESHOLD, tier=tier, offered=offered)


FIVE = [
    answer("a", "a:0.9 b:0.5"),  # right
    answer("b", "a:0.8 b:0.7"),  # second, and therefore wrong
    answer("b", "b:0.2 a:0.1"),  # first, but rejected
    answer("oos", "a:0.25"),  # correctly rejected
    answer("", "c:0.6"),  # wrongly answered
]


def page_of(evaluation: Evaluation) -> str:
    return "\n".join(evaluation_lines(evaluation))
