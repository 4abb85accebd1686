"""The fields of one JSON object, each refused with its name where it is not what it should be."""

from __future__ import annotations

from typing import Any

from app.adapters.record_names import JsonObject
from app.domain.query import without_lone_surrogates

MAX_CHARACTERS = 100_000
"""No text of a file may be longer."""


class RefusedError(ValueError):
    """A record is not what it should be; the message is a sentence for the user."""


def text_of(record: JsonObject, field: str) -> str | None:
    """The text of an optional field; None where it is missing or null."""
    value = record.get(field)
    return None if value is None else checked(value, field)


def required(record: JsonObject, field: str) -> str:
    """The text of a field; RefusedError where it is missing or blank."""
    text = text_of(record, field)
    if text is None or not text.strip():
        raise RefusedError(f"There is no “{field}”.")
    return text


def name_of(record: JsonObject, field: str) -> str | None:
    """A name, which some files write as a whole number; None where it is missing or empty."""
    value = record.get(field)
    return str(value) if type(value) is int else text_of(record, field) or None


def list_of(record: JsonObject, field: str) -> list[Any]:
    """A list of anything; empty where it is missing or null."""
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RefusedError(f"“{field}” is a list.")
    return value


def texts_of(record: JsonObject, field: str) -> tuple[str, ...]:
    """A list of texts; empty where it is missing or null."""
    return tuple(checked(value, field) for value in list_of(record, field))


def checked(value: object, field: str) -> str:
    """A text that can be stored; RefusedError, with the name of the field, for anything else."""
    if not isinstance(value, str):
        raise RefusedError(f"“{field}” holds something that is no text.")
    if len(value) > MAX_CHARACTERS:
        raise RefusedError(f"“{field}” holds a text of {len(value):,} characters; {MAX_CHARACTERS:,} are allowed.")
    if "\0" in value:
        raise RefusedError(f"“{field}” holds a NUL character, which no text has.")
    return without_lone_surrogates(value)


def number_of(record: JsonObject, field: str, default: float) -> float:
    """A finite number; the default where it is missing or null."""
    value = record.get(field)
    if value is None:
        return default
    if type(value) not in (int, float) or not abs(value) <= 1e300:  # nor is NaN
        raise RefusedError(f"“{field}” is a number.")
    return float(value)


def flag_of(record: JsonObject, field: str, default: bool) -> bool:
    """True or false; the default where it is missing or null."""
    value = record.get(field)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise RefusedError(f"“{field}” is true or false.")
    return value
