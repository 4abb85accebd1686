"""Causes of different answers to a case in two runs, derived from both runs' numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.evaluation.answers import AnswerEvidence

LEAST_MOVE = 0.005
"""Minimum change of a score that counts."""


class CauseKind(StrEnum):
    """Kind of cause: undoing it restores the former answer, or it is the only difference."""

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
    """Cause of a different answer: a setting, answer, rule or scorer, with both values."""

    kind: CauseKind
    name: str = ""
    of: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a compared case: the first answer, and the evidence for it."""

    top: str | None
    account: AnswerEvidence


@dataclass(frozen=True, slots=True)
class Since:
    """Differences between two runs other than settings.

    `edited` are answers added or changed, `names` the present answers (None: always the same), `others` those of
    encoder, fit and program that differ.
    """

    edited: Collection[str]
    names: Collection[str] | None
    others: Sequence[CauseKind] = ()


def by_settings(given: object, under: Mapping[str, object], changed: Mapping[str, tuple[str, str]]) -> Cause:
    """Find the setting whose former value restores the former outcome; `under` has each outcome.

    The key "" in `under` stands for all settings together.
    """
    for key, (before, after) in changed.items():
        if key in under and under[key] == given:
            return Cause(CauseKind.SETTING, key, before=before, after=after)
    if "" in under and under[""] == given:
        return Cause(CauseKind.SETTINGS, ", ".join(changed))
    return Cause(CauseKind.UNKNOWN)


def by_library(before: Side, after: Side, then_now: AnswerEvidence | None, since: Since) -> Cause:
    """Find the cause under equal settings; `then_now` has the former answer's present scores.

    Rules come first, then edited answers, then scores, which change with either; if no score changed, the encoder,
    the fit or the program, if one differs.
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
    """Return the scorer with the largest change and both values; None if none changed."""
    both = {name: (before[name], after[name]) for name in before if name in after}
    if not both:
        return None
    name = max(both, key=lambda one: abs(both[one][1] - both[one][0]))
    one, other = both[name]
    return (name, f"{one:.3f}", f"{other:.3f}") if abs(other - one) >= LEAST_MOVE else None
