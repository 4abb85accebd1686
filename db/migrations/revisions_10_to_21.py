"""Stored evaluations, injections, secrets out of addresses, validity, roll-outs, teams and ownership."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sqlalchemy as sa

from db.migrations import NOW, Migration, blob, integer, json, key, moment, part_of, real, text

if TYPE_CHECKING:
    from alembic.operations import Operations

# Expired steps are deleted, and their decisions stay; those of undone steps are deleted, too.
FORGET_DECISIONS = """CREATE TRIGGER forget_decisions BEFORE DELETE ON steps WHEN old.undone > 0
    BEGIN DELETE FROM decisions WHERE step_id = old.id; END"""

# A decision is void once the query has another answer that is in doubt.
OUTDATE_DECISIONS = """CREATE TRIGGER outdate_decisions AFTER UPDATE OF type, kind, answer ON queries
    WHEN new.doubts != '' AND (new.type IS NOT old.type OR new.kind IS NOT old.kind OR new.answer IS NOT old.answer)
    BEGIN DELETE FROM decisions WHERE query_id = new.id; END"""

TRIGGERS = (FORGET_DECISIONS, OUTDATE_DECISIONS)


def keyed_digests(op: Operations) -> None:
    """Key the digests of queries with a secret of the profile, so that texts cannot be guessed."""
    op.execute("UPDATE queries SET digest = keyed(digest)")
    op.execute("UPDATE route_decisions SET digest = keyed(digest)")


def llm_answers(op: Operations) -> None:
    """Add a cache of the LLM's answers in evaluations."""
    op.create_table(
        "llm_answers",
        text("asked", primary_key=True),
        blob("digest", primary_key=True),
        key("run"),
        text("outcome"),
        text("name"),
        real("confidence"),
        text("mode"),
        json("topics"),
        json("distribution", nullable=True),
        real("ms"),
        real("at"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_llm_answers_at", "llm_answers", ["at"])


def evaluation_runs(op: Operations) -> None:
    """Add saved evaluations: their configuration and the result of each case."""
    op.create_table(
        "evaluation_runs",
        key(),
        real("at"),
        text("task"),
        text("source"),
        integer("cases"),
        integer("right"),
        text("combination"),
        real("threshold"),
        json("metrics"),
        json("settings"),
        json("digests"),
        json("versions"),
        integer("step"),
        blob("document"),
        sqlite_autoincrement=True,
    )


def llm_topics(op: Operations) -> None:
    """Drop the topics of LLM answers: they are words of the query, whose text is not stored."""
    op.drop_column("llm_answers", "topics")


def decisions(op: Operations) -> None:
    """Store the decisions of a query by step: undoing a step restores the decision before it."""
    op.execute("DROP TRIGGER forget_decisions")
    op.create_table(
        "decisions",
        integer("query_id", part_of("queries.id"), primary_key=True),
        key("step_id"),
        text("decision"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO decisions (query_id, step_id, decision) "
        "SELECT id, step_id, decision FROM queries WHERE decision IS NOT NULL AND step_id IS NOT NULL"
    )
    op.create_index("ix_decisions_step_id", "decisions", ["step_id"])
    op.drop_index("ix_queries_step_id", "queries")
    op.drop_column("queries", "decision")
    op.drop_column("queries", "step_id")
    op.execute(FORGET_DECISIONS)
    op.execute(OUTDATE_DECISIONS)


def injections(op: Operations) -> None:
    """Add the memories considered for an assistant's context, their use counts and feedback."""
    op.add_column("memories", integer("right", server_default="0"))
    op.create_table(
        "injections",
        key(),
        integer("query_id", part_of("queries.id")),
        integer("memory_id"),
        moment("at"),
        integer("rank", nullable=True),
        real("confidence"),
        text("cut", nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_injections_query_id", "injections", ["query_id"])
    op.create_index("ix_injections_memory_id", "injections", ["memory_id"])
    op.create_table(
        "uses", integer("memory_id", primary_key=True, autoincrement=False), integer("used"), moment("last")
    )


def use_counts(op: Operations) -> None:
    """Add daily counts of what assistants do with memories and powers."""
    op.create_table(
        "use_counts",
        key("day"),
        text("what", primary_key=True),
        text("outcome", primary_key=True),
        integer("count"),
        sqlite_with_rowid=False,
    )


HTTP_ADDRESSES = ("llm.url", "encoder.url", "updates.url", "route.qdrant")
ADDRESSES = (*HTTP_ADDRESSES, "route.postgresql", "route.neo4j", "route.graphiti", "route.redis")
SECRET = re.compile(
    r"(?<=[?&#])(?:[^=&]*(?:password|passwd|passphrase|pwd|token|secret|auth|credential|"
    r"(?:api|access|private|client|server|account).?key)[^=&]*|key|pass|bearer|jwt|sig|signature)=[^&]*&?",
    re.IGNORECASE,
)
SETTINGS = sa.table("settings", sa.column("key"), sa.column("value"))
SETTING_REVISIONS = sa.table("setting_revisions", *map(sa.column, ("step_id", "key", "held", "present")))
STEPS = sa.table("steps", sa.column("id"), sa.column("subject"))


def blank_addresses(connection: sa.Connection) -> None:
    """Remove passwords and keys from addresses in settings, revisions and names of steps."""
    tables = sa.inspect(connection).get_table_names()
    now, before = SETTINGS.c, SETTING_REVISIONS.c
    stored = sa.select(SETTINGS).where(now.key.in_(ADDRESSES))
    for name, value in connection.execute(stored).all() if "settings" in tables else ():
        told = _without_secrets(name, value)
        connection.execute(SETTINGS.update().where(now.key == name).values(value=told))
    stored = sa.select(SETTING_REVISIONS).where(before.key.in_(ADDRESSES))
    for step, name, *values in connection.execute(stored).all() if "setting_revisions" in tables else ():
        held, present = (value and _without_secrets(name, value) for value in values)
        this = (before.step_id == step) & (before.key == name)
        connection.execute(SETTING_REVISIONS.update().where(this).values(held=held, present=present))
        for value, told in zip(values, (held, present), strict=True):
            if value != told:
                subject = sa.func.replace(STEPS.c.subject, value, told)
                connection.execute(STEPS.update().where(STEPS.c.id == step).values(subject=subject))


def _without_secrets(name: str, address: str) -> str:
    """Return the address without its secrets: the user part for HTTP, the password otherwise."""
    scheme, mark, rest = address.rpartition("://") if "://" in address else ("", "", address)
    users, at, server = rest.rpartition("@")
    if at:
        rest = server if name in HTTP_ADDRESSES else f"{users.partition(':')[0]}@{server}"
    return f"{scheme}{mark}{SECRET.sub('', rest)}".rstrip("?&#")


def validity(op: Operations) -> None:
    """Add the validity periods of memories, and the memories that each one replaces."""
    with op.batch_alter_table("memories") as batch:
        batch.add_column(text("valid_from", server_default=""))
        batch.add_column(text("valid_to", server_default=""))
        batch.add_column(json("replaces", server_default="[]"))


def rollouts(op: Operations) -> None:
    """Add the configuration behind each routing decision, and the rollout of candidate settings."""
    with op.batch_alter_table("route_decisions") as batch:
        batch.add_column(text("configuration", server_default=""))
    op.create_table(
        "route_rollouts",
        key(),
        real("at"),
        integer("share"),
        text("candidate"),
        text("why"),
        sqlite_autoincrement=True,
    )


def team(op: Operations) -> None:
    """Add the team library that this library is a copy of, and the author of each step."""
    op.add_column("steps", text("author", nullable=True))
    op.create_table(
        "team",
        key(),
        text("library"),
        text("address"),
        text("author"),
        integer("head"),
        moment("seen", server_default=NOW),
    )


def ownership(op: Operations) -> None:
    """Add the profile's mark on its library, and notices to be shown once."""
    # A copy from before this revision has the table for its seal.
    op.create_table("ownership", key(), blob("mark"), if_not_exists=True)
    op.create_table("notices", key(), text("sentence"))


MIGRATIONS: dict[str, Migration] = {
    "0010": keyed_digests,
    "0011": llm_answers,
    "0012": evaluation_runs,
    "0013": llm_topics,
    "0014": decisions,
    "0015": injections,
    "0016": use_counts,
    "0017": lambda op: blank_addresses(op.get_bind()),
    "0018": validity,
    "0019": rollouts,
    "0020": team,
    "0021": ownership,
}
