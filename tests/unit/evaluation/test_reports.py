"""Tests of documents and pages of evaluations, which a person reviews as text."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from app.display.evaluation.diagnostics import confidence_bars
from app.domain.case import Task
from app.domain.confidence import Calibration, Chance
from app.domain.match import Tier
from app.evaluation.distribution import search_times
from app.evaluation.documents import document
from app.evaluation.evaluation import Evaluation, judged
from app.settings.model import Settings
from tests.build import some
from tests.unit.evaluation.made import FIVE, answer, page_of
from tests.unit.evaluation.test_evaluation import FOUR
from tests.unit.evaluation.test_measures import UNAPPROVED, case
from tests.unit.evaluation.test_tier_quality import FOUR as COSTS
from tests.unit.evaluation.test_tier_quality import NOTHING, SEVEN, blocked, cost

GOLDEN = Path(__file__).with_name("reports.txt")
"""Reviewed text of documents and pages; `GOLDEN.write_text(read(), "utf-8")` writes it again."""
PLAIN = Settings()
CROWDED = Settings.model_validate({"tiers": {"medium": 0.3}})
OWN_SCALE = PLAIN.with_calibration(Calibration(memories=Chance(9.0, -4.0, asked=1_200, ece=0.0123)))
RIGHT_POWER = answer("a", "a:0.9", task=Task.POWER, tier=Tier.ACTIVATED, offered=1)
UNSURE_POWER = answer("", "a:0.06", task=Task.POWER, tier=Tier.WEAK_MATCHES)
MIXED = [answer("a", "a:0.9"), answer("b", "a:0.92"), answer("a", "a:0.5"), answer("", "a:0.5")]
MEASURED = replace(
    judged(Task.POWER, "balanced", [RIGHT_POWER], PLAIN),
    tokens=cost(*COSTS),
    times=search_times([(Tier.ACTIVATED, 8.0)]),
)
EVALUATIONS: dict[str, Evaluation] = {
    "intents": judged(Task.INTENT, "balanced", FOUR, PLAIN),
    "intents, with curves": judged(Task.INTENT, "max", FIVE, PLAIN),
    "intents, none rejected": judged(Task.INTENT, "max", FIVE[:2], PLAIN),
    "intents, by the scale taught here": judged(Task.INTENT, "calibrated", [answer("a", "a:0.9")], OWN_SCALE),
    "intents, expected beside right": judged(Task.INTENT, "balanced", MIXED, PLAIN),
    "powers": judged(Task.POWER, "balanced", SEVEN, PLAIN),
    "powers, none of which can be started": judged(Task.POWER, "balanced", [*map(blocked, SEVEN)], PLAIN),
    "powers, a tier that no query ends in": judged(Task.POWER, "balanced", [NOTHING], CROWDED),
    "powers, not approved": judged(Task.POWER, "max", [case(Task.POWER, ("git",), "git", UNAPPROVED)], PLAIN),
    "powers, by the scale that ships": judged(Task.POWER, "calibrated", [RIGHT_POWER], PLAIN),
    "powers, rejected by one confidence": judged(Task.POWER, "learned", [UNSURE_POWER], PLAIN),
    "powers, rejected by the chance of any": judged(Task.POWER, "learned", [replace(UNSURE_POWER, shared=0.43)], PLAIN),
    "powers, with tokens and times": MEASURED,
    "powers, slow and without tools": replace(
        MEASURED, tokens=cost(*COSTS, everything=0), times=search_times([(Tier.ACTIVATED, 80.0)])
    ),
    **{f"nothing of {task}": judged(task, "balanced", [], PLAIN) for task in (Task.INTENT, Task.POWER, Task.TYPE)},
}


def told(evaluation: Evaluation) -> Iterator[str]:
    """Yield a page, then a line of JSON for each part of the document."""
    yield page_of(evaluation)
    for name, part in document(evaluation).items():
        yield f"  {name}: {json.dumps(part)}"


def read() -> str:
    return "\n\n".join("\n".join((f"# {name}", *told(one))) for name, one in EVALUATIONS.items()) + "\n"


def test_that_pages_and_documents_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_only_a_confidence_that_rejects_is_a_line_in_the_bars() -> None:
    names = ("powers, rejected by one confidence", "powers, rejected by the chance of any")
    bars = [some(confidence_bars(EVALUATIONS[name])) for name in names]
    assert [bool(one.at) for one in bars] == [True, False]
