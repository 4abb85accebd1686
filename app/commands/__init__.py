"""COMMANDS: every command of the terminal as a row; `arguments` says what each takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from app.commands.assistants import run_hook, run_mcp, run_serve
from app.commands.library import run_export, run_import
from app.commands.measures import run_bench, run_doctor, run_evaluate
from app.commands.questions import run_question, run_route, run_why_not
from app.commands.window import run_gui

COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "gui": run_gui,
    "inspect": run_question,
    "detect": run_question,
    "resolve": run_question,
    "route": run_route,
    "why-not": run_why_not,
    "import": run_import,
    "export": run_export,
    "evaluate": run_evaluate,
    "bench": run_bench,
    "mcp": run_mcp,
    "serve": run_serve,
    "hook": run_hook,
    "doctor": run_doctor,
}
"""What is heavy is imported by a command when it runs, so that the window is painted before."""
