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
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.dialects.sqlite import DATETIME

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


TYPES: dict[Any, Any] = {
    bool: Boolean(),
    int: Integer(),
    str: Text(),
    float: Float(),
    bytes: LargeBinary(),
    datetime: DateTime().with_variant(DATETIME(truncate_microseconds=True), "sqlite"),  # type: ignore[no-untyped-call]
    list[str]: JSON(),
    dict[str, str]: JSON(),
    dict[str, float]: JSON(),
    dict[str, Any]: JSON(),
}
"""Column type of each Python type."""


T = TypeVar("T")


class Field(Column[T]):
    """Column as an attribute of a row's class."""

    if TYPE_CHECKING:

        def __get__(self, instance: object, owner: object) -> Self: ...  # type: ignore[override]


def column(*constraints: Any, kind: Any = None, **options: Any) -> Any:
    """Return the parts of a column that its annotation does not give."""
    return constraints, kind, options


class _TableClass(type):
    """Class that stands for its table in statements."""

    __table__: Table

    def __clause_element__(cls) -> Table:
        return cls.__table__


class TableRow(metaclass=_TableClass):
    """Base of all tables; class arguments are options of the table.

    A column that may be NULL is annotated as optional. SQLAlchemy's ORM declares tables in the same way, but its 41
    modules would be imported at every start.
    """

    metadata = MetaData(naming_convention=NAMES)
    __tablename__: ClassVar[str]
    __table_args__: ClassVar[tuple[Any, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        hints, columns = get_type_hints(cls), []
        for name in cls.__annotations__ | hints:
            if get_origin(hints[name]) is Field:
                (of,) = get_args(hints[name])
                constraints, kind, more = getattr(cls, name, ((), None, {}))
                null = NoneType in get_args(of)
                kind = kind or TYPES[get_args(of)[0] if null else of]
                columns.append(Column(name, kind, *constraints, nullable=null, **more))
        cls.__table__ = Table(cls.__tablename__, cls.metadata, *columns, *cls.__table_args__, **options)
        for made in columns:
            setattr(cls, made.name, made)


class Dated:
    """Times of creation and last change of a row."""

    created: Field[datetime] = column(server_default=func.current_timestamp())
    updated: Field[datetime] = column(server_default=func.current_timestamp(), onupdate=func.current_timestamp())


class MemoryRow(Dated, TableRow, sqlite_autoincrement=True):
    """A memory; its phrases are in `triggers`.

    Row numbers are never reused, so that an undo finds its row.
    """

    __tablename__ = "memories"
    __table_args__ = (
        UniqueConstraint("external_id"),
        Index(None, "intent"),
        CheckConstraint("success BETWEEN 0 AND 1", name="success"),
        CheckConstraint("usage >= 0", name="usage"),
    )

    id: Field[int] = column(primary_key=True)
    external_id: Field[str | None]
    intent: Field[str | None]
    response: Field[str]
    namespace: Field[str]
    tags: Field[list[str]]
    success: Field[float]
    usage: Field[int]
    paused: Field[bool]
    source: Field[str] = column(server_default="")
    version: Field[int] = column(server_default="0")
    right: Field[int] = column(server_default="0")
    valid_from: Field[str] = column(server_default="")
    valid_to: Field[str] = column(server_default="")
    replaces: Field[list[str]] = column(server_default="[]")


class TriggerRow(TableRow, sqlite_with_rowid=False):
    """One trigger of a memory, stored in display order from position 0."""

    __tablename__ = "triggers"
    __table_args__ = (Index(None, "digest"),)

    memory_id: Field[int] = column(ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True)
    position: Field[int] = column(primary_key=True)
    text: Field[str]
    digest: Field[bytes]


class PowerRow(Dated, TableRow, sqlite_autoincrement=True):
    """A power (an MCP server); its tools are in `tools`."""

    __tablename__ = "powers"
    __table_args__ = (UniqueConstraint("name"),)

    id: Field[int] = column(primary_key=True)
    name: Field[str]
    description: Field[str]
    steering: Field[str]
    keywords: Field[list[str]]
    examples: Field[list[str]]
    command: Field[str | None]
    args: Field[list[str]]
    env: Field[dict[str, str]]
    url: Field[str | None]
    paused: Field[bool]
    approved: Field[bool]
    version: Field[int] = column(server_default="0")


class ToolRow(TableRow, sqlite_with_rowid=False):
    __tablename__ = "tools"

    power_id: Field[int] = column(ForeignKey("powers.id", ondelete="CASCADE"), primary_key=True)
    position: Field[int] = column(primary_key=True)
    name: Field[str]
    description: Field[str]


class RunRow(TableRow):
    """Approval and use of one power; the row outlives the power, whose number is never reused.

    `approved` is the digest of the approved command line or address: triggers on `powers` empty it whenever an approval
    is withdrawn. `told` (the tools the server listed) and `seen` are JSON as servers write it, with numbers of any
    size.
    """

    __tablename__ = "runs"

    power_id: Field[int] = column(primary_key=True, autoincrement=False)
    approved: Field[str] = column(server_default="")
    told: Field[str] = column(server_default="[]")
    seen: Field[str | None]
    activations: Field[int] = column(server_default="0")
    calls: Field[int] = column(server_default="0")
    last_used: Field[datetime | None]


class RuleRow(Dated, TableRow, sqlite_autoincrement=True):
    """A keyword rule: a pattern with a label."""

    __tablename__ = "rules"
    __table_args__ = (UniqueConstraint("external_id"), Index(None, "pack", "position"))

    id: Field[int] = column(primary_key=True)
    external_id: Field[str]
    label: Field[str]
    pattern: Field[str]
    unless: Field[str | None]
    pack: Field[str]
    position: Field[int]
    weight: Field[float]
    confidence: Field[float | None]
    purpose: Field[str]
    enabled: Field[bool]
    version: Field[int] = column(server_default="0")


class CaseRow(Dated, TableRow, sqlite_autoincrement=True):
    """A labelled query: the expected answers, and those that must not come first.

    Both lists empty: nothing should match.
    """

    __tablename__ = "cases"
    __table_args__ = (UniqueConstraint("task", "digest"),)

    id: Field[int] = column(primary_key=True)
    task: Field[str]
    text: Field[str]
    digest: Field[bytes]
    expected: Field[list[str]]
    unwanted: Field[list[str]] = column(server_default="[]")
    version: Field[int] = column(server_default="0")


class StepRow(TableRow, sqlite_autoincrement=True):
    """One edit in the journal. Steps are ordered by number, since a clock may go back.

    `undone` is 0, or counts up with each undo: the last step undone is redone first. `author` is NULL for steps that
    stay on this machine; in a team library it is empty for one's own steps and otherwise names the author.
    """

    __tablename__ = "steps"

    id: Field[int] = column(primary_key=True)
    at: Field[datetime] = column(server_default=func.current_timestamp())
    verb: Field[str]
    subject: Field[str]
    count: Field[int]
    source: Field[str]
    undone: Field[int] = column(server_default="0")
    author: Field[str | None]


class RevisionRow(TableRow, sqlite_with_rowid=False):
    """State of one item before its step, or after it while the step is undone; NULL: no item.

    `held` is the version of that state, `present` the version the item must have for the two to be swapped.
    """

    __tablename__ = "revisions"
    __table_args__ = (Index(None, "kind", "item_id"),)

    step_id: Field[int] = column(ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True)
    kind: Field[str] = column(primary_key=True)
    item_id: Field[int] = column(primary_key=True)
    state: Field[str | None]
    held: Field[int | None]
    present: Field[int | None]


class SettingRevisionRow(TableRow, sqlite_with_rowid=False):
    """Value of one setting before its step, or after it while the step is undone; NULL: unset.

    `present` is the value the setting must have for the two to be swapped.
    """

    __tablename__ = "setting_revisions"

    step_id: Field[int] = column(ForeignKey("steps.id", ondelete="CASCADE"), primary_key=True)
    key: Field[str] = column(primary_key=True)
    held: Field[str | None]
    present: Field[str | None]


class DifferenceRow(TableRow, sqlite_with_rowid=False):
    """Two items marked "not a duplicate", as digests, the lesser first; void while undone.

    Differences outlive expired steps: a trigger on `steps` deletes only those of undone steps.
    """

    __tablename__ = "differences"
    __table_args__ = (Index(None, "step_id"),)

    one: Field[bytes] = column(primary_key=True)
    other: Field[bytes] = column(primary_key=True)
    step_id: Field[int]


class QueryRow(TableRow, sqlite_autoincrement=True):
    """One query of the history per source: its text, or only its digest in a hashed history.

    `sought` is the case-folded text for search and sorting; `doubts` are words separated by spaces.
    """

    __tablename__ = "queries"
    __table_args__ = (UniqueConstraint("digest", "source"), Index(None, "at"))

    id: Field[int] = column(primary_key=True)
    source: Field[str]
    digest: Field[bytes]
    text: Field[str | None]
    sought: Field[str | None]
    at: Field[datetime] = column(server_default=func.current_timestamp())
    times: Field[int] = column(server_default="1")
    type: Field[str | None]
    confidence: Field[float]
    kind: Field[str | None]
    answer: Field[str | None]
    answer_confidence: Field[float]
    status: Field[str | None]
    settled_ms: Field[float | None]
    doubts: Field[str] = column(server_default="")


class DecisionRow(TableRow, sqlite_with_rowid=False):
    """Decision of one step about a query; the latest whose step is not undone is in force.

    Decisions outlive expired steps: a trigger on `steps` deletes only those of undone steps. A trigger on `queries`
    deletes decisions when another answer is in doubt.
    """

    __tablename__ = "decisions"
    __table_args__ = (Index(None, "step_id"),)

    query_id: Field[int] = column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    step_id: Field[int] = column(primary_key=True)
    decision: Field[str]


class TraceRow(TableRow):
    """Trace of an answer as compressed JSON; not part of `queries`, so that lists stay fast."""

    __tablename__ = "traces"

    query_id: Field[int] = column(ForeignKey("queries.id", ondelete="CASCADE"), primary_key=True)
    version: Field[int]
    document: Field[bytes]


class InjectionRow(TableRow, sqlite_autoincrement=True):
    """A memory considered for injection when an assistant's query was answered.

    `rank` counts from 1, NULL without a rank; `cut` is why the memory was left out, NULL if it was injected. The row is
    deleted with its query; its memory may be gone.
    """

    __tablename__ = "injections"
    __table_args__ = (Index(None, "query_id"), Index(None, "memory_id"))

    id: Field[int] = column(primary_key=True)
    query_id: Field[int] = column(ForeignKey("queries.id", ondelete="CASCADE"))
    memory_id: Field[int]
    at: Field[datetime]
    rank: Field[int | None]
    confidence: Field[float]
    cut: Field[str | None]


class UseRow(TableRow):
    """Count and time of the injections of a memory; they outlive the history of queries.

    A use is no state of the memory: it makes no step and causes no reload of the library.
    """

    __tablename__ = "uses"

    memory_id: Field[int] = column(primary_key=True, autoincrement=False)
    used: Field[int]
    last: Field[datetime]


class EncoderRow(TableRow):
    """An encoder whose vectors are cached."""

    __tablename__ = "encoders"
    __table_args__ = (UniqueConstraint("name", "revision", "dimension"),)

    id: Field[int] = column(primary_key=True)
    name: Field[str]
    revision: Field[str]
    dimension: Field[int]


class EmbeddingRow(TableRow):
    """The vector of one text by one encoder: `dimension` numbers, little-endian.

    float32 or float16, by the length of the blob.
    """

    __tablename__ = "embeddings"

    encoder_id: Field[int] = column(ForeignKey("encoders.id", ondelete="CASCADE"), primary_key=True)
    digest: Field[bytes] = column(primary_key=True)
    vector: Field[bytes]


class SettingRow(TableRow):
    """A setting changed in the window: dotted key, and value as text."""

    __tablename__ = "settings"

    key: Field[str] = column(primary_key=True)
    value: Field[str]
    updated: Field[datetime] = column(server_default=func.current_timestamp(), onupdate=func.current_timestamp())


class PendingSecretRow(TableRow, sqlite_with_rowid=False):
    """Pending work on a secret after a commit: move the value of `staged` there, or delete it."""

    __tablename__ = "pending_secrets"

    name: Field[str] = column(primary_key=True)
    staged: Field[str | None]


class RouteCacheRow(TableRow, sqlite_with_rowid=False):
    """Cached LLM answer on a query's route.

    `digest` is that of the normalised text, `asked` that of rules, model and prompt. Times are seconds since 1970,
    because they are compared with a clock that may jump.
    """

    __tablename__ = "route_cache"
    __table_args__ = (Index(None, "at"),)

    digest: Field[bytes] = column(primary_key=True)
    asked: Field[str]
    text: Field[str]
    intent: Field[str]
    confidence: Field[float]
    mode: Field[str]
    reasoning: Field[str]
    at: Field[float]


class RouteDecisionRow(TableRow, sqlite_autoincrement=True):
    """One decision of the router, with its text or only the text's digest, by the setting."""

    __tablename__ = "route_decisions"
    __table_args__ = (Index(None, "at"), Index(None, "digest"))

    id: Field[int] = column(primary_key=True)
    at: Field[float]
    text: Field[str | None]
    digest: Field[bytes]
    source: Field[str]
    intent: Field[str]
    databases: Field[list[str]]
    confidence: Field[float]
    method: Field[str]
    rule_confidence: Field[float]
    rule_intent: Field[str]
    llm_intent: Field[str]
    reasoning: Field[str]
    ms: Field[float]
    cost: Field[float]
    llm: Field[str | None]
    configuration: Field[str] = column(server_default="")


class RouteRolloutRow(TableRow, sqlite_autoincrement=True):
    """Change of the share of queries in percent that a rollout sends to candidate settings.

    `why` is set when the router itself rolled back. `at` is in seconds since 1970.
    """

    __tablename__ = "route_rollouts"

    id: Field[int] = column(primary_key=True)
    at: Field[float]
    share: Field[int]
    candidate: Field[str]
    why: Field[str]


class LlmAnswerRow(TableRow, sqlite_with_rowid=False):
    """LLM answer on a labelled query in an evaluation.

    `asked` is the digest of question, model and options, `digest` the keyed digest of the text, `run` the number of the
    repetition from 0; `name` is empty for an answer that could not be parsed. `at` is in seconds since 1970.
    """

    __tablename__ = "llm_answers"
    __table_args__ = (Index(None, "at"),)

    asked: Field[str] = column(primary_key=True)
    digest: Field[bytes] = column(primary_key=True)
    run: Field[int] = column(primary_key=True)
    outcome: Field[str]
    name: Field[str]
    confidence: Field[float]
    mode: Field[str]
    distribution: Field[dict[str, float] | None] = column(kind=JSON(none_as_null=True))
    ms: Field[float]
    at: Field[float]


class UntaughtRouteRow(TableRow, sqlite_with_rowid=False):
    """Digest of the text of a route case that is evaluated but excluded from training."""

    __tablename__ = "untaught_routes"

    digest: Field[bytes] = column(primary_key=True)


class EvaluationRunRow(TableRow, sqlite_autoincrement=True):
    """A saved evaluation.

    `document` is the result of each case, compressed JSON by the keyed digest of its text; `at` is in seconds since
    1970, `step` the newest step of the journal at that time.
    """

    __tablename__ = "evaluation_runs"

    id: Field[int] = column(primary_key=True)
    at: Field[float]
    task: Field[str]
    source: Field[str]
    cases: Field[int]
    right: Field[int]
    combination: Field[str]
    threshold: Field[float]
    metrics: Field[dict[str, Any]]
    settings: Field[dict[str, str]]
    digests: Field[dict[str, Any]]
    versions: Field[dict[str, str]]
    step: Field[int]
    document: Field[bytes]


class UseCountRow(TableRow, sqlite_with_rowid=False):
    """Number of times assistants had an outcome on a day (UTC, days since 1970)."""

    __tablename__ = "use_counts"

    day: Field[int] = column(primary_key=True)
    what: Field[str] = column(primary_key=True)
    outcome: Field[str] = column(primary_key=True)
    count: Field[int]


class TeamRow(TableRow):
    """The team library that this one is a copy of, in one row; no row for a library of its own.

    `head` is the last change of the server in this copy, `author` the account of the copy's owner on the server.
    """

    __tablename__ = "team"

    id: Field[int] = column(primary_key=True)
    library: Field[str]
    address: Field[str]
    author: Field[str]
    head: Field[int]
    seen: Field[datetime] = column(server_default=func.current_timestamp())


class OwnershipRow(TableRow):
    """The owner of this library, in one row: a digest made with the secret of its profile.

    In a backup the digest also covers its approvals and settings.
    """

    __tablename__ = "ownership"

    id: Field[int] = column(primary_key=True)
    mark: Field[bytes]


class NoticeRow(TableRow):
    """A sentence to show once."""

    __tablename__ = "notices"

    id: Field[int] = column(primary_key=True)
    sentence: Field[str]
