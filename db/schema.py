"""Tables of a profile's library at the newest revision; `migrations` has the earlier ones.

Edits are journalled: a step describes an edit, its revisions hold the other state of every item that changed, and the
version of an item is the number of the step that last changed it. The virtual table `found`, SQLite's full-text index
over the texts of memories, is not part of this metadata.

Texts that are looked up carry a digest, the SHA-256 of their UTF-8: 32 bytes to index instead of up to 100,000
characters, and the key of embeddings. Digests of queries, whose text may not be stored, are keyed with a secret of the
profile (24 bytes). Times are UTC, to the second, set by the database.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    CheckConstraint,
    DateTime,
    Float,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.dialects.sqlite import DATETIME
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

DIGEST_BYTES = 32

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Naming convention: every constraint has a name, because batch migrations refer to it."""


def digest(text: str) -> bytes:
    """Return the SHA-256 of the text's UTF-8, 32 bytes.

    Raises UnicodeEncodeError for lone surrogates.
    """
    return sha256(text.encode()).digest()


class TableRow(DeclarativeBase):
    """Base of all tables: naming convention, and the column type of each Python type."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: Text(),
        float: Float(),
        bytes: LargeBinary(),
        datetime: DateTime().with_variant(DATETIME(truncate_microseconds=True), "sqlite"),  # type: ignore[no-untyped-call]
        list[str]: JSON(),
        dict[str, str]: JSON(),
        dict[str, float]: JSON(),
        dict[str, Any]: JSON(),
    }


class Dated:
    """Times of creation and last change of a row."""

    created: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())
    updated: Mapped[datetime] = mapped_column(
        server_default=func.current_timestamp(), onupdate=func.current_timestamp()
    )


class MemoryRow(Dated, TableRow):
    """A memory; its phrases are in `triggers`.

    Row numbers are never reused, so that an undo finds its row.
    """

    __tablename__ = "memories"
    __table_args__ = (
        UniqueConstraint("external_id"),
        Index(None, "intent"),
        CheckConstraint("success BETWEEN 0 AND 1", name="success"),
        CheckConstraint("usage >= 0", name="usage"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    external_id: Mapped[str | None]
    intent: Mapped[str | None]
    response: Mapped[str]
    namespace: Mapped[str]
    tags: Mapped[list[str]]
    success: Mapped[float]
    usage: Mapped[int]
    paused: Mapped[bool]
    source: Mapped[str] = mapped_column(server_default="")
    version: Mapped[int] = mapped_column(server_default="0")
    right: Mapped[int] = mapped_column(server_default="0")
    valid_from: Mapped[str] = mapped_column(server_default="")
    valid_to: Mapped[str] = mapped_column(server_default="")
    replaces: Mapped[list[str]] = mapped_column(server_default="[]")


class TriggerRow(TableRow):
    """One trigger of a memory, stored in display order from position 0."""

    __tablename__ = "triggers"
    __table_args__ = (Index(None, "digest"), {"sqlite_with_rowid": False})

    memory_id: Mapped[int] = mapped_column(ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]
    digest: Mapped[bytes]


class PowerRow(Dated, TableRow):
    """A power (an MCP server); its tools are in `tools`."""

    __tablename__ = "powers"
    __table_args__ = (UniqueConstraint("name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    description: Mapped[str]
    steering: Mapped[str]
    keywords: Mapped[list[str]]
    examples: Mapped[list[str]]
    command: Mapped[str | None]
    args: Mapped[list[str]]
    env: Mapped[dict[str, str]]
    url: Mapped[str | None]
    paused: Mapped[bool]
    approved: Mapped[bool]
    version: Mapped[int] = mapped_column(server_default="0")


class ToolRow(TableRow):
    __tablename__ = "tools"
    __table_args__ = ({"sqlite_with_rowid": False},)

    power_id: Mapped[int] = mapped_column(ForeignKey("powers.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    description: Mapped[str]


class RunRow(TableRow):
    """Approval and use of one power; the row outlives the power, whose number is never reused.

    `approved` is the digest of the approved command line or address: triggers on `powers` empty it whenever an approval
    is withdrawn. `told` (the tools the server listed) and `seen` are JSON as servers write it, with numbers of any
    size.
    """

    __tablename__ = "runs"

    power_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    approved: Mapped[str] = mapped_column(server_default="")
    told: Mapped[str] = mapped_column(server_default="[]")
    seen: Mapped[str | None]
    activations: Mapped[int] = mapped_column(server_default="0")
    calls: Mapped[int] = mapped_column(server_default="0")
    last_used: Mapped[datetime | None]


class RuleRow(Dated, TableRow):
    """A keyword rule: a pattern with a label."""

    __tablename__ = "rules"
    __table_args__ = (UniqueConstraint("external_id"), Index(None, "pack", "position"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    external_id: Mapped[str]
    label: Mapped[str]
    pattern: Mapped[str]
    unless: Mapped[str | None]
    pack: Mapped[str]
    position: Mapped[int]
    weight: Mapped[float]
    confidence: Mapped[float | None]
    purpose: Mapped[str]
    enabled: Mapped[bool]
    version: Mapped[int] = mapped_column(server_default="0")


class CaseRow(Dated, TableRow):
    """A labelled query: the expected answers, and those that must not come first.

    Both lists empty: nothing should match.
    """

    __tablename__ = "cases"
    __table_args__ = (UniqueConstraint("task", "digest"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    task: Mapped[str]
    text: Mapped[str]
    digest: Mapped[bytes]
    expected: Mapped[list[str]]
    unwanted: Mapped[list[str]] = mapped_column(server_default="[]")
    version: Mapped[int] = mapped_column(server_default="0")


class StepRow(TableRow):
    """One edit in the journal. Steps are ordered by number, since a clock may go back.

    `undone` is 0, or counts up with each undo: the last step undone is redone first. `author` is NULL for steps that
    stay on this machine; in a team library it is empty for one's own steps and otherwise names the author.
    """

    __tablename__ = "steps"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())
    verb: Mapped[str]
    subject: Mapped[str]
    count: Mapped[int]
    source: Mapped[str]
    undone: Mapped[int] = mapped_column(server_default="0")
    author: Mapped[str | None]


class RevisionRow(TableRow):
    """State of one item before its step, or after it while the step is undone; NULL: no item.

    `held` is the version of that state, `present` the version the item must have for the two to be swapped.
    """

    __tablename__ = "revisions"
    __table_args__ = (Index(None, "kind", "item_id"), {"sqlite_with_rowid": False})

    step_id: Mapped[int] = mapped_column(ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str | None]
    held: Mapped[int | None]
    present: Mapped[int | None]


class SettingRevisionRow(TableRow):
    """Value of one setting before its step, or after it while the step is undone; NULL: unset.

    `present` is the value the setting must have for the two to be swapped.
    """

    __tablename__ = "setting_revisions"
    __table_args__ = ({"sqlite_with_rowid": False},)

    step_id: Mapped[int] = mapped_column(ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    held: Mapped[str | None]
    present: Mapped[str | None]


class DifferenceRow(TableRow):
    """Two items marked "not a duplicate", as digests, the lesser first; void while undone.

    Differences outlive expired steps: a trigger on `steps` deletes only those of undone steps.
    """

    __tablename__ = "differences"
    __table_args__ = (Index(None, "step_id"), {"sqlite_with_rowid": False})

    one: Mapped[bytes] = mapped_column(primary_key=True)
    other: Mapped[bytes] = mapped_column(primary_key=True)
    step_id: Mapped[int]


class QueryRow(TableRow):
    """One query of the history per source: its text, or only its digest in a hashed history.

    `sought` is the case-folded text for search and sorting; `doubts` are words separated by spaces.
    """

    __tablename__ = "queries"
    __table_args__ = (UniqueConstraint("digest", "source"), Index(None, "at"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str]
    digest: Mapped[bytes]
    text: Mapped[str | None]
    sought: Mapped[str | None]
    at: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())
    times: Mapped[int] = mapped_column(server_default="1")
    type: Mapped[str | None]
    confidence: Mapped[float]
    kind: Mapped[str | None]
    answer: Mapped[str | None]
    answer_confidence: Mapped[float]
    status: Mapped[str | None]
    settled_ms: Mapped[float | None]
    doubts: Mapped[str] = mapped_column(server_default="")


class DecisionRow(TableRow):
    """Decision of one step about a query; the latest whose step is not undone is in force.

    Decisions outlive expired steps: a trigger on `steps` deletes only those of undone steps. A trigger on `queries`
    deletes decisions when another answer is in doubt.
    """

    __tablename__ = "decisions"
    __table_args__ = (Index(None, "step_id"), {"sqlite_with_rowid": False})

    query_id: Mapped[int] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    step_id: Mapped[int] = mapped_column(primary_key=True)
    decision: Mapped[str]


class TraceRow(TableRow):
    """Trace of an answer as compressed JSON; not part of `queries`, so that lists stay fast."""

    __tablename__ = "traces"

    query_id: Mapped[int] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int]
    document: Mapped[bytes]


class InjectionRow(TableRow):
    """A memory considered for injection when an assistant's query was answered.

    `rank` counts from 1, NULL without a rank; `cut` is why the memory was left out, NULL if it was injected. The row is
    deleted with its query; its memory may be gone.
    """

    __tablename__ = "injections"
    __table_args__ = (Index(None, "query_id"), Index(None, "memory_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    query_id: Mapped[int] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"))
    memory_id: Mapped[int]
    at: Mapped[datetime]
    rank: Mapped[int | None]
    confidence: Mapped[float]
    cut: Mapped[str | None]


class UseRow(TableRow):
    """Count and time of the injections of a memory; they outlive the history of queries.

    A use is no state of the memory: it makes no step and causes no reload of the library.
    """

    __tablename__ = "uses"

    memory_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    used: Mapped[int]
    last: Mapped[datetime]


class EncoderRow(TableRow):
    """An encoder whose vectors are cached."""

    __tablename__ = "encoders"
    __table_args__ = (UniqueConstraint("name", "revision", "dimension"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    revision: Mapped[str]
    dimension: Mapped[int]


class EmbeddingRow(TableRow):
    """The vector of one text by one encoder: `dimension` numbers, little-endian.

    float32 or float16, by the length of the blob.
    """

    __tablename__ = "embeddings"

    encoder_id: Mapped[int] = mapped_column(ForeignKey("encoders.id", ondelete="CASCADE"), primary_key=True)
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    vector: Mapped[bytes]


class SettingRow(TableRow):
    """A setting changed in the window: dotted key, and value as text."""

    __tablename__ = "settings"

    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
    updated: Mapped[datetime] = mapped_column(
        server_default=func.current_timestamp(), onupdate=func.current_timestamp()
    )


class PendingSecretRow(TableRow):
    """Pending work on a secret after a commit: move the value of `staged` there, or delete it."""

    __tablename__ = "pending_secrets"
    __table_args__ = ({"sqlite_with_rowid": False},)

    name: Mapped[str] = mapped_column(primary_key=True)
    staged: Mapped[str | None]


class RouteCacheRow(TableRow):
    """Cached LLM answer on a query's route.

    `digest` is that of the normalised text, `asked` that of rules, model and prompt. Times are seconds since 1970,
    because they are compared with a clock that may jump.
    """

    __tablename__ = "route_cache"
    __table_args__ = (Index(None, "at"), {"sqlite_with_rowid": False})

    digest: Mapped[bytes] = mapped_column(primary_key=True)
    asked: Mapped[str]
    text: Mapped[str]
    intent: Mapped[str]
    confidence: Mapped[float]
    mode: Mapped[str]
    reasoning: Mapped[str]
    at: Mapped[float]


class RouteDecisionRow(TableRow):
    """One decision of the router, with its text or only the text's digest, by the setting."""

    __tablename__ = "route_decisions"
    __table_args__ = (Index(None, "at"), Index(None, "digest"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    text: Mapped[str | None]
    digest: Mapped[bytes]
    source: Mapped[str]
    intent: Mapped[str]
    databases: Mapped[list[str]]
    confidence: Mapped[float]
    method: Mapped[str]
    rule_confidence: Mapped[float]
    rule_intent: Mapped[str]
    llm_intent: Mapped[str]
    reasoning: Mapped[str]
    ms: Mapped[float]
    cost: Mapped[float]
    llm: Mapped[str | None]
    configuration: Mapped[str] = mapped_column(server_default="")


class RouteRolloutRow(TableRow):
    """Change of the share of queries in percent that a rollout sends to candidate settings.

    `why` is set when the router itself rolled back. `at` is in seconds since 1970.
    """

    __tablename__ = "route_rollouts"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    share: Mapped[int]
    candidate: Mapped[str]
    why: Mapped[str]


class LlmAnswerRow(TableRow):
    """LLM answer on a labelled query in an evaluation.

    `asked` is the digest of question, model and options, `digest` the keyed digest of the text, `run` the number of the
    repetition from 0; `name` is empty for an answer that could not be parsed. `at` is in seconds since 1970.
    """

    __tablename__ = "llm_answers"
    __table_args__ = (Index(None, "at"), {"sqlite_with_rowid": False})

    asked: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    run: Mapped[int] = mapped_column(primary_key=True)
    outcome: Mapped[str]
    name: Mapped[str]
    confidence: Mapped[float]
    mode: Mapped[str]
    distribution: Mapped[dict[str, float] | None] = mapped_column(JSON(none_as_null=True))
    ms: Mapped[float]
    at: Mapped[float]


class UntaughtRouteRow(TableRow):
    """Digest of the text of a route case that is evaluated but excluded from training."""

    __tablename__ = "untaught_routes"
    __table_args__ = ({"sqlite_with_rowid": False},)

    digest: Mapped[bytes] = mapped_column(primary_key=True)


class EvaluationRunRow(TableRow):
    """A saved evaluation.

    `document` is the result of each case, compressed JSON by the keyed digest of its text; `at` is in seconds since
    1970, `step` the newest step of the journal at that time.
    """

    __tablename__ = "evaluation_runs"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    task: Mapped[str]
    source: Mapped[str]
    cases: Mapped[int]
    right: Mapped[int]
    combination: Mapped[str]
    threshold: Mapped[float]
    metrics: Mapped[dict[str, Any]]
    settings: Mapped[dict[str, str]]
    digests: Mapped[dict[str, Any]]
    versions: Mapped[dict[str, str]]
    step: Mapped[int]
    document: Mapped[bytes]


class UseCountRow(TableRow):
    """Number of times assistants had an outcome on a day (UTC, days since 1970)."""

    __tablename__ = "use_counts"
    __table_args__ = ({"sqlite_with_rowid": False},)

    day: Mapped[int] = mapped_column(primary_key=True)
    what: Mapped[str] = mapped_column(primary_key=True)
    outcome: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


class TeamRow(TableRow):
    """The team library that this one is a copy of, in one row; no row for a library of its own.

    `head` is the last change of the server in this copy, `author` the account of the copy's owner on the server.
    """

    __tablename__ = "team"

    id: Mapped[int] = mapped_column(primary_key=True)
    library: Mapped[str]
    address: Mapped[str]
    author: Mapped[str]
    head: Mapped[int]
    seen: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())


class OwnershipRow(TableRow):
    """The owner of this library, in one row: a digest made with the secret of its profile.

    In a backup the digest also covers its approvals and settings.
    """

    __tablename__ = "ownership"

    id: Mapped[int] = mapped_column(primary_key=True)
    mark: Mapped[bytes]


class NoticeRow(TableRow):
    """A sentence to show once."""

    __tablename__ = "notices"

    id: Mapped[int] = mapped_column(primary_key=True)
    sentence: Mapped[str]
