"""Command `connect`: edits an assistant's configuration after a diff, or restores it."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import os
import shlex
import sys
from bisect import bisect_left
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app import files
from app.display.words import visible_lines
from app.domain.errors import KnownError
from app.services.system.clients import CLIENTS, Client, Surroundings, client_of
from app.services.system.configuration_text import UnreadableConfigurationError
from app.services.system.start_requests import own_command
from app.surfaces.cli.output import FAILED, OK, as_misuse, is_confirmed, output, wants_json
from app.surfaces.cli.program import print_notice

BACKUP = ".before-intentscope"
"""Suffix of the backup of the original file."""

MOST_BYTES = 2**24
CONTEXT_LINES = 2
LONGEST_LINE, LEAD = 2_000, 200
"""Maximum characters shown of a line in a diff, and of its unchanged start where another part changes."""


class NotConnectedError(KnownError):
    """The file cannot be edited or restored by this program."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Configuration file of one assistant, before and after the edit."""

    client: Client
    file: Path
    """Path as given, or relative to the project: a relative path leads through no link."""
    command: list[str]
    before: str | None
    """Content before the edit; None without a file."""
    after: str
    origins: tuple[str | None, ...]
    """Possible contents before the program's entry was added, None for no file.

    The backup, or nothing if the file has only the program's entry.
    """

    @classmethod
    def of(cls, client: Client, file: Path, command: list[str]) -> Connection:
        """Prepare the edit of a client's file; raises NotConnectedError."""
        before = _text_of(file)
        try:
            after = client.edit(before or "", command)
            return cls(client, file, command, before, after, _origins(client, file, before))
        except UnreadableConfigurationError as error:
            raise NotConnectedError(
                f"{file} is left as it is: {error}. Write the lines of `connect {client.key} --print` into it by hand."
            ) from None

    @property
    def backup(self) -> Path:
        return _backup_of(self.file)

    @property
    def is_backed_up(self) -> bool:
        """True if `make` copies the content to the backup."""
        return self.before is not None and not self.origins

    @property
    def is_made(self) -> bool:
        return self.before == self.after

    def difference(self) -> list[str]:
        """Return the edit's diff in Git's format, naming each file that `make` writes."""
        copied = [f"copy from {self.file.absolute()}", f"copy to {self.backup.absolute()}"] if self.is_backed_up else []
        return [*_visible(copied), *_difference(self.file, self.before, self.after)] if not self.is_made else []

    def reversal(self, former: str | None) -> list[str]:
        """Return the diff of `restore`, naming each file that it writes or removes."""
        moved = [f"rename from {self.backup.absolute()}", f"rename to {self.file.absolute()}"]
        return [*_visible(moved if former is not None else []), *_difference(self.file, self.before, former)]

    def make(self) -> None:
        """Write the file and the backup of the original, or neither.

        Raises NotConnectedError if the file changed meanwhile, MisuseError if one of them cannot be written.
        """
        self._refuse_changed()
        with as_misuse(self.file):
            files.make_folder(self.file.parent)
        with ExitStack() as opened:  # the last one opened is replaced first
            with as_misuse(self.file):
                opened.enter_context(files.replacing(self.file)).write(self.after.encode())
            if self.is_backed_up:
                with as_misuse(self.backup):
                    backup = opened.enter_context(files.replacing(self.backup, mode=files.PRIVATE))
                    backup.write((self.before or "").encode())
            with as_misuse(self.file):
                opened.close()

    def former(self) -> str | None:
        """Return the original content of the file, None for no file; raises NotConnectedError."""
        if self.origins:
            return self.origins[0]
        said = f"{self.file} holds something else than was written: take the lines out by hand."
        kept = self.backup.exists()
        raise NotConnectedError(said + (f" {self.backup} is what it was." if kept else ""))

    def restore(self, former: str | None) -> None:
        """Restore the file; raises NotConnectedError if it changed meanwhile, MisuseError."""
        self._refuse_changed()
        with as_misuse(self.file):
            if former is None:
                files.remove(self.file)
                return
            files.write(self.file, former.encode())
        with as_misuse(self.backup):
            files.remove(self.backup)

    def _refuse_changed(self) -> None:
        if _text_of(self.file) != self.before:
            raise NotConnectedError(f"{self.file} has changed since it was read; nothing is written. Try again.")


def remove_abandoned() -> list[Path]:
    """Remove drafts of killed commands beside the files of all assistants; return them."""
    around, removed = _surroundings(), list[Path]()
    for file in (client.file(around) for client in CLIENTS):
        for each in (file, _backup_of(file)):
            with contextlib.suppress(OSError):
                removed += [each.absolute().with_name(name) for name in files.remove_abandoned(each.parent, each.name)]
    return removed


def _surroundings() -> Surroundings:
    return Surroundings(Path.home(), Path(), sys.platform, os.environ)


def _backup_of(file: Path) -> Path:
    return file.with_name(file.name + BACKUP)


def _origins(client: Client, file: Path, before: str | None) -> tuple[str | None, ...]:
    kept = _text_of(_backup_of(file))  # refuse an unwritable file before showing the diff
    command = client.named(before or "")
    if command is None:
        return ()
    found: list[str | None] = []
    for former in (kept, None) if kept is not None else (None,):
        with contextlib.suppress(UnreadableConfigurationError):
            if client.edit(former or "", command) == before:
                found.append(former)
    return tuple(found)


def _text_of(file: Path) -> str | None:
    try:
        found = files.read(file, MOST_BYTES + 1)
        if found is not None and len(found) > MOST_BYTES:
            raise NotConnectedError(f"{file} is left as it is: it is too large.")
        return None if found is None else found.decode()
    except files.UnsafeTargetError as error:
        raise NotConnectedError(f"{file} is not written to: {error.strerror}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise NotConnectedError(f"{file} cannot be read: {error}.") from None


def _difference(file: Path, before: str | None, after: str | None) -> list[str]:
    old, new = (os.devnull if text is None else str(file.absolute()) for text in (before, after))
    texts = (before or "").splitlines(), (after or "").splitlines()
    lines = list(difflib.unified_diff(*texts, old, new, n=CONTEXT_LINES, lineterm=""))
    return _visible(map(_shortened, lines, ["", *lines], [*lines[1:], ""]))


def _shortened(line: str, previous: str, following: str) -> str:
    """Cut a line that is too long to read around its first change."""
    if len(line) <= LONGEST_LINE:
        return line
    replaced = {"-": following, "+": previous}.get(line[0], "")
    is_pair = {line[0], replaced[:1]} == {"-", "+"}
    same = bisect_left(range(len(replaced)), x=True, key=lambda end: not line.startswith(replaced[1 : end + 1], 1))
    start = max(1, same - LEAD) if is_pair else 1
    return f"{line[0]}{'… ' if start > 1 else ''}{line[start : start + LONGEST_LINE]} … ({len(line) - 1:,} characters)"


def _visible(lines: Iterable[str]) -> list[str]:
    return visible_lines("\n".join(lines)).splitlines()


def run_connect(options: argparse.Namespace) -> int:
    """List the assistants, or show, write, restore or print the configuration of one."""
    if options.client is None:
        return _listed(options)
    client, profile = client_of(options.client), getattr(options, "profile", None)
    command = own_command(None if profile is None else profile.absolute())
    if options.printed:
        return _printed(options, client, command)
    connection = Connection.of(client, options.file or client.file(_surroundings()), command)
    return _disconnect(options, connection) if options.undo else _connect(options, connection)


def _listed(options: argparse.Namespace) -> int:
    rows = [{"client": client.key, "name": client.name, "place": client.place} for client in CLIENTS]
    with output(options) as out:
        lines = [f"{row['client']:16}{row['name']:26}{row['place']}" for row in rows]
        out.print(json.dumps(rows, indent=2) if out.as_json else "\n".join(lines))
    return OK


def _printed(options: argparse.Namespace, client: Client, command: list[str]) -> int:
    text = client.written(command)
    print_notice(f"In {client.place}; then restart the assistant:")
    told = {"client": client.key, "name": client.name, "place": client.place, "text": text}
    with output(options) as out:
        out.print(json.dumps(told, indent=2) if out.as_json else text)
    return OK


def _connect(options: argparse.Namespace, connection: Connection) -> int:
    """Show the diff and write it after confirmation; exit code FAILED if declined."""
    difference = connection.difference()
    if not wants_json(options):
        with output(options) as out:
            print("\n".join(difference), end="\n" if difference else "", file=out.file)
    asked = not (options.yes or wants_json(options) or connection.is_made) and is_interactive()
    wanted = options.yes or (asked and is_confirmed("Write this?"))
    if wanted and not connection.is_made:
        connection.make()
    _report_connected(options, connection, written=wanted, asked=asked)
    _document(options, connection, difference, wanted and not connection.is_made)
    return FAILED if asked and not wanted else OK


def _report_connected(options: argparse.Namespace, connection: Connection, *, written: bool, asked: bool) -> None:
    file, key = connection.file, connection.client.key
    key += f" --file {shlex.quote(str(options.file))}" if options.file else ""
    if connection.is_made:
        print_notice(f"{file} names this program already; nothing is changed.")
    elif written:
        kept = _report_unchanged(connection)
        print_notice(f"{file} is written.{kept} Restart the assistant; `connect {key} --undo` reverts it.")
    else:
        print_notice("Nothing is written." if asked else f"Nothing is written: `connect {key} --yes` writes this.")


def _report_unchanged(connection: Connection) -> str:
    if connection.before is None or connection.origins[:1] == (None,):
        return ""
    if connection.origins:
        return f" What it held before it named this program stays in {connection.backup}."
    return f" What it held is kept in {connection.backup}."


def _disconnect(options: argparse.Namespace, connection: Connection) -> int:
    if connection.before is None:
        print_notice(f"There is no {connection.file}; nothing is changed.")
        return OK
    former = connection.former()
    difference = connection.reversal(former)
    if not wants_json(options):
        with output(options) as out:
            out.print("\n".join(difference))
    connection.restore(former)
    still = former is not None and connection.client.named(former) is not None
    print_notice(
        f"{connection.file} is what it was before."
        + (" It named this program then, too: take those lines out by hand." if still else "")
    )
    _document(options, connection, difference, True)
    return OK


def _document(options: argparse.Namespace, connection: Connection, difference: list[str], written: bool) -> None:
    if not wants_json(options):
        return
    client = connection.client
    told: dict[str, Any] = {"client": client.key, "name": client.name, "place": client.place}
    told |= {"file": str(connection.file.absolute()), "text": client.written(connection.command)}
    told |= {"difference": difference, "written": written}
    with output(options) as out:
        out.print(json.dumps(told, indent=2))


def is_interactive() -> bool:
    return sys.stdin.isatty()
