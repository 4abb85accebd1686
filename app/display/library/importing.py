"""Import and export in sentences: content of a file, progress, result, closing warnings."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain import journal
from app.domain.case import Case
from app.domain.history import ReplayProgress
from app.domain.intent import Rule
from app.domain.journal import BY_PLURAL
from app.domain.language import plural
from app.domain.library import Memory, Power, Problem
from app.domain.outside import LONGEST_SHOWN, LeftOut, Restored, counted, left_out_lines, named, pairs
from app.domain.running import approval_text, shown
from app.services.library.import_export import (
    EvaluationDataHint,
    ImportFinished,
    ImportPreview,
    ImportProgress,
    ImportStage,
)
from app.settings.refusals import without_secrets_in

ENDINGS = tuple(".markdown .jsonl .ndjson .csv .tsv .toml .json .yaml .yml .txt .md .mdc .zip .intent .ini .lu".split())
"""Extensions of files that can be imported, for a file dialog."""

WINDOW_SECONDS = 8.0
"""Time window for the current speed, in seconds."""

LISTED = 12
"""Maximum number of listed fields of a file, for each of imported and ignored ones."""

LEAST_SECONDS = 1.0
"""Minimum elapsed time for an estimate, in seconds."""

_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """One item of a file in the preview: its name, or all its triggers on a line each, and its content."""

    name: str
    detail: str


def preview_line(thing: Any) -> PreviewLine:
    """Format an item of a file in two short texts, as it would be stored."""
    match thing:
        case Memory():
            return PreviewLine("\n".join(" ".join(each.split()) for each in thing.triggers), _memory_detail(thing))
        case Power():
            return PreviewLine(thing.name, _power_detail(thing))
        case Rule():
            return PreviewLine(thing.id, f"label {thing.label} · {thing.pattern}")
        case Case():
            return PreviewLine(thing.text, _case_detail(thing))
    return PreviewLine(str(thing), "")


def _memory_detail(memory: Memory) -> str:
    parts = [
        f"id {memory.id}" if memory.id else "",
        f"intent {memory.intent}" if memory.intent else "no intent",
        f"response {memory.response}" if memory.response else "",
        f"namespace {memory.namespace}" if memory.namespace != "context" else "",
        f"tags {', '.join(memory.tags)}" if memory.tags else "",
        "paused" if memory.paused else "",
    ]
    return " · ".join(filter(None, parts))


def _power_detail(power: Power) -> str:
    """Return the description, what the power runs or reaches without passwords, and whether it is paused."""
    reached = without_secrets_in(approval_text(power.transport)).replace("\n", " ")
    parts = (power.description, reached, "paused" if power.paused else "")
    return " · ".join(filter(None, parts))


def _case_detail(case: Case) -> str:
    unwanted = f"not {', '.join(case.unwanted)}" if case.unwanted else ""
    expected = f"expects {', '.join(case.expected)}" if case.expected else ""
    return " · ".join(filter(None, (expected, unwanted))) or "expects no match"


def fields_sentence(fields: Mapping[str, str]) -> str:
    """Return how headings were mapped; "" if there are none or all match their fields."""
    renamed = [f"“{name}” as {field}" for name, field in fields.items() if field and field != name.strip().lower()]
    passed = [f"“{name}”" for name, field in fields.items() if not field]
    parts = [f"Read from the file: {_listed(renamed)}."] if renamed else []
    parts += [f"Not imported: {_listed(passed)}."] if passed else []
    return " ".join(parts)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")


def content_sentence(looked: ImportPreview) -> str:
    sentence = f"{looked.path.name} holds {journal.counted(BY_PLURAL[looked.kind], looked.count)}."
    if looked.problems:
        skipped = plural(len(looked.problems), "{n} line is skipped,", "{n} lines are skipped, each")
        sentence += f" {skipped} with a reason."
    return sentence


def suspicion_sentence(found: EvaluationDataHint) -> str:
    """Return why the memories may be evaluation data, with advice; "" if nothing suggests it."""
    if not found:
        return ""
    if found.are_cases:
        why = f"{found.cases:,} of the first {found.of:,} texts are cases already."
    else:
        why = f"“{found.word}” in the name suggests queries to test with."
    return f"{why} " + "Anything you teach can't be used as a test. If these are tests, choose Cases."


def import_verb(looked: ImportPreview) -> str:
    """Return the label of the import button."""
    return f"Import {journal.counted(BY_PLURAL[looked.kind], looked.count)}"


def problem_lines(problems: Sequence[Problem]) -> str:
    return "\n".join(f"line {problem.line:,}: {problem.sentence}" for problem in problems)


class RemainingTime:
    """Estimator of the remaining time, from the recent speed."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def add(self, done: int, now: float) -> None:
        """Record progress at a time in seconds; a decrease starts over."""
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, done))
        while now - self._seen[0][0] > WINDOW_SECONDS and len(self._seen) > 2:
            self._seen.popleft()

    def text(self, total: int) -> str:
        """Return the remaining time in words; "" if unknown."""
        if not self._seen:
            return ""
        (begun, first), (now, done) = self._seen[0], self._seen[-1]
        if now - begun < LEAST_SECONDS or done <= first or total <= done:
            return ""
        seconds = (total - done) * (now - begun) / (done - first)
        if seconds < _MINUTE:
            return f"about {max(1, round(seconds))} s left"
        return f"about {round(seconds / _MINUTE)} min left"


def progress_line(name: str, taking: ImportProgress, left: str) -> str:
    if not taking.total:
        said = f"Importing {name}: line {taking.done:,}"
    elif taking.stage is ImportStage.STORING and taking.done < taking.total:
        said = f"Importing {name}: {taking.done:,} of {taking.total:,} lines"
    elif taking.stage is ImportStage.STORING:
        said = f"Importing {name}: storing {taking.total:,} lines"
    else:
        said = f"Importing {name}: {taking.done:,} of {taking.total:,} answer"
    return f"{said}, {left}" if left else said


def outcome_sentence(name: str, taken: ImportFinished) -> str:
    if taken.result is None:
        return f"The import of {name} was cancelled; nothing was changed."
    change, kind = taken.result.change, taken.result.kind
    counts = {"added": len(change.added), "updated": len(change.updated), "there already": change.unchanged}
    what = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) or "nothing new"
    sentence = f"Imported {kind} from {name}: {what}."
    if left := taken.result.problems:
        sentence += " " + plural(len(left), "{n} line was skipped.", "{n} lines were skipped.")
    return " ".join([sentence, *taken.result.remarks(notes=1, names=2)])


# --------------------------------------------------------------------------------------------------------------------
# Warnings about tasks that closing the window would stop


def import_warning(done: int, total: int) -> str:
    """Return the warning about an import, which stores nothing until its end; 0, 0: unread."""
    far = f": {done:,} of {total:,} lines" if total else f": line {done:,}" if done else ""
    return f"An import is under way{far}. Nothing of it is stored yet."


def folder_warning() -> str:
    """Return the warning about reading or writing the library's folder."""
    return "The library’s folder is being read or written. Closing the window breaks that off."


def replay_warning(replay: ReplayProgress) -> str:
    far = f"A replay is under way: {replay.done:,} of {replay.of:,} queries."
    return f"{far} What it has found is not kept."


def log_warning(read: int, total: int) -> str:
    """Return the warning about the import of a log; `total` is 0 while unknown."""
    far = f": {read:,} of {total:,} queries" if total else ""
    return f"A log is being imported{far}. The queries stored so far stay; the rest is skipped."


def stop_verb(count: int) -> str:
    """Return the label of the button that stops tasks and closes the window."""
    return "Stop it and close" if count == 1 else "Stop them and close"


def restored_lines(source: str, restored: Restored) -> list[str]:
    """Return the result of a restore: owner, accepted and omitted parts, and the old library."""
    lines = [f"The library is that of {source}."]
    if not restored.is_own:
        lines.append("That copy was not made by this profile.")
    if restored.accepted:
        lines.append(
            f"Accepted: {counted(restored.accepted, 'setting', 'settings')} ({named(pairs(restored.accepted))})."
        )
    lines += left_out_lines(restored.left_out, "“restore --accept-settings” takes them as well.")
    return [*lines, f"What it was before is kept in {restored.before}."]


def restored_document(restored: Restored) -> dict[str, object]:
    left = restored.left_out
    return {
        "before": restored.before,
        "own": restored.is_own,
        "accepted": dict(restored.accepted),
        "left_out": {
            "approvals": list(left.approvals),
            "settings": dict(left.settings),
            "unknown_settings": list(left.unknown),
            "team": left.team or None,
            "sql": list(left.sql),
        },
    }


def settings_question(settings: Mapping[str, str], holds: str) -> str:
    """Return the question on settings from elsewhere; `holds` is the file's name with a verb."""
    told = counted(settings, "setting", "settings")
    head = f"{holds} {told} with an address, a permission or another choice:"
    return "\n".join((head, *(f"    {shown(pair, LONGEST_SHOWN)}" for pair in pairs(settings))))


def imported_settings_lines(taken: Mapping[str, str], left: Mapping[str, str], unknown: Sequence[str]) -> list[str]:
    """Return the imported settings, and those left out."""
    left_out = left_out_lines(LeftOut(settings=left), "“import --accept-settings” takes them as well.")
    lines = [*(f"{key} = {value}" for key, value in taken.items()), *left_out]
    return [*lines, f"Left out, as nothing here is like it: {', '.join(unknown)}."] if unknown else lines


def imported_settings_document(
    taken: Mapping[str, str], left: Mapping[str, str], unknown: Sequence[str]
) -> dict[str, object]:
    """Make the document of imported settings; `left_out` has the keys of the file."""
    return {"settings": dict(taken), "not_accepted": dict(left), "left_out": list(unknown)}
