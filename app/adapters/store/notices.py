"""One-time notices for the user, stored in the library until they are shown."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from app.domain.outside import LeftOut, left_out_lines, team_settings_sentence
from app.settings.outside import sort_settings


def add(connection: sqlite3.Connection, sentence: str) -> None:
    """Store a sentence, unless empty."""
    if sentence:
        connection.execute("INSERT INTO notices (sentence) VALUES (?)", (sentence,))


def of_team(connection: sqlite3.Connection) -> str:
    """Return the notice about settings that a team's server may have set; "" if none."""
    shared = "SELECT EXISTS (SELECT 1 FROM team) OR EXISTS (SELECT 1 FROM steps WHERE author IS NOT NULL)"
    if not connection.execute(shared).fetchone()[0]:
        return ""
    chosen = "SELECT DISTINCT r.key FROM setting_revisions r JOIN settings s ON s.key = r.key AND s.value = r.present"
    own = {key for (key,) in connection.execute(chosen)}
    found = sort_settings(dict(connection.execute("SELECT key, value FROM settings")))
    return team_settings_sentence({key: found.personal[key] for key in sorted(found.personal) if key not in own})


def of_outside(file: Path, left_out: LeftOut) -> str:
    """Return the notice about a restored library from outside; "" if nothing was left out."""
    if not left_out:
        return ""
    return "\n".join((f"The library {file} was not made by this profile.", *left_out_lines(left_out)))


def taken(file: Path) -> list[str]:
    """Return the notices not yet shown, and delete them if the library is writable."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as connection,
    ):
        found = [sentence for (sentence,) in connection.execute("SELECT sentence FROM notices ORDER BY id")]
        if found:
            with connection:
                connection.execute("DELETE FROM notices")
        return found
    return []
