"""What our tools for assistants take."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator

from app.surfaces.mcp_server_texts import NAME

MOST_CHARACTERS = 20_000
"""A longer query is no query; of this one the first 2,000 are scored."""
MOST_MEMORIES = 50


class Arguments(BaseModel):
    """What a tool takes, and nothing else."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class OfQuery(Arguments):
    query: str = Field(min_length=1, max_length=MOST_CHARACTERS, description="What the user asked, in their own words.")


class OfMemories(OfQuery):
    limit: int = Field(5, ge=1, le=MOST_MEMORIES, description="At most so many memories.")
    namespace: str | None = Field(None, max_length=NAME, description="Only memories of this namespace.")


class OfPower(Arguments):
    name: str = Field(min_length=1, max_length=1_000, description="The power's name, as resolve_intent gives it.")


class OfNothing(Arguments):
    pass


class OfTeaching(Arguments):
    text: str = Field(min_length=1, max_length=2_000, description="What a user would say: the new memory's trigger.")
    intent: str | None = Field(None, max_length=NAME, description="The intent label of the memory.")
    response: str = Field("", max_length=MOST_CHARACTERS, description="What is to be known or said then.")

    @field_validator("text")
    @classmethod
    def _is_one_line(cls, text: str) -> str:
        return " ".join(text.split())
