"""The command `connect`: edits an assistant's configuration after showing the diff, and restores the original."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.display.visible import visible_lines
from app.domain.errors import KnownError
from app.domain.language import say
from app.services.system.clients import CLIENTS, Client, Surroundings, client_of
from app.services.system.configuration_text import UnreadableConfigurationError
from app.services.system.start_requests import own_command
from app.surfaces.cli.output import FAILED, OK, as_misuse, output, written
from app.surfaces.cli.program import print_notice, wants_json

BACKUP = ".before-intentscope"
"""The suffix of the backup of the original file."""

MOST_BYTES = 2**24
CONTEXT_LINES = 2


class NotConnectedError(KnownError):
    """The file cannot be edited or restored by this program."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The configuration file of one assistant, before and after the edit."""

    client: Client
    file: Path
    command: list[str]
    before: str | None
    """None where there is no file yet."""
    after: str
    origins: tuple[str | None, ...]
    """What the file can have held before it named this program, None for no file: what is kept beside it, or nothing,
    where the file is that and an entry of ours, and no more."""

    @classmethod
    def of(cls, client: Client, file: Path, command: list[str]) -> Connection:
        """The edit of a client's file; NotConnectedError."""
        before = _text_of(file)
        try:
            after = client.edit(before or "", command)
            return cls(client, file, command, before, after, _origins(client, file, before))
        except UnreadableConfigurationError as error:
            raise NotConnectedError(
                say(
                    "{file} is left as it is: {error}. Write the lines of `connect {key} --print` into it by hand.",
                    file=file,
                    error=error,
                    key=client.key,
                )
            ) from None

    @property
    def backup(self) -> Path:
        return _backup_of(self.file)

    @property
    def is_made(self) -> bool:
        return self.before == self.after

    def difference(self) -> list[str]:
        """The unified diff of the edit."""
        return _difference(self.file, self.before or "", self.after)

    def make(self) -> None:
        """Write the file; what it held before it named this program stays beside it. NotConnectedError where it holds
        something else by now, MisuseError where it cannot be written."""
        self._refuse_changed()
        with as_misuse(self.file):
            self.file.parent.mkdir(parents=True, exist_ok=True)
        if self.before is not None and not self.origins:
            with written(self.backup, private=True) as kept:
                kept.write(self.before)
        with written(self.file) as file:
            file.write(self.after)

    def former(self) -> str | None:
        """The original content of the file, None for no file; NotConnectedError."""
        if self.origins:
            return self.origins[0]
        said = say("{file} holds something else than was written: take the lines out by hand.", file=self.file)
        kept = self.backup.exists()
        raise NotConnectedError(said + (say(" {backup} is what it was.", backup=self.backup) if kept else ""))

    def restore(self, former: str | None) -> None:
        """Put the file back; NotConnectedError where it holds something else by now, MisuseError where it cannot be
        written."""
        self._refuse_changed()
        if former is None:
            with as_misuse(self.file):
                self.file.unlink(missing_ok=True)
            return
        with written(self.file) as file:
            file.write(former)
        with as_misuse(self.backup):
            self.backup.unlink(missing_ok=True)

    def _refuse_changed(self) -> None:
        if _text_of(self.file) != self.before:
            raise NotConnectedError(
                say("{file} has changed since it was read; nothing is written. Try again.", file=self.file)
            )


def _backup_of(file: Path) -> Path:
    return file.with_name(file.name + BACKUP)


def _origins(client: Client, file: Path, before: str | None) -> tuple[str | None, ...]:
    command = client.named(before or "")
    if command is None:
        return ()
    kept = _text_of(_backup_of(file))
    found: list[str | None] = []
    for former in (kept, None) if kept is not None else (None,):
        with contextlib.suppress(UnreadableConfigurationError):
            if client.edit(former or "", command) == before:
                found.append(former)
    return tuple(found)


def _text_of(file: Path) -> str | None:
    try:
        with file.open("rb") as stream:
            found = stream.read(MOST_BYTES + 1)
        if len(found) > MOST_BYTES:
            raise NotConnectedError(say("{file} is left as it is: it is too large.", file=file))
        return found.decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise NotConnectedError(say("{file} cannot be read: {error}.", file=file, error=error)) from None


def _difference(file: Path, before: str, after: str) -> list[str]:
    name = str(file)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, "", "", CONTEXT_LINES, "")
    return visible_lines("\n".join(lines)).splitlines()


def run_connect(options: argparse.Namespace) -> int:
    """List the assistants, or show, write, restore or print the configuration of one."""
    if options.client is None:
        return _listed(options)
    client, profile = client_of(options.client), getattr(options, "profile", None)
    command = own_command(None if profile is None else profile.absolute())
    if options.printed:
        return _printed(options, client, command)
    file = options.file or client.file(Surroundings(Path.home(), Path.cwd(), sys.platform, os.environ))
    connection = Connection.of(
        client, Path(os.path.realpath(file)), command
    )  # what a link leads to, be it there or not
    return _disconnect(options, connection) if options.undo else _connect(options, connection)


def _listed(options: argparse.Namespace) -> int:
    rows = [{"client": client.key, "name": client.name, "place": client.place} for client in CLIENTS]
    with output(options) as out:
        lines = [f"{row['client']:16}{row['name']:26}{row['place']}" for row in rows]
        print(json.dumps(rows, indent=2) if wants_json(options) else "\n".join(lines), file=out)
    return OK


def _printed(options: argparse.Namespace, client: Client, command: list[str]) -> int:
    text = client.written(command)
    print_notice(say("In {place}; start the assistant anew afterwards:", place=client.place))
    told = {"client": client.key, "name": client.name, "place": client.place, "text": text}
    with output(options) as out:
        print(json.dumps(told, indent=2) if wants_json(options) else text, file=out)
    return OK


def _connect(options: argparse.Namespace, connection: Connection) -> int:
    """Show the diff and write it after confirmation; the exit code is FAILED after a no."""
    difference = connection.difference()
    if not wants_json(options):
        with output(options) as out:
            print("\n".join(difference), end="\n" if difference else "", file=out)
    asked = not (options.yes or wants_json(options) or connection.is_made) and is_somebody_there()
    wanted = options.yes or (asked and _confirm(say("Write this?")))
    if wanted and not connection.is_made:
        connection.make()
    _report_connected(options, connection, written=wanted, asked=asked)
    _document(options, connection, difference, wanted and not connection.is_made)
    return FAILED if asked and not wanted else OK


def _report_connected(options: argparse.Namespace, connection: Connection, *, written: bool, asked: bool) -> None:
    file, key = connection.file, connection.client.key
    if connection.is_made:
        print_notice(say("{file} names this program already; nothing is changed.", file=file))
    elif written:
        print_notice(
            say("{file} is written.", file=file)
            + _report_unchanged(connection)
            + say(" Start the assistant anew; `connect {key} --undo` takes it back.", key=key)
        )
    else:
        print_notice(
            say("Nothing is written.")
            if asked
            else say("Nothing is written: `connect {key} --yes` writes this.", key=key)
        )


def _report_unchanged(connection: Connection) -> str:
    if connection.before is None or connection.origins[:1] == (None,):
        return ""
    if connection.origins:
        return say(" What it held before it named this program stays in {backup}.", backup=connection.backup)
    return say(" What it held is kept in {backup}.", backup=connection.backup)


def _disconnect(options: argparse.Namespace, connection: Connection) -> int:
    if connection.before is None:
        print_notice(say("There is no {file}; nothing is changed.", file=connection.file))
        return OK
    former = connection.former()
    difference = _difference(connection.file, connection.before, former or "")
    if not wants_json(options):
        with output(options) as out:
            print("\n".join(difference), file=out)
    connection.restore(former)
    still = former is not None and connection.client.named(former) is not None
    print_notice(
        say("{file} is what it was before.", file=connection.file)
        + (say(" It named this program then, too: take those lines out by hand.") if still else "")
    )
    _document(options, connection, difference, True)
    return OK


def _document(options: argparse.Namespace, connection: Connection, difference: list[str], written: bool) -> None:
    if not wants_json(options):
        return
    client = connection.client
    told: dict[str, Any] = {"client": client.key, "name": client.name, "place": client.place}
    told |= {"file": str(connection.file), "text": client.written(connection.command)}
    told |= {"difference": difference, "written": written}
    with output(options) as out:
        print(json.dumps(told, indent=2), file=out)


def is_somebody_there() -> bool:
    """Whether the terminal is interactive."""
    return sys.stdin.isatty()


def _confirm(question: str) -> bool:
    """Ask for confirmation at the terminal."""
    print(say("{question} [y/N] ", question=question), end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes", say("yes").lower(), say("yes")[:1].lower()}
