"""First tables of a team's library."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def key(name: str, kind: type[sa.types.TypeEngine[Any]] = sa.BigInteger) -> sa.Column[Any]:
    return sa.Column(name, kind(), primary_key=True, autoincrement=False)


def number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def column(name: str, kind: type[sa.types.TypeEngine[Any]]) -> sa.Column[Any]:
    return sa.Column(name, kind(), nullable=False)


def dated() -> tuple[sa.Column[Any], sa.Column[Any]]:
    return column("created", sa.DateTime), column("updated", sa.DateTime)


def upgrade() -> None:
    what_is_taught()
    what_was_done()
    op.create_table("library", key("id", sa.Text), number("head"), number("number"), column("keys", sa.JSON))
    op.create_table("touched", key("kind", sa.Text), key("key", sa.Text), number("seq"))
    op.create_index("ix_touched_seq", "touched", ["seq"])
    op.create_table(
        "changes",
        key("seq"),
        text("id"),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("author", sa.Text(), server_default=sa.text("SESSION_USER"), nullable=False),
        number("things"),
    )
    op.execute(
        "INSERT INTO library (id, head, number, keys) VALUES (replace(gen_random_uuid()::text, '-', ''), 0, 0, '{}')"
    )


def what_is_taught() -> None:
    op.create_table(
        "memories", key("id"), text("external_id", nullable=True), text("intent", nullable=True), text("response"),
        text("namespace"), column("tags", sa.JSON), column("success", sa.Float), number("usage"),
        column("paused", sa.Boolean), text("source"), number("version"), number("right"), text("valid_from"),
        text("valid_to"), column("replaces", sa.JSON), *dated(),
    )  # fmt: skip
    op.create_table("triggers", key("memory_id"), key("position"), text("text"), column("digest", sa.LargeBinary))
    op.create_table(
        "powers", key("id"), text("name"), text("description"), text("steering"), column("keywords", sa.JSON),
        column("examples", sa.JSON), text("command", nullable=True), column("args", sa.JSON), column("env", sa.JSON),
        text("url", nullable=True), column("paused", sa.Boolean), column("approved", sa.Boolean), number("version"),
        *dated(),
    )  # fmt: skip
    op.create_table("tools", key("power_id"), key("position"), text("name"), text("description"))
    op.create_table(
        "rules", key("id"), text("external_id"), text("label"), text("pattern"), text("unless", nullable=True),
        text("pack"), number("position"), column("weight", sa.Float), sa.Column("confidence", sa.Float()),
        text("purpose"), column("enabled", sa.Boolean), number("version"), *dated(),
    )  # fmt: skip
    op.create_table(
        "cases", key("id"), text("task"), text("text"), column("digest", sa.LargeBinary), column("expected", sa.JSON),
        column("unwanted", sa.JSON), number("version"), *dated(),
    )  # fmt: skip
    op.create_table("untaught_routes", key("digest", sa.LargeBinary))


def what_was_done() -> None:
    op.create_table(
        "steps", key("id"), column("at", sa.DateTime), text("verb"), text("subject"), number("count"), text("source"),
        number("undone"), text("author", nullable=True),
    )  # fmt: skip
    op.create_table(
        "revisions", key("step_id"), key("kind", sa.Text), key("item_id"), text("state", nullable=True),
        number("held", nullable=True), number("present", nullable=True),
    )  # fmt: skip
    op.create_table("differences", key("one", sa.LargeBinary), key("other", sa.LargeBinary), number("step_id"))
