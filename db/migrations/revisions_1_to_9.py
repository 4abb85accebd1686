"""First tables, journal, history, powers that run, and routing."""

from __future__ import annotations

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

TRIGGERS = (FORGET_DIFFERENCES, FORGET_DECISIONS, WITHDRAW_APPROVAL, WITHDRAW_APPROVAL_PUT_BACK)


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
}
