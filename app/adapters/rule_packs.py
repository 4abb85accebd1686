"""Rule packs as they ship: TOML files, one pack each."""

from __future__ import annotations

import tomllib
from pathlib import Path

from app.domain.rule import Rule, RulePurpose
from app.ports import FormatError


def read_pack(path: Path) -> list[Rule]:
    """The rules of one pack in its order; FormatError with a sentence if the file is not of that form."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        name, purpose = table["pack"]["name"], RulePurpose(table["pack"]["purpose"])
        return [
            Rule(
                id=row["id"],
                label=row["label"],
                pattern=row["pattern"],
                pack=name,
                position=position,
                weight=float(row.get("weight", 1.0)),
                confidence=row.get("confidence"),
                unless=row.get("unless"),
                purpose=purpose,
                enabled=row.get("enabled", True),
            )
            for position, row in enumerate(table["rule"])
        ]
    except OSError as error:
        raise FormatError(f"The rule pack {path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise FormatError(f"The rule pack {path.name} is not of the form of a pack: {error}.") from error


def read_packs(folder: Path) -> list[Rule]:
    """The rules of every pack in a folder, packs by file name."""
    return [rule for path in sorted(folder.glob("*.toml")) for rule in read_pack(path)]
