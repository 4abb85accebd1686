"""Migrations of a profile's library, oldest first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sqlalchemy as sa

from db.migrations import NOW, Migration, blob, boolean, integer, json, key, moment, part_of, real, text, times

if TYPE_CHECKING:
    from alembic.operations import Operations

# Expired steps are deleted, and their differences and decisions stay; those of undone steps are deleted, too.
FORGET_DIFFERENCES = """CREATE TRIGGER forget_differences BEFORE DELETE ON steps WHEN old.undone > 0
    BEGIN DELETE FROM differences WHERE step_id = old.id; END"""
FORGET_DECISIONS = """CREATE TRIGGER forget_decisions BEFORE DELETE ON steps WHEN old.undone > 0
    BEGIN UPDATE queries SET decision = NULL, step_id = NULL WHERE step_id = old.id; END"""

# Every way to withdraw an approval (edit, import, undo) also clears the approved command.
WITHDRAW_APPROVAL = """CREATE TRIGGER withdraw_approval AFTER UPDATE ON powers WHEN new.approved = 0
    BEGIN UPDATE runs SET approved = '' WHERE power_id = new.id; END"""
WITHDRAW_APPROVAL_PUT_BACK = """CREATE TRIGGER withdraw_approval_put_back AFTER INSERT ON powers WHEN new.approved = 0
    BEGIN UPDATE runs SET approved = '' WHERE power_id = new.id; END"""

# Expired steps are deleted, and their decisions stay; those of undone steps are deleted, too.
FORGET_DECISION_ROWS = """CREATE TRIGGER forget_decisions BEFORE DELETE ON steps WHEN old.undone > 0
    BEGIN DELETE FROM decisions WHERE step_id = old.id; END"""

# A decision is void once the query has another answer that is in doubt.
OUTDATE_DECISIONS = """CREATE TRIGGER outdate_decisions AFTER UPDATE OF type, kind, answer ON queries
    WHEN new.doubts != '' AND (new.type IS NOT old.type OR new.kind IS NOT old.kind OR new.answer IS NOT old.answer)
    BEGIN DELETE FROM decisions WHERE query_id = new.id; END"""

TRIGGERS = (
    FORGET_DIFFERENCES,
    FORGET_DECISIONS,
    WITHDRAW_APPROVAL,
    WITHDRAW_APPROVAL_PUT_BACK,
    FORGET_DECISION_ROWS,
    OUTDATE_DECISIONS,
)
"""All triggers that a revision made, also those that a later one dropped."""


def first_tables(op: Operations) -> None:
    op.create_table(
        "cases",
        key(),
        text("task"),
        text("text"),
        blob("digest"),
        json("expected"),
        *times(),
        sa.UniqueConstraint("task", "digest"),
    )
    op.create_table(
        "encoders",
        key(),
        text("name"),
        text("revision"),
        integer("dimension"),
        sa.UniqueConstraint("name", "revision", "dimension"),
    )
    op.create_table(
        "memories",
        key(),
        text("external_id", nullable=True),
        text("intent", nullable=True),
        text("response"),
        text("namespace"),
        json("tags"),
        real("success"),
        integer("usage"),
        boolean("paused"),
        *times(),
        sa.CheckConstraint("success BETWEEN 0 AND 1", name="success"),
        sa.CheckConstraint("usage >= 0", name="usage"),
        sa.UniqueConstraint("external_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memories_intent", "memories", ["intent"])
    op.create_table(
        "powers",
        key(),
        text("name"),
        text("description"),
        text("steering"),
        json("keywords"),
        json("examples"),
        text("command", nullable=True),
        json("args"),
        json("env"),
        text("url", nullable=True),
        boolean("paused"),
        boolean("approved"),
        *times(),
        sa.UniqueConstraint("name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "queries",
        key(),
        text("text", nullable=True),
        blob("digest", nullable=True),
        moment("at", server_default=NOW),
        real("settled_ms", nullable=True),
        json("trace", nullable=True),
        integer("trace_version", nullable=True),
        sa.CheckConstraint("text IS NOT NULL OR digest IS NOT NULL", name="text_or_digest"),
    )
    op.create_index("ix_queries_at", "queries", ["at"])
    op.create_index("ix_queries_digest", "queries", ["digest"])
    op.create_table(
        "rules",
        key(),
        text("external_id"),
        text("label"),
        text("pattern"),
        text("unless", nullable=True),
        text("pack"),
        integer("position"),
        real("weight"),
        real("confidence", nullable=True),
        text("purpose"),
        boolean("enabled"),
        *times(),
        sa.UniqueConstraint("external_id"),
    )
    op.create_index("ix_rules_pack_position", "rules", ["pack", "position"])
    op.create_table("settings", text("key", primary_key=True), text("value"), moment("updated", server_default=NOW))
    op.create_table(
        "embeddings",
        integer("encoder_id", part_of("encoders.id"), primary_key=True),
        blob("digest", primary_key=True),
        blob("vector"),
    )
    op.create_table(
        "tools",
        integer("power_id", part_of("powers.id"), primary_key=True),
        key("position"),
        text("name"),
        text("description"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "triggers",
        integer("memory_id", part_of("memories.id"), primary_key=True),
        key("position"),
        text("text"),
        blob("digest"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_triggers_digest", "triggers", ["digest"])


def journal(op: Operations) -> None:
    """Add undoable steps, versions, sources of memories, and a full-text index."""
    with op.batch_alter_table("memories") as batch:
        batch.add_column(text("source", server_default=""))
        batch.add_column(integer("version", server_default="0"))
    with op.batch_alter_table("powers") as batch:
        batch.add_column(integer("version", server_default="0"))
    # Recreated with AUTOINCREMENT: an undo finds its row by number, so a number is never used twice.
    for table in ("rules", "cases"):
        with op.batch_alter_table(table, recreate="always", table_kwargs={"sqlite_autoincrement": True}) as batch:
            batch.add_column(integer("version", server_default="0"))
    op.create_table(
        "steps",
        key(),
        moment("at", server_default=NOW),
        text("verb"),
        text("subject"),
        integer("count"),
        text("source"),
        integer("undone", server_default="0"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "revisions",
        integer("step_id", part_of("steps.id"), primary_key=True),
        text("kind", primary_key=True),
        key("item_id"),
        text("state", nullable=True),
        integer("held", nullable=True),
        integer("present", nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_revisions_kind_item_id", "revisions", ["kind", "item_id"])
    # The index stores no texts, so a deletion passes the old text to it.
    op.execute(
        """CREATE VIRTUAL TABLE found USING fts5(
               triggers, name, label, tags, response,
               content='', tokenize='unicode61 remove_diacritics 2', prefix='2 3')"""
    )
    op.execute(
        """INSERT INTO found (rowid, triggers, name, label, tags, response)
           SELECT m.id, (SELECT group_concat(t.text, char(10)) FROM triggers t WHERE t.memory_id = m.id),
                  m.external_id, m.intent, m.tags, m.response
           FROM memories m"""
    )


def differences(op: Operations) -> None:
    """Add pairs marked "not a duplicate", which are not reported as similar again."""
    op.create_table(
        "differences",
        blob("one", primary_key=True),
        blob("other", primary_key=True),
        integer("step_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_differences_step_id", "differences", ["step_id"])
    op.execute(FORGET_DIFFERENCES)


def unwanted(op: Operations) -> None:
    """Add the answers of a case that must not come first."""
    op.add_column("cases", json("unwanted", server_default="[]"))


def history(op: Operations) -> None:
    """Add source, outcome and pending decision of each query."""
    op.drop_table("queries")  # the first table of this name was never written to
    op.create_table(
        "queries",
        key(),
        text("source"),
        blob("digest"),
        text("text", nullable=True),
        text("sought", nullable=True),
        moment("at", server_default=NOW),
        integer("times", server_default="1"),
        text("type", nullable=True),
        real("confidence"),
        text("kind", nullable=True),
        text("answer", nullable=True),
        real("answer_confidence"),
        text("status", nullable=True),
        real("settled_ms", nullable=True),
        text("doubts", server_default=""),
        text("decision", nullable=True),
        integer("step_id", nullable=True),
        sa.UniqueConstraint("digest", "source"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_queries_at", "queries", ["at"])
    op.create_index("ix_queries_step_id", "queries", ["step_id"])
    op.create_table(
        "traces",
        integer("query_id", part_of("queries.id"), primary_key=True),
        integer("version"),
        blob("document"),
    )
    op.execute(FORGET_DECISIONS)


def runs(op: Operations) -> None:
    """Add the approved command of each power, the tools last listed by its server, and use counts."""
    op.create_table(
        "runs",
        integer("power_id", primary_key=True, autoincrement=False),
        text("approved", server_default=""),
        text("told", server_default="[]"),
        text("seen", nullable=True),
        integer("activations", server_default="0"),
        integer("calls", server_default="0"),
        moment("last_used", nullable=True),
    )
    op.execute(WITHDRAW_APPROVAL)
    op.execute(WITHDRAW_APPROVAL_PUT_BACK)


def routing(op: Operations) -> None:
    """Add a cache of LLM answers, a log of decisions, and cases excluded from training."""
    op.create_table(
        "route_cache",
        blob("digest", primary_key=True),
        text("asked"),
        text("text"),
        text("intent"),
        real("confidence"),
        text("mode"),
        text("reasoning"),
        real("at"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_route_cache_at", "route_cache", ["at"])
    op.create_table(
        "route_decisions",
        key(),
        real("at"),
        text("text", nullable=True),
        blob("digest"),
        text("source"),
        text("intent"),
        json("databases"),
        real("confidence"),
        text("method"),
        real("rule_confidence"),
        text("rule_intent"),
        text("llm_intent"),
        text("reasoning"),
        real("ms"),
        real("cost"),
        text("llm", nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_route_decisions_at", "route_decisions", ["at"])
    op.create_index("ix_route_decisions_digest", "route_decisions", ["digest"])
    op.create_table("untaught_routes", blob("digest", primary_key=True), sqlite_with_rowid=False)


def setting_steps(op: Operations) -> None:
    """Add the settings that a step changed."""
    op.create_table(
        "setting_revisions",
        integer("step_id", part_of("steps.id"), primary_key=True),
        text("key", primary_key=True),
        text("held", nullable=True),
        text("present", nullable=True),
        sqlite_with_rowid=False,
    )


def pending_secrets(op: Operations) -> None:
    """Add pending writes to the secret store that belong to committed transactions."""
    op.create_table(
        "pending_secrets", text("name", primary_key=True), text("staged", nullable=True), sqlite_with_rowid=False
    )


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
    op.execute(FORGET_DECISION_ROWS)
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
    "0001": first_tables,
    "0002": journal,
    "0003": differences,
    "0004": unwanted,
    "0005": history,
    "0006": runs,
    "0007": routing,
    "0008": setting_steps,
    "0009": pending_secrets,
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
"""Migration to each revision, oldest first; a file of another revision was written by a newer program."""
