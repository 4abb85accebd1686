"""Command `evaluate`: labelled queries run and judged, with token costs on demand."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app.display.documents import resolution_document
from app.display.evaluation.comparison import comparison_document, sweep_document
from app.display.evaluation.llm import llm_document, llm_lines
from app.display.evaluation.results import Gated, comparison_lines, evaluation_lines, junit_xml
from app.display.evaluation.runs import (
    change_line,
    changes_since_document,
    changes_since_lines,
    fit_document,
    refit_document,
    refit_sentence,
    run_document,
    run_lines,
    since_last_sentence,
)
from app.display.evaluation.sweep import parse_values, sweep_lines
from app.display.evaluation.thresholds import precision_target_line
from app.display.system.settings import setting_sections
from app.display.words import visible
from app.domain.case import Case, Task
from app.domain.errors import FormatError
from app.domain.inspection import Resolution
from app.domain.language import plural
from app.domain.library import Line, Problem, Tool
from app.domain.match import Tier
from app.evaluation.answers import acceptable, candidates_of, labelled, top_of
from app.evaluation.comparison import Comparison
from app.evaluation.curves import PrecisionTarget, precision_target
from app.evaluation.distribution import AnswerTokens, TokenCost, search_times, token_cost
from app.evaluation.documents import document, gate, gated, parse_gate
from app.evaluation.evaluation import Evaluation
from app.ports.encoder import TokenCounter
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine.engine import Engine
from app.services.evaluation.contest import replacement_sentence
from app.services.evaluation.evaluate import TimedResolution, resolve_each, spread
from app.services.evaluation.llm_answers import AskLlm, LlmAskOptions
from app.services.evaluation.refits import fit_words
from app.services.library.import_export import SHOWN_PROBLEMS, ImportValidator
from app.services.workbench import Workbench
from app.settings.layers import from_pairs
from app.settings.model import ALIASES, SettingsError
from app.surfaces.cli.output import MisuseError, Printer, retry_while_locked, written
from app.surfaces.cli.terminal import Progress

OF_TYPES = (
    "--task type judges the six types of search intent; if the cases name intents of memories, use --task intent."
)
QUOTED = re.compile("“[^”]*”")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """Cases of a file, the number of its other lines, and the output and gates of their evaluation."""

    cases: list[Case]
    lost: int
    task: Task
    out: Printer
    gates: Sequence[str] = ()
    junit: Path | None = None

    @classmethod
    def of(
        cls,
        lines: Iterable[Line[Case] | Problem],
        task: Task,
        out: Printer,
        *,
        gates: Sequence[str] = (),
        junit: Path | None = None,
    ) -> CaseFile:
        """Read the cases of a task; report other lines on stderr.

        Raises FormatError if there are none.
        """
        sieve = ImportValidator(lines)
        every = list(sieve)
        cases = [case for case in every if case.task is task]
        if len(cases) < len(every):
            others = len(every) - len(cases)
            told = plural(others, "1 case of other tasks is left out", "{n} cases of other tasks are left out")
            print(told, file=sys.stderr)
        for sentence in _grouped_problems(sieve.problems)[:SHOWN_PROBLEMS]:
            print(visible(sentence), file=sys.stderr)
        if task is Task.TYPE and sieve.problems:
            print(OF_TYPES, file=sys.stderr)
        if not cases and every:
            has = ", ".join(sorted({case.task.value for case in every}))
            raise FormatError(f"The file holds no case of this task. Its cases are for --task {has}.")
        if not cases:
            raise FormatError("The file holds no case that can be evaluated.")
        return cls(cases, len(sieve.problems), task, out, gates, junit)

    def finish(
        self, evaluation: Evaluation, document: dict[str, Any], lines: Iterable[str], change: Comparison | None = None
    ) -> bool:
        """Write the result with its gates, and check these."""
        found = gates_of(evaluation, self.gates, change)
        gates = [{"gate": one.text, "value": one.value, "met": one.held} for one in found]
        with suppress(BrokenPipeError):  # the gates decide the exit code, whether or not the reader stays
            self.out.write({**document, "gates": gates}, lines)
        return self.passes(evaluation, found)

    def passes(self, evaluation: Evaluation, found: Sequence[Gated]) -> bool:
        """Check every gate; report each on stderr, and all as JUnit XML to a file.

        If lines could not be judged, no gate holds. Raises MisuseError if the file cannot be written.
        """
        for one in found:
            value = f"{parse_gate(one.text).metric} has no value for these cases"
            if one.value is not None:
                value = f"it is {one.value:.6g}"
            print(visible(f"gate {'met' if one.held else 'not met'}: {one.text} ({value})"), file=sys.stderr)
        if self.gates and self.lost:
            lost = f"{self.lost:,} of {(self.lost + len(self.cases)):,} lines could not be judged"
            print(f"gate not met: {lost}", file=sys.stderr)
            found = [*found, Gated(lost, float(self.lost), held=False)]
        if self.junit is not None:
            with written(self.junit) as file:
                file.write(junit_xml(evaluation, found))
        return all(one.held for one in found)


def gates_of(evaluation: Evaluation, gates: Sequence[str], change: Comparison | None = None) -> list[Gated]:
    return [Gated(text, gated(evaluation, text, change), gate(evaluation, text, change)) for text in gates]


def _grouped_problems(problems: Sequence[Problem]) -> list[str]:
    """Return a line per kind of problem (equal but for quoted text): first, and count."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(QUOTED.sub("“”", problem.sentence), []).append(problem)
    lines = []
    for alike in kinds.values():
        first, more = alike[0], len(alike) - 1
        also = plural(more, " (and {n} more line alike)", " (and {n} more lines alike)") if more else ""
        lines.append(f"line {first.line:,}: {first.sentence}{also}")
    return lines


async def evaluate_cases(
    workbench: Workbench,
    file: CaseFile,
    *,
    counter: TokenCounter | None = None,
    note: Callable[[Evaluation], object] = lambda _: None,
    precision: float | None = None,
    strangers: float | None = None,
) -> bool:
    """Judge the answers to labelled queries; return True if every gate held.

    Invalid lines are reported on stderr, and then no gate holds. With a `counter` also the token costs of answers about
    powers; with a `precision` also the confidence that reaches it at this share of out-of-scope queries (`strangers`).
    """
    evaluation = await _judged(workbench, file.cases, file.task, counter)
    note(evaluation)
    for warning in filter(
        None, (untaught(evaluation, workbench.engine.index), replacement_sentence(workbench.engine.settings))
    ):
        print(visible(warning), file=sys.stderr)
    if precision is None:
        extra, lines = {}, evaluation_lines(evaluation)
    else:
        promise = _precision_target(evaluation, precision, strangers)
        extra = {"promise": None if promise is None else asdict(promise)}
        lines = [*evaluation_lines(evaluation), "", precision_target_line(promise, evaluation.task)]
    fit = fit_document(workbench.status().fit)
    return file.finish(evaluation, {**document(evaluation), **extra, "fit": fit}, lines)


async def print_fit(workbench: Workbench, out: Printer) -> None:
    """Print the fit of the learned weights, and the changes by a refit of this process."""
    fit, refit = workbench.status().fit, workbench.refits.last
    changes = [] if refit is None else await workbench.refits.changes_of(refit)
    made, lines = None, [f"{fit_words(fit) or 'Nothing is decided by a fit under these settings'}."]
    if refit is not None:
        made, lines = refit_document(refit, changes), [refit_sentence(refit), *map(change_line, changes)]
    out.write({"fit": fit_document(fit), "refit": made}, lines)


def _precision_target(evaluation: Evaluation, precision: float, strangers: float | None) -> PrecisionTarget | None:
    try:
        return precision_target([top_of(one) for one in labelled(evaluation.answered)], precision, strangers)
    except ValueError:
        raise MisuseError("--strangers takes cases for which nothing is right: there are none.") from None


def untaught(evaluation: Evaluation, index: TriggerIndex) -> str:
    """Return a sentence on expected answers that are not taught; "" if all are."""
    if evaluation.task not in (Task.INTENT, Task.MEMORY, Task.POWER):
        return ""
    expected = dict.fromkeys(name for answered in evaluation.answered for name in answered.acceptable)
    taught = set(candidates_of(index, evaluation.task).names)
    missing = [name for name in expected if name not in taught]
    if not missing:
        return ""
    shown = ", ".join(f"“{name[:40]}”" for name in missing[:3]) + (" and more" if len(missing) > 3 else "")
    near = {_letters(name): name for name in taught}
    other = next((name for name in missing if _letters(name) in near), "")
    stranger = next((name for name in missing if _letters(name) in STRANGERS), "")
    hints = (
        f": “{other[:40]}” is taught as “{near[_letters(other)][:40]}”." if other else ".",
        f" Where “{stranger}” means that nothing is right, write “oos”." if stranger else "",
    )
    return (
        f"Not taught in this profile, so they cannot come first: {len(missing):,} of the "
        f"{len(expected):,} different answers that the cases expect ({shown}). Names count as "
        f"they are written{''.join(hints)}"
    )


STRANGERS = frozenset(("oos", "ood", "outofscope", "outofdomain", "none", "nointent", "fallback", "nlufallback"))
"""Labels of other data sets, in letters alone, that mean that nothing is right."""


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


async def _judged(workbench: Workbench, cases: Sequence[Case], task: Task, counter: TokenCounter | None) -> Evaluation:
    engine = workbench.engine
    with Progress("evaluating") as progress:
        evaluation = await workbench.evaluations.today(cases, task, progress, accounts=True)
    if task is not Task.POWER:
        return evaluation
    if counter is not None:
        resolved = _resolve_texts(engine, [case.text for case in cases])
        cost = _cost(engine, cases, resolved, counter)
        return replace(evaluation, times=search_times([found.timed for found in resolved]), tokens=cost)
    if any(case.tier is not None for case in cases):
        resolved = _resolve_texts(engine, spread([case.text for case in cases]))
        return replace(evaluation, times=search_times([found.timed for found in resolved]))
    return evaluation


def _resolve_texts(engine: Engine, texts: Sequence[str]) -> list[TimedResolution]:
    """Resolve each text alone, after an uncounted warm-up."""
    list(resolve_each(engine, texts[:1]))
    found: list[TimedResolution] = []
    with Progress("timing") as progress:
        for place, resolved in enumerate(resolve_each(engine, texts), 1):
            found.append(resolved)
            progress(place, len(texts))
    return found


def _cost(
    engine: Engine, cases: Sequence[Case], resolved: Sequence[TimedResolution], counter: TokenCounter
) -> TokenCost:
    """Count an assistant's tokens: answer and activation, compared with all tools of all powers."""
    powers = engine.index.layout().powers
    tools = [power.tools or (Tool(power.name, power.description),) for power in powers]
    every = _json([{"name": tool.name, "description": tool.description} for held in tools for tool in held])
    answers = [_json(resolution_document(_with_activation(found.resolution))) for found in resolved]
    followed = [_next_activation(case, found.resolution) for case, found in zip(cases, resolved, strict=True)]
    texts = [every, *answers, *dict.fromkeys(text for text in followed if text)]
    counts = dict(zip(texts, counter.count(texts), strict=True))
    return token_cost(
        [
            AnswerTokens(found.resolution.status, counts[answer], counts[then] if then else 0)
            for found, answer, then in zip(resolved, answers, followed, strict=True)
        ],
        counter=counter.name,
        powers=len(powers),
        tools=sum(map(len, tools)),
        everything=counts[every],
    )


def _with_activation(resolution: Resolution) -> Resolution:
    """Return the answer that an assistant gets, with the activated power's server running."""
    return replace(resolution, started=resolution.status is Tier.ACTIVATED, reason=None)


def _next_activation(case: Case, resolution: Resolution) -> str:
    """Return the activation after alternatives: of the first right power, else of the first.

    "" if nothing is expected or offered, or a power is activated already.
    """
    if resolution.status is Tier.ACTIVATED or not resolution.matches or not case.expected:
        return ""
    right = acceptable(case.expected)
    chosen = next((match for match in resolution.matches if match.power.name in right), resolution.matches[0])
    return _json(resolution_document(Resolution(Tier.ACTIVATED, resolution.query, (chosen,), started=True)))


def _json(found: object) -> str:
    return json.dumps(found, ensure_ascii=False)


# ---- `evaluate --against` and `--sweep`: labelled queries under other settings


async def llm_cases(workbench: Workbench, file: CaseFile, *, asking: LlmAskOptions) -> bool:
    """Judge types, labels or powers with and without the LLM; return True if every gate held.

    Gates on a metric apply to answers merged by the active policy. Raises FormatError, KnownError.
    """
    with _asking() as progress:
        if file.task is Task.TYPE:
            ask_llm = workbench.llm_answers.asker(asking, progress)
            found = await workbench.evaluations.with_llm(file.cases, ask_llm)
        else:
            found = await workbench.llm_choices.judged(file.cases, file.task, asking, progress)
    today = found.adds.after
    return file.finish(today, {**document(today), "llm": llm_document(found)}, llm_lines(found))


def _asking() -> Progress:
    """Count the requests to the LLM on stderr."""
    return Progress("asking", "The LLM is asked {n} times; this takes {time} more.")


def _asker(workbench: Workbench, asking: LlmAskOptions | None, progress: Progress) -> AskLlm | None:
    """Return the AskLlm of these options; None without the LLM."""
    return None if asking is None else workbench.llm_answers.asker(asking, progress)


OF_LLM = (
    "llm.",
    *(f"search_intent.{name}" for name in ("use_llm", "llm_timeout_ms", "min_confidence", "merge", "fallback_penalty")),
)
"""Prefixes of settings that only take effect through the LLM."""


def _warn_llm_unused(keys: Iterable[str], asking: LlmAskOptions | None) -> None:
    """Warn on stderr that LLM settings have no effect without the LLM."""
    unheard = [key for key in keys if key.startswith(OF_LLM)]
    if unheard and asking is None:
        keys = ", ".join(unheard)
        told = f"The LLM is asked with --llm only: without it {keys} changes no answer."
        print(visible(told), file=sys.stderr)


async def compare_cases(
    workbench: Workbench, file: CaseFile, *, against: Sequence[str], asking: LlmAskOptions | None = None
) -> bool:
    """Judge answers under present settings and these `KEY=VALUE`s; True if every gate held.

    Raises SettingsError, FormatError, EncoderError, KnownError.
    """
    changes = changes_of(against)
    _warn_llm_unused(changes, asking)
    with Progress("comparing") as progress, _asking() as asked:
        ask_llm = _asker(workbench, asking, asked)
        found = await workbench.evaluations.compare(file.cases, file.task, changes, progress, ask_llm=ask_llm)
    told = {**document(found.before), "against": comparison_document(found, changes)}
    return file.finish(found.before, told, comparison_lines(found, changes), found)


async def sweep_cases(
    workbench: Workbench, file: CaseFile, *, sweep: str, taught: bool = True, asking: LlmAskOptions | None = None
) -> bool:
    """Judge the answers under each value of `KEY=VALUES`; return True if every gate held.

    Gates on a change apply to the best value. Raises SettingsError, FormatError, EncoderError, KnownError.
    """
    key, values = _values(workbench, sweep)
    _warn_llm_unused([key], asking)
    with Progress("sweeping") as progress, _asking() as asked:
        evaluations, ask_llm = workbench.evaluations, _asker(workbench, asking, asked)
        found = await evaluations.sweep(file.cases, file.task, key, values, progress, taught=taught, ask_llm=ask_llm)
    file.out.write(sweep_document(found), sweep_lines(found))
    change = None if found.best is None else found.best.comparison
    return file.passes(found.today, gates_of(found.today, file.gates, change))


def changes_of(pairs: Sequence[str]) -> dict[str, str]:
    """Parse `KEY=VALUE` words into settings with canonical keys; raises SettingsError."""
    return {ALIASES.get(key, key): str(value) for key, value in from_pairs(pairs).items()}


def _values(workbench: Workbench, sweep: str) -> tuple[str, tuple[str, ...]]:
    """Parse `KEY=VALUES` into a setting and its values; raises SettingsError."""
    ((key, text),) = changes_of([sweep]).items()
    sections = setting_sections(workbench.settings, workbench.origins)
    row = next((row for section in sections for row in section.rows if row.key == key), None)
    if row is None:
        raise SettingsError(f"No setting “{key}” that can be swept.", key)
    try:
        return key, parse_values(row, text)
    except ValueError as error:
        raise SettingsError(str(error), key) from None


# ---- Stored evaluations, and changes since one


async def print_runs(workbench: Workbench, out: Printer) -> None:
    """Print every stored run, newest first; raises StoreError."""
    runs = await workbench.runs.kept()
    out.write({"runs": [run_document(run) for run in runs]}, run_lines(runs))


async def forget_run(workbench: Workbench, out: Printer, *, run: int) -> None:
    """Delete a run; raises KnownError, StoreError."""
    await retry_while_locked(lambda: workbench.runs.forget(run))
    out.write({"forgotten": run}, [f"Run {run} was deleted."])


async def keep_run(workbench: Workbench, judged: Sequence[Evaluation], source: str, out: Printer) -> None:
    """Store an evaluation; print its number, and the change since the run before it."""
    for evaluation in judged:
        noted = await workbench.runs.note(evaluation, source)
        if noted.key is not None and not out.as_json:
            out.print(f"Stored as run {noted.key}. --against-run {noted.key} shows what changed since.")
            if since := since_last_sentence([noted]):
                out.print(since)


async def compare_with_run(workbench: Workbench, file: CaseFile, *, run: int) -> bool:
    """Print the changes since a run (0: the last of the task) and their causes.

    Returns True if every gate held; gates on a change apply to the changes since the run. Raises KnownError.
    """
    with Progress("comparing") as progress:
        found = await workbench.runs.against(run or None, file.cases, file.task, progress)
    today, change = found.comparison.after, found.comparison
    told = {**document(today), "since": changes_since_document(found)}
    return file.finish(today, told, changes_since_lines(found), change)
