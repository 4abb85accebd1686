"""What another encoder does to the labelled cases, in a sentence and as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.display.evaluation.comparison import chance_words, verdict

if TYPE_CHECKING:
    from app.evaluation.evaluation import Evaluation
    from app.services.system.encoders import Gain


def gain_words(gain: Gain) -> str:
    """What an encoder does to the labelled cases, and whether that is more than chance."""
    before, after = (_share_right(one) for one in (gain.comparison.before, gain.comparison.after))
    count = len(gain.comparison.after.answered)
    cases = "the one case" if count == 1 else f"the {count:,} cases"
    words = f"Of {cases} of task {gain.task}, {after} come out right with it, {before} as it is now."
    odds = chance_words(gain.comparison)
    return " ".join(part for part in (words, verdict(gain.comparison), odds) if part)


def gain_document(gain: Gain) -> dict[str, Any]:
    """What an encoder does to the labelled cases, for JSON."""
    comparison = gain.comparison
    return {
        "task": gain.task.value,
        "cases": len(comparison.after.answered),
        "top1_before": comparison.before.metrics["top1"],
        "top1_after": comparison.after.metrics["top1"],
        "fixed": comparison.fixed,
        "broken": comparison.broken,
        "p": comparison.p,
    }


def _share_right(evaluation: Evaluation) -> str:
    share = evaluation.metrics["top1"]
    return "none" if share is None else f"{100 * share:.1f} %"
