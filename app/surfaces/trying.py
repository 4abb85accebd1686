"""The terminal's `evaluate --against` and `--sweep`: labelled queries under other settings, and what that turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from app.display.evaluation.comparison import comparison_document, comparison_lines, sweep_document, sweep_lines
from app.display.evaluation.sweep import values_of
from app.display.system.settings import setting_sections
from app.display.visible import visible_lines
from app.domain.case import Case, Task
from app.evaluation.report import document, report
from app.ports.store import Line, Problem
from app.services.workbench import Workbench
from app.settings.layers import from_pairs
from app.settings.model import ALIASES, SettingsError
from app.surfaces.judging import Sifted
from app.surfaces.terminal import Progress, write_document


async def compare_cases(
    workbench: Workbench,
    lines: Iterable[Line[Case] | Problem],
    task: str,
    out: TextIO,
    *,
    gates: Sequence[str] = (),
    against: Sequence[str],
    as_json: bool,
) -> bool:
    """Judge the answers under today's settings and under these `KEY=VALUE`s; whether every gate held.

    SettingsError, FormatError, EncoderError, KnownError.
    """
    sifted = Sifted.of(lines, Task(task))
    changes = changes_of(against)
    progress = Progress("comparing")
    try:
        found = await workbench.settings_trials.compare(sifted.cases, Task(task), changes, progress)
    finally:
        progress.done()
    if as_json:
        write_document(out, {**document(found.before), "against": comparison_document(found, changes)})
    else:
        told = "\n".join(comparison_lines(found, changes))
        print(visible_lines(f"{report(found.before)}\n{told}"), file=out)
    return sifted.passes(found.before, gates, found)


async def sweep_cases(
    workbench: Workbench,
    lines: Iterable[Line[Case] | Problem],
    task: str,
    out: TextIO,
    *,
    gates: Sequence[str] = (),
    sweep: str,
    taught: bool = True,
    as_json: bool,
) -> bool:
    """Judge the answers under each of the values of `KEY=VALUES`; whether every gate held, those on a change being on
    the best value. SettingsError, FormatError, EncoderError, KnownError."""
    sifted = Sifted.of(lines, Task(task))
    key, values = _values(workbench, sweep)
    progress = Progress("sweeping")
    try:
        found = await workbench.settings_trials.sweep(sifted.cases, Task(task), key, values, progress, taught=taught)
    finally:
        progress.done()
    if as_json:
        write_document(out, sweep_document(found))
    else:
        print(visible_lines("\n".join(sweep_lines(found))), file=out)
    best = found.best
    return sifted.passes(found.today, gates, None if best is None else best.comparison)


def changes_of(pairs: Sequence[str]) -> dict[str, str]:
    """The settings of `KEY=VALUE` words by their own names; SettingsError."""
    return {ALIASES.get(key, key): str(value) for key, value in from_pairs(pairs).items()}


def _values(workbench: Workbench, sweep: str) -> tuple[str, tuple[str, ...]]:
    """The setting and the values that `KEY=VALUES` names; SettingsError."""
    ((key, text),) = changes_of([sweep]).items()
    sections = setting_sections(workbench.settings, workbench.origins)
    row = next((row for section in sections for row in section.rows if row.key == key), None)
    if row is None:
        raise SettingsError(f"There is no setting “{key}” that can be swept.", key)
    try:
        return key, values_of(row, text)
    except ValueError as error:
        raise SettingsError(str(error), key) from None
