"""Upgrade a library to the newest revision, without an ini file.

Alembic reads `migrations` as files: a frozen program carries that folder as data, beside this module. Alembic is
imported only when there is something to upgrade, since most starts need nothing.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
    "0020",
    "0021",
)
"""Known revisions, oldest first; a file of another one was written by a newer program."""

HEAD = REVISIONS[-1]

TRIGGERS = frozenset(
    " ".join(made.split())
    for made in """
CREATE TRIGGER forget_differences BEFORE DELETE ON steps WHEN old.undone > 0
    BEGIN DELETE FROM differences WHERE step_id = old.id; END

CREATE TRIGGER forget_decisions BEFORE DELETE ON steps WHEN old.undone > 0
    BEGIN UPDATE queries SET decision = NULL, step_id = NULL WHERE step_id = old.id; END

CREATE TRIGGER forget_decisions BEFORE DELETE ON steps WHEN old.undone > 0
    BEGIN DELETE FROM decisions WHERE step_id = old.id; END

CREATE TRIGGER outdate_decisions AFTER UPDATE OF type, kind, answer ON queries
    WHEN new.doubts != '' AND (new.type IS NOT old.type OR new.kind IS NOT old.kind OR new.answer IS NOT old.answer)
    BEGIN DELETE FROM decisions WHERE query_id = new.id; END

CREATE TRIGGER withdraw_approval AFTER UPDATE ON powers WHEN new.approved = 0
    BEGIN UPDATE runs SET approved = '' WHERE power_id = new.id; END

CREATE TRIGGER withdraw_approval_put_back AFTER INSERT ON powers WHEN new.approved = 0
    BEGIN UPDATE runs SET approved = '' WHERE power_id = new.id; END
""".split("\n\n")
)
"""Triggers made by the migrations of all revisions, each in one line."""

MIGRATIONS = Path(__file__).parent / "migrations"

TEAM_REVISIONS = ("0001", "0002")
"""Revisions of a team's library on a server, which has migrations of its own."""

TEAM_MIGRATIONS = Path(__file__).parent / "team_migrations"

_ONE_AT_A_TIME = Lock()  # Alembic holds the running migration in module globals.


def configuration(connection: Connection | None = None, location: Path | None = None) -> Config:
    """Return Alembic's configuration for a connection."""
    from alembic.config import Config

    config = Config()
    # The value goes through ConfigParser, for which a % in a folder's name would be an interpolation.
    config.set_main_option("script_location", str(location or MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Upgrade the library on this connection to a revision, in the caller's transaction.

    Foreign keys must be off: batch mode drops and renames tables, which would cascade. The connection must have the
    function `keyed`, which turns a plain digest into one keyed with the profile's secret and leaves a keyed one as it
    is.
    """
    from alembic import command

    with _ONE_AT_A_TIME:
        command.upgrade(configuration(connection), revision)


def blank_addresses(connection: Connection) -> None:
    """Remove passwords and keys from the addresses of a library from before revision 0017."""
    from alembic.script import ScriptDirectory

    with _ONE_AT_A_TIME:
        ScriptDirectory.from_config(configuration()).get_revision("0017").module.blank(connection)


def upgrade_team(connection: Connection) -> None:
    """Upgrade the tables of a team's library, on a connection to its server."""
    from alembic import command

    with _ONE_AT_A_TIME:
        command.upgrade(configuration(connection, TEAM_MIGRATIONS), "head")
