"""Staleness of results: the inputs of answers, and sentences on what changed in them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from app.domain.case import Task
from app.domain.language import plural
from app.services.status import Status
from app.settings.model import UNASKED, Settings, bearing, changed_keys

MOST_AT_ONCE = 5_000
"""Number of texts that can be compared pairwise and run as queries in less than a second."""

TEXTS_OF_POWER = 10
"""Approximate number of a power's texts: name, keywords, examples, tools."""

MOST_NAMED = 3
"""Maximum number of causes named in a sentence; others are counted."""

_COUNTED = {
    "memories": (("{n} memory more", "{n} memories more"), ("{n} memory less", "{n} memories less")),
    "powers": (("{n} power more", "{n} powers more"), ("{n} power less", "{n} powers less")),
}
_EDITED = {
    "answers": "the library was edited",
    "rules": "the rules were changed",
    "routes": "the route examples were changed",
    "types": "the type examples were changed",
}
TASK_BY_EXAMPLES = {"routes": Task.ROUTE, "types": Task.TYPE}
"""Content that is taught by cases of one task and does not affect other tasks."""
_SILENT = "none"


@dataclass(frozen=True, slots=True)
class EvaluationInputs:
    """Inputs of the answers to labelled cases: settings, scales, content, encoder."""

    settings: Mapping[str, str]
    scales: object
    digests: Mapping[str, int]
    counts: Mapping[str, int]
    encoder: str


def evaluation_inputs(
    status: Status, settings: Settings, but: tuple[str, ...] = UNASKED, *, tasks: Collection[Task] = tuple(Task)
) -> EvaluationInputs:
    """Return the present inputs of answers to cases of these tasks.

    Settings whose keys start with one of `but` are left out, and route or type examples if no task uses them.
    """
    ready = status.encoder_state == "ready"
    return EvaluationInputs(
        settings=bearing(settings, but),
        scales=_scales(settings),
        digests={
            what: digest for what, digest in status.digests.items() if TASK_BY_EXAMPLES.get(what) in (None, *tasks)
        },
        counts={kind: status.counts.get(kind, 0) for kind in _COUNTED},
        encoder=status.encoder if ready else _SILENT,
    )


def _scales(settings: Settings) -> object:
    """Return the fits that confidences depend on; a fit's quality only matters when it decides."""
    scales, learned = settings.calibration, settings.learned
    outdone = [learned.is_outdone(power=power) for power in (False, True)]
    return scales.memories, scales.powers, learned.memories, learned.powers, outdone


def runs_automatically(status: Status) -> bool:
    """Check if running on the whole library takes less than a second and would be final.

    False while the encoder loads, or vectors are computed.
    """
    is_coming = status.encoder_state == "loading" or (
        status.encoder_state == "ready" and status.embedded < status.to_embed
    )
    texts = status.counts.get("triggers", 0) + TEXTS_OF_POWER * status.counts.get("powers", 0)
    return status.is_open and not is_coming and 0 < texts <= MOST_AT_ONCE


def changes_sentence(before: EvaluationInputs | None, now: EvaluationInputs | None) -> str:
    """Return a sentence on the changes that affect answers; "" for none."""
    causes = [] if before is None or now is None else list(_causes(before, now))
    if not causes:
        return ""
    named = "; ".join(causes[:MOST_NAMED])
    if (more := len(causes) - MOST_NAMED) > 0:
        named += "; " + f"{more:,} more"
    return f"Out of date: {named}."


def _causes(before: EvaluationInputs, now: EvaluationInputs) -> Iterator[str]:
    for key in changed_keys(before.settings, now.settings):
        then, value = before.settings.get(key, ""), now.settings.get(key, "")
        yield f"{key} ({then or '–'}, now {value or '–'})"
    if before.scales != now.scales:
        yield "confidence was recalibrated"
    if before.digests.get("answers") != now.digests.get("answers"):
        yield from _taught(before, now)
    for kind in ("rules", "routes", "types"):
        if len({told.digests[kind] for told in (before, now) if kind in told.digests}) > 1:
            yield _EDITED[kind]
    if before.encoder != now.encoder:
        yield _encoder(before.encoder, now.encoder)


def _taught(before: EvaluationInputs, now: EvaluationInputs) -> Iterator[str]:
    """Yield the change in the number of answers, or that answers were edited."""
    moved = {kind: now.counts[kind] - before.counts[kind] for kind in _COUNTED}
    if not any(moved.values()):
        yield _EDITED["answers"]
    for kind, by in moved.items():
        if by:
            one, many = _COUNTED[kind][by < 0]
            yield plural(abs(by), one, many)


def _encoder(before: str, now: str) -> str:
    if before == _SILENT:
        return "meaning counts now"
    return "meaning no longer counts" if now == _SILENT else "the encoder was changed"
