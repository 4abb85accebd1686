"""Migrations of a profile's library and of a team's tables, a function for each revision.

A released migration never changes. The next one is a function at the end of its file, and a row in its dict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

Migration = Callable[["Operations"], None]


def _column(kind: type[sa.types.TypeEngine[Any]]) -> Callable[..., sa.Column[Any]]:
    """Return a function that makes columns of this type, NOT NULL by default."""

    def made(name: str, *constraints: sa.ForeignKey, nullable: bool = False, **options: Any) -> sa.Column[Any]:
        return sa.Column(name, kind(), *constraints, nullable=nullable, **options)

    return made


text, integer, bigint, real = _column(sa.Text), _column(sa.Integer), _column(sa.BigInteger), _column(sa.Float)
boolean, blob, json, moment = _column(sa.Boolean), _column(sa.LargeBinary), _column(sa.JSON), _column(sa.DateTime)

NOW = sa.text("CURRENT_TIMESTAMP")


def key(name: str = "id") -> sa.Column[Any]:
    return integer(name, primary_key=True)


def times() -> tuple[sa.Column[Any], sa.Column[Any]]:
    return moment("created", server_default=NOW), moment("updated", server_default=NOW)


def part_of(column: str) -> sa.ForeignKey:
    """Return a foreign key to a row with which this one is deleted."""
    return sa.ForeignKey(column, ondelete="CASCADE")
