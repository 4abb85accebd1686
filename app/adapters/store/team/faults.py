"""Messages for errors of a team's server: what happened, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import DBAPIError, IntegrityError

from app.adapters.datastores.client import UNREADABLE, first_line
from app.domain.errors import StoreBusyError, StoreError
from app.settings.refusals import without_passwords

CROWDED = ("53300",)
FORBIDDEN = ("42501",)
TAKEN = ("42P07",)
REFUSALS: Mapping[str, tuple[type[StoreError], str, str]] = {
    "25006": (StoreError, "That server only has a copy for reading", "name the one that is written to"),
    "53100": (StoreError, "The disk of the team's server is full", "its administrator frees some space"),
    "55P03": (StoreBusyError, "Somebody else is changing the team's library just now", "try again"),
    "57014": (StoreBusyError, "The team's server broke off what took it too long", "try again, or change less at once"),
}
"""Errors by code: what happened, and what to do."""
ALTERED = ("21000", "42703", "42804", "42883", "42P01")
"""Codes for tables, columns and types that are not those of this program."""
GONE = ("57P01", "57P02", "57P05", "25P03")


CROWD = "it lets no more clients in for now"
CROWDED_WORDS = "too many clients"
"""Words of the server for a refused client, which has no error code; usually in English."""


class TeamGoneError(StoreError):
    """The team's server does not answer: the library can be read, but not changed."""

    def __init__(self, reason: str) -> None:
        message = f"The team's library cannot be reached, so nothing was changed: try again later. ({reason})"
        super().__init__(message)
        self.reason = reason


def newer(version: str) -> StoreError:
    return StoreError(
        "The team's library was made or brought up to date by a newer version of this "
        f"program (its format is “{version}”), so nothing was changed: update the program."
    )


def older() -> StoreError:
    return StoreError(
        "The team's library is of an older version than this program, so nothing was changed: restart it to bring the "
        "library up to date."
    )


def odd(what: str) -> StoreError:
    """Report data on the server that no client writes."""
    return StoreError(
        f"The team's server holds {what}, so nothing was changed here: tell its administrator, whose tables somebody "
        "has changed past this program."
    )


@contextmanager
def reading() -> Iterator[None]:
    """Convert unexpected shapes or values of answers to StoreError."""
    try:
        yield
    except StoreError:
        raise
    except (*UNREADABLE, ValueError) as error:
        raise odd("answers that are none") from error


@contextmanager
def fitting() -> Iterator[None]:
    """Convert SQLite's refusal of a server's row, such as a trigger of no memory, to StoreError."""
    try:
        yield
    except IntegrityError as error:
        raise odd("rows that no library can hold") from error


def no_address(address: str) -> StoreError:
    return StoreError(
        "“{address}” is no address of a team's library: write postgresql://USER@HOST/DATABASE.".format(
            address=without_passwords(address) if "://" in address else re.split("[=:]", address)[0]
        )
    )


def other_library() -> StoreError:
    return StoreError(
        "Another library lies at the address of the team's, or an older copy of it was put back there, so nothing "
        "was changed: leave by “intentscope team --leave --offline”, which keeps what is here, and join with a new "
        "profile."
    )


def known(error: Exception, account: str = "") -> StoreError | None:
    """Return the known error for the driver's, for this account; None for a bug."""
    code, said = str(getattr(error, "sqlstate", None) or ""), first_line(error).rstrip(".")
    if code in REFUSALS:
        kind, cause, remedy = REFUSALS[code]
        return kind(f"{cause}, so nothing was changed: {remedy}.")
    if code in FORBIDDEN:
        return _forbidden(said, account)
    if code in TAKEN:
        return StoreError(
            f"Another program has tables of the same name there ({said}), so nothing was made: "
            "name an empty database or schema."
        )
    if code in ALTERED:
        return odd(f"other tables than this program's ({said})")
    if is_gone(error):
        return TeamGoneError(CROWD if code in CROWDED or CROWDED_WORDS in said else said)
    if code:
        return StoreError(f"The team's server refused, so nothing was changed: {said}.")
    if type(error).__name__ == "InternalError":  # of the driver, where a server does not keep to the protocol
        return odd("answers that are none")
    return odd("a date that cannot be read") if type(error).__name__ == "DataError" else None


def _forbidden(said: str, account: str) -> StoreError:
    quoted = '"' + account.replace('"', '""') + '"'
    if "schema" in said.lower():
        return StoreError(
            f"{account} may not make the tables of a team's library ({said}), so nothing was "
            "changed. To allow that, an administrator runs: GRANT CREATE, USAGE ON SCHEMA public "
            f"TO {quoted};"
        )
    return StoreError(
        f"{account} may not change the team's library ({said}), so nothing was changed. An "
        "administrator runs, to let that account read: GRANT SELECT ON ALL TABLES IN SCHEMA "
        f"public TO {quoted}; or to let it change, too: GRANT SELECT, INSERT, UPDATE, DELETE "
        f"ON ALL TABLES IN SCHEMA public TO {quoted};"
    )


def is_gone(error: Exception) -> bool:
    """Return whether the connection is unusable or was never made."""
    import psycopg

    cause = error.orig if isinstance(error, DBAPIError) else error
    code = str(getattr(cause, "sqlstate", None) or "")
    if code in FORBIDDEN or code in REFUSALS:
        return False
    if type(cause) is psycopg.DatabaseError and not code:  # libpq cannot hold the answer
        return True
    return isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError) or code in GONE


@contextmanager
def known_faults(account: Callable[[], str] = str) -> Iterator[None]:
    """Convert errors of a server or the connection to StoreError; others are unchanged.

    `account` returns the account that the server accepted.
    """
    try:
        import psycopg
    except ImportError as error:
        raise StoreError(
            "A team's library needs psycopg, which is not installed: the extra “postgres” has it, which from the "
            "sources “python3 packaging/develop.py run --with postgres” installs."
        ) from error
    try:
        yield
    except (psycopg.Error, DBAPIError) as error:
        cause: Any = error.orig if isinstance(error, DBAPIError) else error
        fault = known(cause, account()) if isinstance(cause, psycopg.Error) else None
        if fault is None:
            raise
        raise fault from error
