"""Runs an evaluation of the command line on lines of cases."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from app.domain.case import Case, Task
from app.domain.library import Line, Problem
from app.services.workbench import Workbench
from app.surfaces.cli.evaluate import CaseFile
from app.surfaces.cli.output import Printer

Result = TypeVar("Result")


def judged(
    run: Callable[..., Result],
    bench: Workbench,
    lines: Iterable[Line[Case] | Problem],
    task: str,
    out: Printer,
    /,
    **how: Any,
) -> Result:
    """Run an evaluation; `gates` and `junit` are those of the file."""
    own = {key: how.pop(key) for key in ("gates", "junit") if key in how}
    return run(bench, CaseFile.of(lines, Task(task), out, **own), **how)
