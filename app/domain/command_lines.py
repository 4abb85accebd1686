"""Parse a pasted command line into environment variables, command and arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

_SPACED = re.compile(r"\s")
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_PROGRAM = re.compile(r"""^([A-Za-z]:[\\/]|\\\\|/)[^"']*?\.(exe|cmd|bat)(?=\s|$)""", re.IGNORECASE)
_PROMPT = re.compile(r"^\s*[$>%]\s+")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Parsed command line: the program, its arguments, and environment variables by name."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """Sentence that counts the arguments and variables of the parsed line."""
        count, variables = len(self.args), len(self.env)
        told = f"Taken apart: the command and {count} argument{'' if count == 1 else 's'}"
        if variables:
            told += f", {variables} variable{'' if variables == 1 else 's'}"
        return f"{told}."


def parse_command_line(text: str) -> CommandLine | None:
    """Parse a command line; None if it is only a program, or a quote is not closed.

    Quotes group words. A backslash is an ordinary character, as in Windows paths.
    """
    line = _PROMPT.sub("", text).strip()
    program = _PROGRAM.match(line)
    if not _SPACED.search(line) or (program is not None and program.end() == len(line)):
        return None
    words = words_of(line[program.end() if program is not None else 0 :])
    if words is None:
        return None
    env: dict[str, str] = {}
    while program is None and len(words) > 1 and _ASSIGNED.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        env[name] = value
    command = program.group() if program is not None else words.pop(0)
    return CommandLine(command, tuple(words), env)


def words_of(text: str) -> list[str] | None:
    """Split a line into words as a shell does, without escapes; None if a quote is not closed."""
    reader = shlex.shlex(text, posix=True, punctuation_chars=False)
    reader.whitespace_split, reader.escape, reader.commenters = True, "", ""
    try:
        return list(reader)
    except ValueError:
        return None
