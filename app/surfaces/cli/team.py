"""Command `team`: join, leave, status, log and index of a team's library."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from app.domain.documents import fields_of
from app.surfaces.cli.import_export import print_result
from app.surfaces.cli.output import MisuseError, typed_password
from app.surfaces.cli.program import Program, Root, choices_of, interruptible, print_notice

if TYPE_CHECKING:
    from app.domain.library import Membership, MoveProgress, Moving
    from app.ports.datastore import SearchStatus

T = TypeVar("T")

SERVER = "the team's server"


def profile_of(options: argparse.Namespace, root: Root) -> Path:
    """Return the profile with a copy of the library at the given address, joining if needed."""
    program, choices = root(), choices_of(options)
    folder, is_member = program.profile_of_team(choices, options.library)
    if not is_member:
        password = None
        if getattr(options, "password", False):
            password, options.password = typed_password(SERVER), False
        made = replace(choices, profile=folder)
        _moved(lambda moved: program.join_team(made, options.library, password, moved))
        print_notice(f"The team's library is in the profile {folder} now.")
    return folder


def run_team(options: argparse.Namespace, root: Root) -> int:
    program, choices = root(), choices_of(options)
    if options.offline and not options.leave:
        raise MisuseError("--offline goes with --leave.")
    password = typed_password(SERVER) if options.password else None
    if options.join is not None:
        from app.display.library.journal import joined_words

        joined = _moved(lambda progress: program.join_team(choices, options.join, password, progress))
        document = {**_document(joined.member), "founded": joined.founded, "rows": joined.rows, "digest": joined.digest}
        document |= {"before": joined.before, "left_out": list(joined.left_out)}
        return print_result(options, document, joined_words(joined))
    if options.leave:
        left = _moved(lambda progress: program.leave_team(choices, offline=options.offline, tell=progress))
        said = f"This profile has left {left.address}; all that was in the library is here."
        return print_result(options, {"left": left.address}, [said])
    if options.index:
        return _index(options, program)
    if options.log is not None:
        from app.display.library.journal import change_line

        changes = program.log_of_team(choices, options.log)
        return print_result(
            options, {"changes": [asdict(one) for one in changes]}, [change_line(one) for one in changes]
        )
    if password is not None:
        program.keep_team_password(choices, password)
    member, refusal = program.team_of(choices)
    searched = None if member is None or refusal else program.search_of_team(choices)
    return _print_status(options, member, refusal, searched)


def _index(options: argparse.Namespace, program: Program) -> int:
    from app.display.scope.text import search_document, search_status_lines
    from app.surfaces.cli.terminal import Progress

    progress = Progress("indexing")
    with interruptible():
        try:
            found = program.index_team(choices_of(options), progress)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped; the next “team --index” goes on where this one was.") from None
        finally:
            progress.done()
    return print_result(options, {"search": search_document(found)}, [search_status_lines(found)])


def _moved(work: Callable[[MoveProgress], T]) -> T:
    """Run a move of the library with progress on stderr; Ctrl+C cancels before the final commit."""
    from app.display.library.journal import MOVING
    from app.domain.library import Moving
    from app.surfaces.cli.terminal import Progress

    lines = {what: Progress(verb) for what, verb in MOVING.items()}
    shown: list[Moving] = []

    def moved(what: Moving, done: int, rows: int) -> None:
        if what not in shown[-1:]:
            if shown:
                lines[shown[-1]].done()
            shown.append(what)
        if what is Moving.KEEPING:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        else:
            lines[what](done, rows)

    with interruptible():
        try:
            return work(moved)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped; nothing is changed, neither here nor on the server.") from None
        finally:
            for line in lines.values():
                line.done()


def _print_status(
    options: argparse.Namespace, member: Membership | None, refusal: str, searched: SearchStatus | None
) -> int:
    from app.display.scope.text import search_document, search_status_lines

    if member is None:
        return print_result(options, {"address": None}, ["This profile is in no team: its library is its own."])
    from app.display.library.journal import member_lines

    state = refusal or "It answers, and all that others have changed is here."
    lines = [*member_lines(member), state]
    document = {**_document(member), "refusal": refusal or None, "search": search_document(searched)}
    return print_result(options, document, [*lines, *([] if searched is None else [search_status_lines(searched)])])


def _document(member: Membership) -> dict[str, Any]:
    return {**fields_of(member, "address", "author", "role"), "change": member.head, "seen": member.seen}
