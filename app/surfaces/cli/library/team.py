"""The terminal's verb about a team's library: joined, left, and how it stands."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from app.domain.language import say, say_n
from app.surfaces.cli.library.library import tell_both
from app.surfaces.cli.output import MisuseError
from app.surfaces.cli.program import Root, choices_of

if TYPE_CHECKING:
    from app.domain.library import Joined, Membership

SHOWN_DIGITS = 12
"""So much of a digest is shown to be compared by eye; JSON has all of it."""


def run_team(options: argparse.Namespace, root: Root) -> int:
    program, choices = root(), choices_of(options)
    if options.offline and not options.leave:
        raise MisuseError(say("--offline goes with --leave."))
    password = _typed() if options.password else None
    if options.join is not None:
        return _tell_joined(options, program.join_team(choices, options.join, password))
    if options.leave:
        left = program.leave_team(choices, offline=options.offline)
        said = say("This profile has left {address}; all that was in the library is here.", address=left.address)
        return tell_both(options, {"left": left.address}, [said])
    if password is not None:
        program.keep_team_password(choices, password)
    return _tell_standing(options, *program.team_of(choices))


def _tell_joined(options: argparse.Namespace, joined: Joined) -> int:
    digest = joined.digest[:SHOWN_DIGITS]
    if joined.founded:
        whole = say_n(
            joined.rows,
            "This library is the team's now: {n} row is on the server, as here ({digest}).",
            "This library is the team's now: {n} rows are on the server, as here ({digest}).",
            digest=digest,
        )
    else:
        whole = say_n(
            joined.rows,
            "The team's library is here now: {n} row, as on the server ({digest}).",
            "The team's library is here now: {n} rows, as on the server ({digest}).",
            digest=digest,
        )
    document = {**_document(joined.member), "founded": joined.founded, "rows": joined.rows, "digest": joined.digest}
    before = say("What was here before is kept in {path}.", path=joined.before)
    return tell_both(options, {**document, "before": joined.before}, [whole, before, _known_as(joined.member)])


def _tell_standing(options: argparse.Namespace, member: Membership | None, refusal: str) -> int:
    if member is None:
        return tell_both(options, {"address": None}, [say("This profile is in no team: its library is its own.")])
    state = refusal or say("It answers, and all that others have changed is here.")
    lines = [say("The library of the team at {address}.", address=member.address), _known_as(member), state]
    return tell_both(options, {**_document(member), "refusal": refusal or None}, lines)


def _known_as(member: Membership) -> str:
    return say("What you change bears the name {author}.", author=member.author)


def _document(member: Membership) -> dict[str, Any]:
    return {"address": member.address, "author": member.author, "change": member.head, "seen": member.seen}


def _typed() -> str:
    """The password that is typed unseen, or comes by stdin."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    from getpass import getpass

    return getpass(say("Password of {store}: ", store=say("the team's server")))
