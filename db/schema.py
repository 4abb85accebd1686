"""The tables of one profile's library, as they are today; `migrations` tells how they came to be.

What people write is journalled: a step says what was done, its revisions hold the other state of every item that it
touched, and the version of an item is the number of the step that made it what it is. A virtual table, `found`, is no
part of this metadata: SQLite's own full-text index over the texts of memories.

Texts that are looked up carry a digest, the SHA-256 of their UTF-8: 32 bytes to index instead of up to 100,000
characters, and the same key that embeddings have. Of what was asked, which may be kept without its text, the digest is
keyed with a secret of the profile: 24 bytes that nobody else can make of a text. Times are UTC, to the second, set by
the database.
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
"""Every constraint has a name, because a migration in batch mode can only change what it can name."""


def digest(text: str) -> bytes:
    """The SHA-256 of the text's UTF-8, 32 bytes; UnicodeEncodeError for lone surrogates."""
    return sha256(text.encode()).digest()


class TableRow(DeclarativeBase):
    """What all tables share: names of constraints, and which column a Python type becomes."""

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
    """When a row was made and last changed."""

    created: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())
    updated: Mapped[datetime] = mapped_column(
        server_default=func.current_timestamp(), onupdate=func.current_timestamp()
    )


class MemoryRow(Dated, TableRow):
    """A taught pattern; its phrases are in `triggers`. Numbers are never given twice, so that an undo finds its row."""

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
    """One phrase of a memory; position 0 is its first. Stored in the order in which it is read."""

    __tablename__ = "triggers"
    __table_args__ = (Index(None, "digest"), {"sqlite_with_rowid": False})

    memory_id: Mapped[int] = mapped_column(ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]
    digest: Mapped[bytes]


class PowerRow(Dated, TableRow):
    """Something that can be activated; its tools are in `tools`."""

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
    """One tool of a power."""

    __tablename__ = "tools"
    __table_args__ = ({"sqlite_with_rowid": False},)

    power_id: Mapped[int] = mapped_column(ForeignKey("powers.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    description: Mapped[str]


class RunRow(TableRow):
    """What is kept of one power's runs; it stays when the power goes, whose number is never given twice.

    `approved` is a digest of the command line or address that a person said yes to: triggers on `powers` empty it
    whenever an approval is withdrawn, so that nothing but a person brings it back. `told` and `seen` are JSON as
    servers may write it, with numbers of any length.
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
    """A keyword pattern with a label, as people may have edited it."""

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
    """A labelled query: what is expected, and what must not come first. Two empty lists: nothing should match."""

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
    """One edit of a person. Numbers order steps, dates do not: a clock may go back.

    `undone` is 0, or counts up with each undo, so that the last undone is the first redone. `author` is NULL for what
    stays on this machine, and where a team shares the library, empty for one's own and else who did it.
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
    """The other state of one item: before its step, or after it while that is undone; NULL says that it is not there.

    `held` is the version of that state, `present` the version that the item must have for the two to be swapped.
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
    """What one setting was before its step, or is to be after it while that is undone; NULL: chosen nowhere.

    `present` is what it must be for the two to be swapped.
    """

    __tablename__ = "setting_revisions"
    __table_args__ = ({"sqlite_with_rowid": False},)

    step_id: Mapped[int] = mapped_column(ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    held: Mapped[str | None]
    present: Mapped[str | None]


class DifferenceRow(TableRow):
    """Two things that a person has told apart, as digests, the lesser first; not in force while its step is undone.

    Steps grow old and are forgotten, differences are not: a trigger on `steps` takes along those of undone steps only.
    """

    __tablename__ = "differences"
    __table_args__ = (Index(None, "step_id"), {"sqlite_with_rowid": False})

    one: Mapped[bytes] = mapped_column(primary_key=True)
    other: Mapped[bytes] = mapped_column(primary_key=True)
    step_id: Mapped[int]


class QueryRow(TableRow):
    """One query of the history, once for each source it came from: its text, or only its digest where it is hashed.

    `sought` is the text in the one case in which it is searched and sorted; `doubts` are words with a space between.
    """

    __tablename__ = "queries"
    __table_args__ = (
        UniqueConstraint("digest", "source"),
        Index(None, "at"),
        {"sqlite_autoincrement": True},
    )

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
    """What one step decided about a query; of those whose step is not undone the latest is in force.

    Steps grow old and are forgotten, decisions are not: a trigger on `steps` takes along those of undone steps only.
    Another one on `queries` lets decisions go when another answer is in doubt.
    """

    __tablename__ = "decisions"
    __table_args__ = (Index(None, "step_id"), {"sqlite_with_rowid": False})

    query_id: Mapped[int] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    step_id: Mapped[int] = mapped_column(primary_key=True)
    decision: Mapped[str]


class TraceRow(TableRow):
    """How a query was answered: a document of JSON, compressed; apart from `queries`, so that lists stay quick."""

    __tablename__ = "traces"

    query_id: Mapped[int] = mapped_column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int]
    document: Mapped[bytes]


class InjectionRow(TableRow):
    """One memory that was in question when a query was answered to an assistant: its rank from 1, if it was ranked, and
    why it stayed out, NULL if it did not. It goes with its query; the memory may be gone."""

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
    """How often a memory was told to assistants, and when last: a number that stays when what was asked is forgotten.

    It is no state of the memory, so that neither a step nor its undo changes it, and nobody loads the library anew.
    """

    __tablename__ = "uses"

    memory_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    used: Mapped[int]
    last: Mapped[datetime]


class EncoderRow(TableRow):
    """Where vectors come from."""

    __tablename__ = "encoders"
    __table_args__ = (UniqueConstraint("name", "revision", "dimension"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    revision: Mapped[str]
    dimension: Mapped[int]


class EmbeddingRow(TableRow):
    """The vector of one text by one encoder: `dimension` numbers, little-endian, float32 or float16 by the length."""

    __tablename__ = "embeddings"

    encoder_id: Mapped[int] = mapped_column(ForeignKey("encoders.id", ondelete="CASCADE"), primary_key=True)
    digest: Mapped[bytes] = mapped_column(primary_key=True)
    vector: Mapped[bytes]


class SettingRow(TableRow):
    """A setting changed in the window: dotted key and value as text."""

    __tablename__ = "settings"

    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
    updated: Mapped[datetime] = mapped_column(
        server_default=func.current_timestamp(), onupdate=func.current_timestamp()
    )


class PendingSecretRow(TableRow):
    """What a committed write has still to do to a secret: put the value under `staged` in its place, or forget it."""

    __tablename__ = "pending_secrets"
    __table_args__ = ({"sqlite_with_rowid": False},)

    name: Mapped[str] = mapped_column(primary_key=True)
    staged: Mapped[str | None]


class RouteCacheRow(TableRow):
    """What the LLM said of a query's route. Times are seconds since 1970, because they are compared with a clock that
    may jump; `digest` is that of the normalised text, `asked` that of rules, model and prompt."""

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
    """One decision of the router, with its text or only the digest of that, as the person wants it kept."""

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
    """A change of how many queries go by a candidate's settings: since when, so many of a hundred, and why where it
    was the router itself that went back. `at` is in seconds since 1970."""

    __tablename__ = "route_rollouts"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    share: Mapped[int]
    candidate: Mapped[str]
    why: Mapped[str]


class LlmAnswerRow(TableRow):
    """What the LLM said of a labelled query when an evaluation asked it. `asked` is the digest of question, model and
    options, `digest` the keyed one of the text, `run` how often the same had been asked before; `name` is empty where
    nothing could be made of the answer. `at` is in seconds since 1970."""

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
    """The text, as a digest, of a case for a route that is there to be evaluated and does not teach the router."""

    __tablename__ = "untaught_routes"
    __table_args__ = ({"sqlite_with_rowid": False},)

    digest: Mapped[bytes] = mapped_column(primary_key=True)


class EvaluationRunRow(TableRow):
    """One evaluation that was kept. `document` is what each case came to, compressed JSON by the keyed digest of its
    text; `at` is in seconds since 1970, `step` the newest of the journal then."""

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
    """How often assistants came to an outcome on a day, counted from 1970 on in UTC: some twenty rows a day at most."""

    __tablename__ = "use_counts"
    __table_args__ = ({"sqlite_with_rowid": False},)

    day: Mapped[int] = mapped_column(primary_key=True)
    what: Mapped[str] = mapped_column(primary_key=True)
    outcome: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


class TeamRow(TableRow):
    """The team's library that this one is a copy of, in one row; none where it is nobody else's.

    `head` is the last change of the server's that is in it, `author` whom the server knows this copy's owner as.
    """

    __tablename__ = "team"

    id: Mapped[int] = mapped_column(primary_key=True)
    library: Mapped[str]
    address: Mapped[str]
    author: Mapped[str]
    head: Mapped[int]
    seen: Mapped[datetime] = mapped_column(server_default=func.current_timestamp())


class OwnershipRow(TableRow):
    """Whose library this is, in one row: a digest that only the secret of its profile makes, in a backup one that
    vouches for its approvals and settings, too."""

    __tablename__ = "ownership"

    id: Mapped[int] = mapped_column(primary_key=True)
    mark: Mapped[bytes]


class NoticeRow(TableRow):
    """A sentence that a person has not been shown yet."""

    __tablename__ = "notices"

    id: Mapped[int] = mapped_column(primary_key=True)
    sentence: Mapped[str]
