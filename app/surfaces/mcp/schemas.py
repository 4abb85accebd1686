"""JSON schemas of the tools for assistants: results as in S8.7 and 003, and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from app.surfaces.mcp.power_tools import NAME

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
TRUTH: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
UNIT: Schema = {"type": "number", "minimum": 0, "maximum": 1}
ANYTHING: Schema = {"type": "object"}


def maybe(schema: Mapping[str, Any]) -> Schema:
    return {"anyOf": [dict(schema), {"type": "null"}]}


def many(schema: Mapping[str, Any], most: int | None = None) -> Schema:
    return {"type": "array", "items": dict(schema)} | ({} if most is None else {"maxItems": most})


def record(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> Schema:
    """Make an object schema with these fields; others are allowed, as in S8.7."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


_TOOL = record({"name": TEXT, "description": TEXT}, {"call": TEXT})
_STARTED = {"tools": many(_TOOL), "started": TRUTH, "reason": maybe(TEXT), "steering": TEXT}
_MATCH = record({
    "name": TEXT,
    "confidence": UNIT,
    "match_type": {"enum": ["keyword", "semantic", "hybrid"]},
    "description": TEXT,
    "keywords": TEXTS,
})  # fmt: skip
_ACTIVATED = record({
    "status": {"const": "activated"},
    "power": record({"name": TEXT, "confidence": UNIT, "match_type": TEXT}),
    **_STARTED,
})  # fmt: skip


def _matched(status: str, most: int) -> Schema:
    return record({"status": {"const": status}, "query": TEXT, "matches": many(_MATCH, most), "message": TEXT})


RESOLUTION: Schema = {
    "type": "object",
    "properties": {"status": {"enum": ["activated", "multiple_matches", "weak_matches", "not_found"]}},
    "required": ["status"],
    "oneOf": [
        _ACTIVATED,
        _matched("multiple_matches", 3),
        _matched("weak_matches", 5),
        record({
            "status": {"const": "not_found"},
            "query": TEXT,
            "available_powers": many(record({"name": TEXT, "description": TEXT})),
            "message": TEXT,
        }),
    ],
}  # fmt: skip
"""003's document for each status."""

ACTIVATION = record({"status": {"enum": ["activated", "not_started"]}, "power": record({"name": TEXT}), **_STARTED})

DEACTIVATION = record({"power": TEXT, "stopped": TRUTH, "message": TEXT})

_INTENT = record({"type": TEXT, "confidence": UNIT, "source": TEXT, "keywords": TEXTS, "topics": TEXTS})
_SCORED = record(
    {
        "kind": {"enum": ["memory", "power"]},
        "id": TEXT,
        "name": TEXT,
        "confidence": UNIT,
        "winner": TEXTS,
        "trigger": TEXT,
        "scores": {"type": "object", "additionalProperties": maybe(NUMBER)},
    },
    {"band": TEXT, "tier": TEXT},
)
_STAGE = record({"name": TEXT, "ms": NUMBER, "outcome": TEXT})
_HIT = record({"id": TEXT, "label": TEXT, "span": {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2}})
_STEP = record({"step": TEXT, "operands": ANYTHING, "result": maybe(NUMBER)})

INSPECTION = record({
    "query": TEXT,
    "intent": maybe(_INTENT),
    "matches": many(_SCORED),
    "resolution": maybe(ANYTHING),
    "route": maybe(ANYTHING),
    "trace": record({"stages": many(_STAGE), "rules": many(_HIT), "merge": many(_STEP), "llm": maybe(ANYTHING)}),
})  # fmt: skip
"""Document of `inspect`."""

MEMORIES = record({
    "query": TEXT,
    "memories": many(
        record({
            "name": TEXT,
            "id": maybe(TEXT),
            "namespace": TEXT,
            "intent": maybe(TEXT),
            "tags": TEXTS,
            "confidence": UNIT,
            "band": TEXT,
            "trigger": TEXT,
            "response": TEXT,
            "used": COUNT,
            "right": COUNT,
            "invalid": TEXT,
        })
    ),
})  # fmt: skip

POWERS = record({
    "powers": many(
        record({
            "name": TEXT,
            "description": TEXT,
            "keywords": TEXTS,
            "enabled": TRUTH,
            "approved": TRUTH,
            "state": {"enum": ["stopped", "starting", "running", "restarting", "failed"]},
            "reason": TEXT,
            "tools": COUNT,
        })
    )
})  # fmt: skip

_EFFECT = record({"what": TEXT, "fixes": maybe(COUNT), "breaks": maybe(COUNT)})
WHY_NOT = record({
    "query": TEXT,
    "expected": TEXT,
    "outcome": {"enum": ["won", "lost"]},
    "stage": maybe(TEXT),
    "sentence": TEXT,
    "by": ANYTHING,
    "changes": many(_EFFECT),
})  # fmt: skip

ROUTE = record({
    "query": TEXT,
    "intent": maybe(TEXT),
    "databases": TEXTS,
    "confidence": UNIT,
    "method": TEXT,
    "rule_confidence": maybe(UNIT),
    "reasoning": TEXT,
})  # fmt: skip

EVALUATION = record({
    "task": TEXT,
    "n": COUNT,
    "skipped": COUNT,
    "right": {**COUNT, "description": "Cases for which exactly the expected answer would be delivered."},
    "delivered": maybe(UNIT),
    "wrong": many(
        record({
            "text": TEXT, "expected": TEXTS, "answered": maybe(TEXT), "why": TEXT, "confidence": UNIT,
            "rank": maybe(COUNT),
        })
    ),
})  # fmt: skip

MARKED = record({"answer": TEXT, "right": TRUTH, "success": maybe(UNIT)})

TAUGHT = record({"id": maybe(TEXT), "name": TEXT, "intent": maybe(TEXT), "namespace": TEXT})


# ---- Arguments of the tools

MOST_CHARACTERS = 20_000
"""Maximum length of a query; its first 2,000 characters are scored."""
MOST_MEMORIES = 50


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)


class QueryArguments(Arguments):
    query: str = Field(min_length=1, max_length=MOST_CHARACTERS, description="What the user asked, in their own words.")


class ExplainArguments(QueryArguments):
    late: bool = Field(
        False,
        description="Wait for what a local LLM says after its time budget, for up to 30 seconds; it changes nothing.",
    )


class SearchArguments(QueryArguments):
    limit: int = Field(5, ge=1, le=MOST_MEMORIES, description="Maximum number of memories.")
    namespace: str | None = Field(None, max_length=NAME, description="Only memories of this namespace.")
    invalid: bool = Field(False, description="Also memories that are not valid now, or that another one replaces.")


class PowerArguments(Arguments):
    name: str = Field(min_length=1, max_length=1_000, description="The power's name, as resolve_intent gives it.")


class NoArguments(Arguments):
    pass


class TeachArguments(Arguments):
    text: str = Field(min_length=1, max_length=2_000, description="What a user would say: the new memory's trigger.")
    intent: str | None = Field(None, max_length=NAME, description="The intent of the memory.")
    response: str = Field("", max_length=MOST_CHARACTERS, description="What is to be known or said then.")

    @field_validator("text")
    @classmethod
    def _is_one_line(cls, text: str) -> str:
        return " ".join(text.split())


class WhyNotArguments(QueryArguments):
    expect: str = Field(
        min_length=1,
        max_length=1_000,
        description="What was expected: memory:NAME, power:NAME, intent:LABEL or route:LABEL.",
    )


class EvaluateArguments(Arguments):
    task: Literal["intent", "memory", "power", "route", "type"] = Field(description="Which labelled queries.")


class FeedbackArguments(QueryArguments):
    answer: str = Field(min_length=1, max_length=1_000, description="The answer that came: memory:NAME or power:NAME.")
    right: bool = Field(description="Whether the user said that it was right.")
