"""Why a case is answered otherwise than in a kept run: what moved it, as far as numbers of both runs tell; pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.evaluation.answers import AnswerEvidence

LEAST_MOVE = 0.005
"""A score that moved by less is taken for unmoved."""


class CauseKind(StrEnum):
    """What moved an answer: with it as it was, the case is answered as it was; or it alone differs."""

    SETTING = "setting"
    SETTINGS = "settings"
    TRIGGER = "trigger"
    GONE = "gone"
    RULE = "rule"
    SCORER = "scorer"
    ENCODER = "encoder"
    FIT = "fit"
    PROGRAM = "program"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cause:
    """What moved an answer: its `name` (a setting, an answer, a rule, a scorer), whose it is, and both values."""

    kind: CauseKind
    name: str = ""
    of: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One case on one side of a comparison: the answer that came first, and what is known of it."""

    top: str | None
    account: AnswerEvidence


@dataclass(frozen=True, slots=True)
class Since:
    """Differences between two runs beside settings: answers that were taught or changed since, those that there are
    now (None: they are always the same), and which of encoder, fit and program is another one."""

    edited: Collection[str]
    names: Collection[str] | None
    others: Sequence[CauseKind] = ()


def by_settings(given: str | None, under: Mapping[str, str | None], changed: Mapping[str, tuple[str, str]]) -> Cause:
    """The setting under whose earlier value the case gets its earlier answer again, `under` telling what each gives;
    that they do it together, by "", or that they do not."""
    for key, (before, after) in changed.items():
        if key in under and under[key] == given:
            return Cause(CauseKind.SETTING, key, before=before, after=after)
    if "" in under and under[""] == given:
        return Cause(CauseKind.SETTINGS, ", ".join(changed))
    return Cause(CauseKind.UNKNOWN)


def by_library(before: Side, after: Side, then_now: AnswerEvidence | None, since: Since) -> Cause:
    """What moved the answer under the same settings. `then_now` is what the earlier answer scores now.

    A rule that fires or no longer fires is told before what was taught, and that before a score, which moves with
    either; where no score moved it is the encoder, the fit or the program, if one of them is another.
    """
    if fired := [cue for cue in after.account.cues if cue not in before.account.cues]:
        return Cause(CauseKind.RULE, fired[0], after.top or "", "", "fires")
    if silent := [cue for cue in before.account.cues if cue not in after.account.cues]:
        return Cause(CauseKind.RULE, silent[0], before.top or "", "fires", "")
    if before.top is not None and since.names is not None and before.top not in since.names:
        return Cause(CauseKind.GONE, before.top)
    if after.top is not None and after.top in since.edited:
        return Cause(CauseKind.TRIGGER, after.account.trigger, after.top)
    if before.top is not None and before.top in since.edited:
        return Cause(CauseKind.TRIGGER, "" if then_now is None else then_now.trigger, before.top)
    if since.others:
        return Cause(since.others[0])
    same = after.account if before.top == after.top else then_now
    moved = _furthest(before.account.scores, {} if same is None else same.scores)
    if moved is None:
        return Cause(CauseKind.UNKNOWN)
    name, one, other = moved
    return Cause(CauseKind.SCORER, name, before.top or "", one, other)


def _furthest(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[str, str, str] | None:
    """The scorer that moved furthest, with both values; None where none did."""
    both = {name: (before[name], after[name]) for name in before if name in after}
    if not both:
        return None
    name = max(both, key=lambda one: abs(both[one][1] - both[one][0]))
    one, other = both[name]
    return (name, f"{one:.3f}", f"{other:.3f}") if abs(other - one) >= LEAST_MOVE else None
