"""Tables of a team's library on PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from db.migrations import Migration, bigint, blob, boolean, json, moment, real, text

if TYPE_CHECKING:
    from alembic.operations import Operations


def key(name: str) -> sa.Column[Any]:
    return bigint(name, primary_key=True, autoincrement=False)


def first_tables(op: Operations) -> None:
    _items(op)
    _journal(op)
    op.create_table("library", text("id", primary_key=True), bigint("head"), bigint("number"), json("keys"))
    op.create_table("touched", text("kind", primary_key=True), text("key", primary_key=True), bigint("seq"))
    op.create_index("ix_touched_seq", "touched", ["seq"])
    op.create_table(
        "changes",
        key("seq"),
        text("id"),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        text("author", server_default=sa.text("SESSION_USER")),
        bigint("things"),
    )
    op.execute(
        "INSERT INTO library (id, head, number, keys) VALUES (replace(gen_random_uuid()::text, '-', ''), 0, 0, '{}')"
    )


def _items(op: Operations) -> None:
    op.create_table(
        "memories", key("id"), text("external_id", nullable=True), text("intent", nullable=True), text("response"),
        text("namespace"), json("tags"), real("success"), bigint("usage"),
        boolean("paused"), text("source"), bigint("version"), bigint("right"), text("valid_from"),
        text("valid_to"), json("replaces"), moment("created"), moment("updated"),
    )  # fmt: skip
    op.create_table("triggers", key("memory_id"), key("position"), text("text"), blob("digest"))
    op.create_table(
        "powers", key("id"), text("name"), text("description"), text("steering"), json("keywords"),
        json("examples"), text("command", nullable=True), json("args"), json("env"),
        text("url", nullable=True), boolean("paused"), boolean("approved"), bigint("version"),
        moment("created"), moment("updated"),
    )  # fmt: skip
    op.create_table("tools", key("power_id"), key("position"), text("name"), text("description"))
    op.create_table(
        "rules", key("id"), text("external_id"), text("label"), text("pattern"), text("unless", nullable=True),
        text("pack"), bigint("position"), real("weight"), real("confidence", nullable=True),
        text("purpose"), boolean("enabled"), bigint("version"), moment("created"), moment("updated"),
    )  # fmt: skip
    op.create_table(
        "cases", key("id"), text("task"), text("text"), blob("digest"), json("expected"),
        json("unwanted"), bigint("version"), moment("created"), moment("updated"),
    )  # fmt: skip
    op.create_table("untaught_routes", blob("digest", primary_key=True))


def _journal(op: Operations) -> None:
    op.create_table(
        "steps", key("id"), moment("at"), text("verb"), text("subject"), bigint("count"), text("source"),
        bigint("undone"), text("author", nullable=True),
    )  # fmt: skip
    op.create_table(
        "revisions", key("step_id"), text("kind", primary_key=True), key("item_id"), text("state", nullable=True),
        bigint("held", nullable=True), bigint("present", nullable=True),
    )  # fmt: skip
    op.create_table("differences", blob("one", primary_key=True), blob("other", primary_key=True), bigint("step_id"))


def settings(op: Operations) -> None:
    """Add the library's settings at the time when it was moved to the server."""
    op.create_table("settings", text("key", primary_key=True), text("value"))


MIGRATIONS: dict[str, Migration] = {"0001": first_tables, "0002": settings}
