"""Undoable steps, versions, sources of memories, and a full-text index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _number_items()
    _add_journal()
    _add_search()


def _number_items() -> None:
    with op.batch_alter_table("memories") as batch:
        batch.add_column(sa.Column("source", sa.Text(), server_default="", nullable=False))
        batch.add_column(sa.Column("version", sa.Integer(), server_default="0", nullable=False))
    with op.batch_alter_table("powers") as batch:
        batch.add_column(sa.Column("version", sa.Integer(), server_default="0", nullable=False))
    # Recreated with AUTOINCREMENT: an undo finds its row by number, so a number is never used twice.
    for table in ("rules", "cases"):
        with op.batch_alter_table(table, recreate="always", table_kwargs={"sqlite_autoincrement": True}) as batch:
            batch.add_column(sa.Column("version", sa.Integer(), server_default="0", nullable=False))


def _add_journal() -> None:
    op.create_table(
        "steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("undone", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_steps")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "revisions",
        sa.Column("step_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("held", sa.Integer(), nullable=True),
        sa.Column("present", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["step_id"], ["steps.id"], name=op.f("fk_revisions_step_id_steps"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("step_id", "kind", "item_id", name=op.f("pk_revisions")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_revisions_kind_item_id"), "revisions", ["kind", "item_id"], unique=False)


def _add_search() -> None:
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
