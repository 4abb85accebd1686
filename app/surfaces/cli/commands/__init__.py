"""COMMANDS: every command of the terminal, a module per subject with options, functions and rows."""

from __future__ import annotations

from app.surfaces.cli.commands import evaluation, library, queries, system
from app.surfaces.cli.program import Command

_ROWS = (queries.COMMANDS, library.COMMANDS, evaluation.COMMANDS, system.COMMANDS)

COMMANDS: dict[str, Command] = {row.name: row for rows in _ROWS for row in rows}
"""Rows by name, in the order of `--help`; slow modules are imported when a command runs."""
