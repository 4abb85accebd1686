"""Sections of the settings, with validation."""

from __future__ import annotations

import math
import re
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from app.domain.confidence import Calibration
from app.domain.datastore import MAPPED, StoreMapping
from app.domain.fits import Learned
from app.settings.refusals import PASSWORD_REFUSAL, address, either, has_password, parse_candidate

Unit = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number in [0, 1]."""


class Section(BaseModel):
    """Group of settings: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SearchIntentSettings(Section):
    """Detection of the search intent (000)."""

    enabled: bool = Field(True, description="Detect the type of a query.")
    selection: Literal["evidence", "priority"] = Field(
        "evidence", description="How one of several matched types is chosen: by summed evidence, or in a fixed order."
    )
    learned: bool = Field(
        True, description="Use the scores learned from examples if no keyword matches, or if they are more certain."
    )
    learned_from: Unit = Field(0.5, description="Minimum probability for a learned type to count.")
    use_llm: bool = Field(True, description="Let a local LLM improve the keyword result.")
    llm_timeout_ms: int = Field(
        200, ge=1, le=60_000, description="Time-out of the LLM in milliseconds, from its dispatch."
    )
    min_confidence: Unit = Field(
        0.5,
        description=(
            "Minimum confidence of an LLM answer. Only under the merge policies adr and shipped a lower one "
            "decides, if keywords and examples find nothing."
        ),
    )
    require_topics: bool = Field(False, description="A query without topics has no type.")
    merge: Literal["by_type", "adr", "shipped"] = Field(
        "by_type", description="How the results of keywords and LLM are merged."
    )
    strict_floor: bool = Field(False, description="Keep the final confidence from falling below that of the keywords.")
    fallback_penalty: Literal["table", "scaled", "none"] = Field(
        "table",
        description=(
            "Reduction of the keyword confidence if the LLM does not answer: 0.1 unless trusted, a tenth, or 0."
        ),
    )
    debounce_ms: int = Field(
        120, ge=0, le=5_000, description="Pause in typing before the LLM is asked, in milliseconds."
    )
    llm_max_in_flight: int = Field(2, ge=1, le=16, description="Maximum number of concurrent requests to the LLM.")
    surfacing_threshold: Unit = Field(0.6, description="Minimum confidence of the type for memories to be injected.")
    surfacing_confidence: Unit = Field(
        0.75, description="Below this confidence of the best intent, or memory without one, nothing is injected."
    )
    certain_confidence: Unit = Field(
        0.8, description="Minimum confidence of an intent, or a memory without one, to need no type; 0: never."
    )
    surfacing_coverage: Unit = Field(
        0.75,
        description="Sum of chances from which on no further memory is injected; 0: inject every confident memory.",
    )
    surfacing_success: Unit = Field(
        0.0,
        description="Influence of a memory’s success on the order of injected memories, from 0 (none) to 1 (full).",
    )
    surfacing_tokens: int = Field(
        4_000, ge=0, le=1_000_000, description="Maximum number of tokens of all injected memories."
    )


KEY_OF_OLLAMA = "the variable OLLAMA_API_KEY of the environment is where Ollama keeps it"


class LlmSettings(Section):
    """The local LLM: an Ollama server."""

    url: str = Field("", description="Address of the Ollama server, such as http://127.0.0.1:11434; empty: none.")
    model: str = Field("", description="Name of the model, as the server lists it; empty: none.")
    mode: Literal["auto", "decision", "one_token", "json"] = Field(
        "auto", description="How the model is asked; auto: the first mode that server and model support."
    )
    keep_alive: str = Field("30m", description="How long the server keeps the model loaded after a request.")
    context_length: int = Field(
        2048, ge=512, le=131_072, description="Context length in tokens, the same for every request."
    )
    details: bool = Field(
        False, description="Also ask for topics and reasoning, in a second request outside the budget."
    )
    choose_labels: bool = Field(False, description="Let the LLM choose among the best intents.")
    choose_powers: bool = Field(False, description="Let the LLM choose among the best powers.")
    choose_routes: bool = Field(False, description="Let the LLM choose among the best taught routes, also your own.")
    choose_most: int = Field(5, ge=2, le=10, description="Number of best answers that the LLM chooses among.")

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        return address(url, KEY_OF_OLLAMA)


class PowersSettings(Section):
    """Servers of powers (003)."""

    start_timeout_ms: int = Field(
        10_000,
        ge=100,
        le=600_000,
        description="Time-out from the start of a power to the list of its tools, in milliseconds.",
    )
    call_timeout_ms: int = Field(
        60_000, ge=100, le=3_600_000, description="Time-out of a call of a tool, in milliseconds."
    )
    idle_turns: int = Field(
        10, ge=0, le=10_000, description="Number of queries without use after which a power is stopped; 0: never."
    )
    most_running: int = Field(
        8, ge=1, le=100, description="Maximum number of running powers; beyond it the one idle longest is stopped."
    )
    score_listed_tools: bool = Field(
        True,
        description="Score queries against the tools that a started server lists, unless you wrote tools yourself.",
    )


class MetricsSettings(Section):
    """Counts and latencies for Prometheus."""

    port: int = Field(0, ge=0, le=65_535, description="Loopback port that serves /metrics; 0: off.")


class ServeSettings(Section):
    """MCP server for assistants, and the prompt hook."""

    port: int = Field(8377, ge=1, le=65_535, description="Loopback port on which `serve` answers assistants.")
    teach: bool = Field(False, description="Let assistants teach memories over MCP.")
    hook_budget_ms: int = Field(
        2_000,
        ge=1_000,
        le=60_000,
        description="Time limit of the prompt hook in milliseconds; then it returns what it has.",
    )
    keep_engine: bool = Field(
        True, description="Keep an engine without a window running after a prompt, to answer the next one faster."
    )
    idle_minutes: int = Field(
        30, ge=1, le=1_440, description="Idle minutes after which an engine started by the hook ends."
    )


class NotifySettings(Section):
    """Notifications while the window is not in front."""

    when_done: bool = Field(
        True, description="Show a desktop notification when a long task ends while the window is not in front."
    )


class UpdatesSettings(Section):
    """Check for newer versions at an address given by the user."""

    url: str = Field(
        "", description="Address of the newest version number as JSON, requested once a day; empty: never."
    )

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        url = address(url, "name one that answers without")
        if url and "://" not in url:
            raise ValueError("it is not a full address such as https://example.org/intentscope.json")
        return url


DEFAULT_ENCODER: Final = "intentscope-minilm"
WITH_ONE_MODEL = (DEFAULT_ENCODER,)
"""Encoders with a fixed model."""

FORMER_ENCODERS = {"minilm": "all-MiniLM-L6-v2", "accurate": "all-mpnet-base-v2"}
"""Values of `encoder.name` in earlier versions, with their models; now DEFAULT_ENCODER."""


class EncoderSettings(Section):
    """Encoder from texts to vectors."""

    name: Literal["intentscope-minilm", "sentence-transformers", "ollama"] = Field(
        DEFAULT_ENCODER, description="The sentence encoder."
    )
    model: str = Field(
        "",
        max_length=1000,
        description="Its model: a folder or a name (sentence-transformers), a name (ollama); empty: all-MiniLM-L6-v2.",
    )
    url: str = Field("", description="Address of the Ollama server that encodes; empty: llm.url.")

    @field_validator("name", mode="before")
    @classmethod
    def _is_of_this_version(cls, name: object) -> object:
        return DEFAULT_ENCODER if isinstance(name, str) and name in FORMER_ENCODERS else name

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        return address(url, KEY_OF_OLLAMA)

    @field_validator("model")
    @classmethod
    def _is_one_line(cls, model: str) -> str:
        if not model.isprintable():
            raise ValueError("it is not a model name or a folder")
        return model.strip()

    @property
    def model_name(self) -> str:
        """Name of the model without folders or owner."""
        parts = [part for part in re.split(r"[\\/]", self.model) if part]
        return parts[-1] if parts else "all-MiniLM-L6-v2"

    @property
    def title(self) -> str:
        """Display name of the encoder: its name, and its model where there is a choice."""
        return f"{self.name} {self.model_name}" if self.has_models else self.name

    @property
    def has_models(self) -> bool:
        """True if the encoder needs a model name."""
        return self.name not in WITH_ONE_MODEL


class FilesSettings(Section):
    """Library as a folder of text files, for version control."""

    folder: str = Field(
        "", max_length=4_000, description="Folder of text files that the library is linked to; empty: none."
    )
    follow: bool = Field(
        False, description="Apply changes of the linked folder at once, unless the same item changed here, too."
    )

    @field_validator("folder")
    @classmethod
    def _is_a_whole_path(cls, folder: str) -> str:
        folder = folder.strip()
        if folder and not re.match(r"[/~\\]|[A-Za-z]:[/\\]", folder):
            raise ValueError("it is not a full path such as /home/me/library")
        return folder


class CurateSettings(Section):
    """Edits of the library, and how long they can be undone."""

    bin_days: int = Field(
        30, ge=1, le=3_650, description="Number of days that steps can be undone and deleted items restored."
    )
    duplicate_spelling: Unit = Field(
        0.9, description="Minimum similarity of two triggers by spelling to be listed as near duplicates."
    )
    duplicate_meaning: Unit = Field(
        0.95, description="Minimum similarity of two triggers by meaning to be listed as near duplicates."
    )


class TeamSettings(Section):
    """Team library: where its memories are scored."""

    score: Literal["auto", "here", "server"] = Field(
        "auto",
        description=(
            "Where memories are scored, from the next start on: here, or on the team's server; `auto`: by the number "
            "of triggers."
        ),
    )
    score_from: int = Field(200_000, ge=0, description="Number of triggers above which `auto` scores on the server.")
    candidates: int = Field(64, ge=10, le=1_000, description="Number of memories that the server finds for a query.")


class HistorySettings(Section):
    """Query history: content and retention (S7.4)."""

    privacy: Literal["full", "hashed", "off"] = Field(
        "full",
        description="Content to store of queries: everything, a digest instead of the text, or nothing from now on.",
    )
    days: int = Field(30, ge=1, le=3_650, description="Number of days that queries are stored.")
    most: int = Field(
        100_000, ge=100, le=1_000_000, description="Maximum number of stored queries; older ones are deleted."
    )
    accesses: int = Field(
        100_000,
        ge=0,
        le=1_000_000,
        description="Number of newest records of injected memories to store; 0 stores none from now on.",
    )
    evaluations: int = Field(
        50,
        ge=0,
        le=1_000,
        description="Number of newest evaluations to store for comparison; 0 stores none and deletes the others.",
    )
    compare_presets: bool = Field(
        False, description="Also add queries to the inbox that the two presets answer differently."
    )


class TierSettings(Section):
    """Thresholds to activate or offer a power, or to show a weak match (003)."""

    high: Unit = Field(0.9, description="Minimum confidence for a power to be activated.")
    medium: Unit = Field(
        0.5, description="Minimum confidence, or chance that one or several serve, for several powers to be offered."
    )
    weak: Unit = Field(
        0.3, description="Minimum confidence, or chance that any power is related, for weak matches to be shown."
    )
    ambiguity_margin: Unit = Field(
        0.05, description="No power is activated if the second is this close to the first; 0: off."
    )

    @model_validator(mode="after")
    def _go_down(self) -> Self:
        if not self.high >= self.medium >= self.weak:
            bounds = f"high ({self.high:g}), medium ({self.medium:g}) and weak ({self.weak:g})"
            raise ValueError(f"{bounds} must not rise from one to the next")
        return self


STORE_ADDRESSES = {
    "neo4j": (
        ("neo4j+s://", "neo4j://", "neo4j+ssc://", "bolt+s://", "bolt://", "bolt+ssc://"),
        "neo4j+s://me@localhost:7687/neo4j",
    ),
    "graphiti": (("falkors://", "falkor://"), "falkor://localhost:6379"),
    "qdrant": (("https://", "http://"), "http://localhost:6333"),
    "redis": (("redis://", "rediss://"), "redis://localhost:6379/0"),
    "postgresql": (("postgresql://", "postgres://"), "postgresql://me@localhost/notes"),
}
"""Allowed schemes and an example address of each server."""


class RouteSettings(Section):
    """Choice of the data store for a query (001)."""

    enabled: bool = Field(True, description="Choose the data store that should answer a query.")
    has_stores: bool = Field(
        False,
        description="The stores of the routes exist: name them, and compare decisions with the targets.",
    )
    threshold: Unit = Field(0.9, description="Minimum confidence for a rule to decide.")
    rules: bool = Field(True, description="Let rules decide.")
    examples: bool = Field(True, description="Let examples decide if rules do not.")
    overrule: bool = Field(True, description="Let examples overrule a rule if they reach route.threshold.")
    abstain: Unit = Field(0.0, description="Minimum confidence for examples to decide; 0: computed, nine in ten right.")
    use_llm: bool = Field(True, description="Ask the LLM, if one is set up, when rules and examples do not decide.")
    llm_while_typing: bool = Field(False, description="Ask the LLM for the route while you type, too.")
    cache_hours: float = Field(
        24.0, ge=0.0, le=8_760.0, description="Number of hours that the LLM's answers are stored; 0: not at all."
    )
    monthly_budget: float = Field(
        100.0,
        ge=0.0,
        le=1_000_000.0,
        description="Monthly budget for the LLM in dollars; it is not asked once this is spent.",
    )
    cost_per_query: float = Field(
        0.0, ge=0.0, le=1_000.0, description="Cost of one request to the LLM in dollars; 0 for a local model."
    )
    error_rate: Unit = Field(0.5, description="Share of failed answers from which on the LLM is not asked for a while.")
    rollout: int = Field(
        0, ge=0, le=100, description="Percentage of queries, by their hash, that use the candidate's settings; 0: none."
    )
    candidate: str = Field(
        "", description="Settings of the candidate, such as route.threshold=0.95, separated by commas."
    )
    store_seconds: float = Field(5.0, gt=0.0, le=600.0, description="Time-out of a query to a store, in seconds.")
    postgresql: str = Field("", description="Address of a PostgreSQL server with pgvector; empty: none.")

    neo4j: str = Field("", description="Address of a Neo4j server; empty: none.")
    graphiti: str = Field("", description="Address of a FalkorDB server with Graphiti's facts; empty: none.")
    qdrant: str = Field("", description="Address of a Qdrant server; empty: none.")

    postgresql_mapping: str = Field(
        "",
        description="Existing documents on the PostgreSQL server: a table and its columns; empty: what Fill wrote.",
    )
    qdrant_mapping: str = Field(
        "",
        description="Existing documents on the Qdrant server: a collection and its keys; empty: what Fill wrote.",
    )
    neo4j_mapping: str = Field(
        "",
        description="Existing documents on the Neo4j server: a label and its properties; empty: what Fill wrote.",
    )

    redis: str = Field(
        "", description="Address of a Redis server that caches answers of the LLM for several programs; empty: none."
    )
    redis_ms: float = Field(
        50.0, gt=0.0, le=5_000.0, description="Time-out of Redis in milliseconds; after it the table decides."
    )

    @field_validator("candidate")
    @classmethod
    def _is_a_candidate(cls, written: str) -> str:
        parse_candidate(written)
        return written

    @property
    def has_any_store(self) -> bool:
        """True if stores exist: by setting, or as one is set up here."""
        return self.has_stores or any((self.postgresql, self.neo4j, self.graphiti, self.qdrant))

    @field_validator(*STORE_ADDRESSES)
    @classmethod
    def _check_no_password(cls, url: str, info: ValidationInfo) -> str:
        store = str(info.field_name)
        schemes, such_as = STORE_ADDRESSES[store]
        if url and not url.startswith(schemes):
            raise ValueError(f"an address begins with {either(schemes)}, such as {such_as}")
        if has_password(url):
            raise ValueError(f"{PASSWORD_REFUSAL}“intentscope stores --password {store}” keeps it")
        return url

    @field_validator(*(f"{store}_mapping" for store in MAPPED))
    @classmethod
    def _check_required_names(cls, text: str, info: ValidationInfo) -> str:
        if not text.strip():
            return ""
        mapping = StoreMapping.of(text)
        needed = MAPPED[str(info.field_name).removesuffix("_mapping")]
        if lacking := [part for part in needed if not getattr(mapping, part)]:
            raise ValueError(f"it has to say where {', '.join(lacking)} is")
        return str(mapping)

    def mapping(self, store: str) -> StoreMapping | None:
        """Return the mapping of existing documents on a store's server; None without one."""
        text = getattr(self, f"{store}_mapping", "")
        return StoreMapping.of(text) if text else None


class BandSettings(Section):
    """Thresholds of high, medium and low matches of a memory (002)."""

    high: Unit = Field(0.75, description="Minimum confidence of the band high.")
    medium: Unit = Field(0.5, description="Minimum confidence of the band medium.")

    @model_validator(mode="after")
    def _go_down(self) -> Self:
        if self.high < self.medium:
            raise ValueError(f"high ({self.high:g}) must not be below medium ({self.medium:g})")
        return self


class ThresholdSettings(Section):
    """Thresholds of the cascade (002)."""

    exact: Unit = Field(0.95, description="Minimum exact score for the cascade to use it.")
    fuzzy: Unit = Field(0.75, description="Minimum fuzzy score for the cascade to use it.")
    token: Unit = Field(0.70, description="Minimum token score for the cascade to use it.")
    semantic: Unit = Field(
        0.60, description="Has no effect; accepted because files written for retrieval_semantic_threshold contain it."
    )
    keyword: Unit = Field(0.85, description="Minimum keyword score for the cascade to use it (powers).")


class WeightSettings(Section):
    """Weights of the weighted average, renormalised over the present scorers (002)."""

    exact: float = Field(0.4, ge=0.0, description="Weight of the exact score in the weighted average.")
    fuzzy: float = Field(0.3, ge=0.0, description="Weight of the fuzzy score in the weighted average.")
    token_overlap: float = Field(0.2, ge=0.0, description="Weight of the token score in the weighted average.")
    semantic: float = Field(0.1, ge=0.0, description="Weight of the semantic score in the weighted average.")
    keyword: float = Field(0.3, ge=0.0, description="Weight of the keyword score in the weighted average (powers).")

    @model_validator(mode="after")
    def _can_be_shared_out(self) -> Self:
        total = self.exact + self.fuzzy + self.token_overlap + self.semantic + self.keyword
        if total == 0.0:
            raise ValueError("at least one weight must be above 0")
        if not math.isfinite(total):
            raise ValueError("the weights are too large to be added up")
        return self


# --------------------------------------------------------------------------------------------------------------------
# Values attached to the settings that users do not set: calibration and learned weights


class Calibrated(Section):
    """Settings with a profile's calibration and learned weights; by default the shipped ones."""

    _calibration: Calibration = PrivateAttr(default_factory=Calibration)
    _learned: Learned = PrivateAttr(default_factory=Learned)

    @property
    def calibration(self) -> Calibration:
        """Calibration in force (S2.10)."""
        return self._calibration

    def with_calibration(self, calibration: Calibration) -> Self:
        """Return a copy with another calibration."""
        copy = self.model_copy()
        copy._calibration = calibration
        return copy

    @property
    def learned(self) -> Learned:
        """Learned weights in force (S2.10)."""
        # Read forty times per key press; attribute access through pydantic is slow.
        held = self.__pydantic_private__
        found: Learned = self._learned if held is None else held["_learned"]
        return found

    def with_learned(self, learned: Learned) -> Self:
        """Return a copy with other learned weights."""
        copy = self.model_copy()
        copy._learned = learned
        return copy

    def with_fits_of(self, other: Calibrated) -> Self:
        """Return a copy with the calibration and learned weights of other settings."""
        return self.with_calibration(other.calibration).with_learned(other.learned)
